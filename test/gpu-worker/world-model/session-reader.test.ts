import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Floats, OnnxSession } from "../../../gpu-worker/inference/session.ts";
import { createScratch } from "../../../gpu-worker/world-model/scratch.ts";
import {
  createSessionReader,
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

it("writes an event's marks and a tool's numbers into the columns that the network was trained with", async () => {
  const fed: Record<string, Floats>[] = [];
  const session = {
    run: async (inputs: Record<string, Floats>) => {
      fed.push(
        Object.fromEntries(
          Object.entries(inputs).map(([name, one]) => [name, { ...one, values: one.values.slice() }]),
        ),
      );
    },
  } as unknown as OnnxSession;
  const scratch = createScratch(64 * 1024);
  const reader = createSessionReader(session, 4, scratch);
  const vector = Float32Array.of(1, 2, 3, 4);
  const read = (views: readonly SessionView[]) =>
    scratch.during(async () => {
      // The memory of a batch holds what the one before left there.
      scratch.giveBack(scratch.floats(8 * 1024).fill(9));
      return reader.read(views);
    });
  await read([
    {
      events: [
        { kind: "result", vector, numbers: [1, 0, 1, 0] },
        { kind: "user", vector, numbers: [0, 1, 0, 1] },
      ],
      tools: [{ vector, numbers: new Float32Array(toolNumbers).fill(5) }],
    },
  ]);
  const { events, marks, tools, tool_numbers: numbers } = fed[0]!;
  expect([events!.shape, marks!.shape]).toEqual([
    [1, 3, 4],
    [1, 3, 44],
  ]);
  const columnsOf = (row: number) =>
    [...marks!.values.subarray(row * 44, (row + 1) * 44).keys()].filter(
      (column) => marks!.values[row * 44 + column] === 1,
    );
  // The endings' token; then each event: its kind from column 1 on, its numbers from 8, its place from 12.
  expect([0, 1, 2].map(columnsOf)).toEqual([[0], [5, 8, 10, 12], [2, 9, 11, 13]]);
  expect([...events!.values]).toEqual([0, 0, 0, 0, ...vector, ...vector]);
  expect([...tools!.values]).toEqual([...vector]);
  expect([...numbers!.values]).toEqual(Array(toolNumbers).fill(5));
});

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
