import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  endings,
  eventKinds,
  eventNumbers,
  maxEvents,
  type SessionView,
  toolNumbers,
} from "../../../gpu-worker/world-model/session-reader.ts";
import { loadWorldModel, type WorldModel } from "../../../gpu-worker/world-model/world-model.ts";
import { createNumbers } from "../support/numbers.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const checkpointDir = fileURLToPath(new URL("../../../gpu-worker/checkpoints/base", import.meta.url));

let model: WorldModel;
beforeAll(async () => {
  model = await loadWorldModel({ checkpointDir, device: "cpu" });
});
afterAll(() => model.close());

/** Views of many sizes, the same ones every time. */
function createViews(count: number, most = 20): SessionView[] {
  const { unit, some, below } = createNumbers(1);
  const width = model.manifest.encoderDimension;
  return Array.from({ length: count }, () => ({
    events: Array.from({ length: 1 + below(maxEvents) }, () => ({
      kind: eventKinds[below(eventKinds.length)]!,
      vector: unit(width),
      numbers: Array.from({ length: eventNumbers }, () => below(2)),
    })),
    tools: Array.from({ length: 1 + below(most) }, () => ({
      vector: unit(width),
      numbers: some(toolNumbers),
    })),
  }));
}

describe("the session reader", () => {
  it("gives a logit per tool and per ending", async () => {
    const views = createViews(12);
    for (const [at, logits] of (await model.reader.read(views)).entries()) {
      expect(logits).toHaveLength(views[at]!.tools.length + endings.length);
      for (const logit of logits) expect(Math.abs(logit)).toBeLessThan(1e6);
    }
    expect(await model.reader.read([])).toEqual([]);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 9, 13, 17])(
    "gives a view the same bits in runs of %i and of all",
    async (size) => {
      const views = createViews(34);
      const all = await model.reader.read(views);
      const found: Float64Array[] = [];
      for (let begin = 0; begin < views.length; begin += size)
        found.push(...(await model.reader.read(views.slice(begin, begin + size))));
      expect(found).toEqual(all);
    },
  );

  // The runtime may compute a single row on another code path.
  it.each([
    [1, 1],
    [1, 2],
    [2, 1],
    [5, 10],
    [32, 20],
  ])(
    "gives a view of %i events and %i tools the same bits beside others of its shape",
    async (events, tools) => {
      const { unit, some } = createNumbers(3);
      const view: SessionView = {
        events: Array.from({ length: events }, (_, at) => ({
          kind: eventKinds[at % eventKinds.length]!,
          vector: unit(384),
          numbers: [0, 1, 0, 0],
        })),
        tools: Array.from({ length: tools }, () => ({ vector: unit(384), numbers: some(toolNumbers) })),
      };
      const [alone] = await model.reader.read([view]);
      for (const beside of await model.reader.read(Array.from({ length: 17 }, () => view)))
        expect(beside).toEqual(alone);
    },
  );

  it("gives a tool its logit wherever it stands in the list", async () => {
    const [view] = createViews(1);
    const turned = { ...view!, tools: view!.tools.toReversed() };
    const [there, back] = (await model.reader.read([view!, turned])) as [Float64Array, Float64Array];
    const count = view!.tools.length;
    // The number of none is read from the first tool: it is the same for all of a real list.
    for (let row = 0; row < count; row++) expect(back[count - 1 - row]).toBeCloseTo(there[row]!, 3);
  });

  it("takes more tools than a caller may send, and one", async () => {
    const { unit, some } = createNumbers(2);
    const [view] = createViews(1);
    for (const count of [1, 128, 129, 300]) {
      const tools = Array.from({ length: count }, () => ({ vector: unit(384), numbers: some(toolNumbers) }));
      const [logits] = await model.reader.read([{ ...view!, tools }]);
      expect(logits).toHaveLength(count + endings.length);
    }
  });
});
