// The chances of a node against their definition, on made-up logits.
import fc from "fast-check";
import { expect, it } from "vitest";
import { actionChances } from "../../../gpu-worker/planning/policy.ts";
import type { Act } from "../../../gpu-worker/world-model/heads.ts";
import type { WorldModel } from "../../../gpu-worker/world-model/world-model.ts";

const model = { heads: { settings: { policyTemperature: 1.3 } } } as WorldModel;
const logit = fc.float({ min: -20, max: 20, noNaN: true });

it("share one whole among the actions, each e times as likely per temperature of logit", () => {
  fc.assert(
    fc.property(fc.array(logit, { minLength: 2, maxLength: 40 }), (values) => {
      const logits = Float32Array.from(values);
      const chances = actionChances(model, { logits } as Act);
      expect(chances.reduce((sum, chance) => sum + chance, 0)).toBeCloseTo(1, 9);
      for (const [id, chance] of chances.entries())
        expect(Math.log(chance / chances[0]!)).toBeCloseTo((logits[id]! - logits[0]!) / 1.3, 6);
    }),
  );
});
