// The chances of a node against their plain definition, on made-up logits.
import fc from "fast-check";
import { expect, it } from "vitest";
import { actionChances } from "../../../gpu-worker/planning/policy.ts";
import { actionIds } from "../../../gpu-worker/world-model/actions.ts";
import type { Act } from "../../../gpu-worker/world-model/heads.ts";
import { softmax } from "../../../gpu-worker/world-model/vectors.ts";
import type { WorldModel } from "../../../gpu-worker/world-model/world-model.ts";

const count = 40;
const model = {
  heads: { settings: { policyTemperature: 1.3 } },
  manifest: { planning: { likenessWeight: 12 } },
} as WorldModel;

const rows = (low: number, high: number) =>
  fc
    .array(fc.float({ min: Math.fround(low), max: Math.fround(high), noNaN: true }), {
      minLength: count,
      maxLength: count,
    })
    .map((values) => Float32Array.from(values));

it("mixes likeness in as far as the policy is unsure, and leaves the end to the policy", () => {
  fc.assert(
    fc.property(rows(-300, 40), rows(-1, 1.2), (logits, likeness) => {
      const own = softmax(logits, 1.3);
      const stop = own[actionIds.end]!;
      const entropy = own.reduce((sum, chance) => (chance > 0 ? sum - chance * Math.log(chance) : sum), 0);
      const shares = logits.map((logit, id) => {
        const weight = (12 * entropy) / Math.log(count);
        return id === actionIds.end ? Number.NEGATIVE_INFINITY : logit / 1.3 + weight * likeness[id]!;
      });
      const expected = softmax(shares).map((chance) => chance * (1 - stop));
      expected[actionIds.end] = stop;
      const found = actionChances(model, { logits } as Act, likeness);
      for (const [id, chance] of found.entries()) expect(chance).toBeCloseTo(expected[id]!, 4);
      expect(found.reduce((sum, chance) => sum + chance, 0)).toBeCloseTo(1, 9);
    }),
  );
});
