// How likely a decoder that always writes the same plan ends after other sequences.
import { beforeEach, describe, expect, it } from "vitest";
import { gatherFeatures, readStopChances } from "../../../../gpu-worker/planning/actions/outcome.ts";
import { agree, proposePlans } from "../../../../gpu-worker/planning/actions/proposals.ts";
import { readSituations } from "../../../../gpu-worker/planning/situation.ts";
import { actionIds } from "../../../../gpu-worker/world-model/actions.ts";
import type { WorldModel } from "../../../../gpu-worker/world-model/world-model.ts";
import { PlanRequest } from "../../../../shared/planning.ts";
import { createMadeUpModel } from "../../support/made-up-model.ts";

const plan = [30, 41, 57];
const { model } = createMadeUpModel(
  () => [],
  (written) => plan[written.length] ?? actionIds.end,
);
const request = PlanRequest.parse({ size: "base", goal: "Buy a red lamp", state: "" });
const [situation] = await readSituations(model, [request]);
const proposed = {};
/** Each run of the decoder: the actions that it read. */
const runs: number[][] = [];
const counted: WorldModel = {
  ...model,
  decoder: {
    async open(memories) {
      const { hidden, step } = await model.decoder.open(memories);
      return {
        hidden,
        step(steps) {
          runs.push(steps.map(({ last }) => last));
          return step(steps);
        },
      };
    },
  },
};
beforeEach(() => {
  runs.length = 0;
});

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
    const [drawn] = await proposePlans(counted, [situation!]);
    expect(runs).toEqual([[actionIds.start], [30], [41], [57]]);
    for (const ids of [[], [30], [30, 41], [30, 41, 57]]) {
      const read = await readStopChances(model, [{ ...situation!, ids, proposed }]);
      expect(await readStopChances(counted, [{ ...situation!, ids, proposed: drawn! }])).toEqual(read);
    }
    expect(runs).toHaveLength(4);
  });

  it("is read from the longest beginning on that the decoder knows, the same bits as from the first action", async () => {
    const sequences = [[30, 41, 60, 61], [70], [30, 41, 57, 62], [70, 71]];
    const read = await readStopChances(
      model,
      sequences.map((ids) => ({ ...situation!, ids, proposed })),
    );
    const [drawn] = await proposePlans(counted, [situation!]);
    runs.length = 0;
    const known = await readStopChances(
      counted,
      sequences.map((ids) => ({ ...situation!, ids, proposed: drawn! })),
    );
    expect(known).toEqual(read);
    expect(runs).toEqual([
      [60, 70, 62, 70],
      [61, 71],
    ]);
    await readStopChances(counted, [{ ...situation!, ids: [70, 71, 72], proposed: drawn! }]);
    expect(runs.slice(2)).toEqual([[72]]);
  });

  it("is that of the sequence without idle actions, which the decoder has never read", async () => {
    const stopOf = async (ids: number[]) => {
      const { features } = await gatherFeatures(model, [
        { ...situation!, ids, proposed: { proposals: [], best: agree([]) } },
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
