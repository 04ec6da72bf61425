// How likely a decoder that always writes the same plan ends after other sequences.
import { describe, expect, it } from "vitest";
import { gatherFeatures, readStopChances } from "../../../gpu-worker/planning/outcome.ts";
import { agree, proposePlans } from "../../../gpu-worker/planning/proposals.ts";
import { readSituations } from "../../../gpu-worker/planning/situation.ts";
import { actionIds } from "../../../gpu-worker/world-model/actions.ts";
import { PlanRequest } from "../../../shared/planning.ts";
import { createMadeUpModel } from "../support/made-up-model.ts";

const plan = [30, 41, 57];
const { model } = createMadeUpModel(
  () => [],
  (written) => plan[written.length] ?? actionIds.end,
);
const request = PlanRequest.parse({ size: "base", goal: "Buy a red lamp", state: "" });
const [situation] = await readSituations(model, [request]);
const proposed = { stops: new Map<string, number>() };

describe("the chance that a plan stops after a sequence", () => {
  it("is high where the decoder would end there, and low before, whatever stands beside it", async () => {
    const sequences = [[30, 41, 57], [30], [], [30, 41], [50, 51, 52, 53]];
    const chances = await readStopChances(
      model,
      sequences.map((ids) => ({ ...situation!, ids, proposed })),
    );
    expect(chances.map((chance) => chance > 0.5)).toEqual([true, false, false, false, true]);
    for (const [at, ids] of sequences.entries())
      expect(await readStopChances(model, [{ ...situation!, ids, proposed }])).toEqual([chances[at]]);
  });

  it("is known for what the decoder has written, the same bits as when it is read", async () => {
    const [drawn] = await proposePlans(model, [situation!]);
    expect([...drawn!.stops.keys()]).toEqual(["", "30", "30,41", "30,41,57"]);
    for (const [key, chance] of drawn!.stops) {
      const ids = key === "" ? [] : key.split(",").map(Number);
      expect(await readStopChances(model, [{ ...situation!, ids, proposed }])).toEqual([chance]);
    }
    const unread = {
      ...model,
      decoder: { ...model.decoder, open: () => Promise.reject(new Error("read again")) },
    };
    const known = await readStopChances(unread, [{ ...situation!, ids: plan, proposed: drawn! }]);
    expect(known).toEqual([drawn!.stops.get("30,41,57")]);
  });

  it("is that of the sequence without idle actions, which the decoder has never read", async () => {
    const stopOf = async (ids: number[]) => {
      const { features } = await gatherFeatures(model, [
        { ...situation!, ids, proposed: { proposals: [], stops: proposed.stops, best: agree([]) } },
      ]);
      return features[0]!.ended;
    };
    const { noop, end } = actionIds;
    expect(await stopOf([noop, 30, noop, end])).toBe(await stopOf([30]));
    expect(await stopOf([noop, noop, noop])).toBe(await stopOf([]));
  });

  it("is asked for nothing where there is no sequence", async () => {
    expect(await readStopChances(model, [])).toEqual([]);
  });
});
