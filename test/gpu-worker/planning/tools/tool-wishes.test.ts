// How much a message asks for each tool's verb, by made-up readings.
import { expect, it } from "vitest";
import type { SessionEvent } from "../../../../gpu-worker/planning/session/events.ts";
import { readToolWishes } from "../../../../gpu-worker/planning/tools/tool-wishes.ts";
import type { Action } from "../../../../gpu-worker/world-model/actions.ts";

const verbs = ["book", "book", "cancel", null];
const actions = verbs.map((verb, id) => ({ id, verb }) as Action);
/** Each text's vector stands for its own readings: of every action, and last of none. */
const model = {
  manifest: { planning: { wishes: { from: 0.25 } } },
  table: { actions },
  heads: { wishes: async (asking: readonly { part: Float32Array }[]) => asking.map(({ part }) => part) },
} as unknown as Parameters<typeof readToolWishes>[0];
const tools = [{ verb: "book" }, { verb: "cancel" }, { verb: "open" }, { verb: undefined }];
const goal = Float32Array.of(0.1, 0.1, 0.1, 0.1, 0.6);
const first = Float32Array.of(0.25, 0.5, 0, 0, 0.25);
const second = Float32Array.of(0, 0.125, 0.5, 0, 0.375);
const begun: SessionEvent[] = [
  { kind: "user", text: "Book it" },
  { kind: "call", text: "book_room" },
];

it("gives a tool the most that any part gives to all actions of its verb", async () => {
  const [wished] = await readToolWishes(model, [{ events: begun, asked: [goal, first, second], tools }]);
  expect([...wished!.tools]).toEqual([0.75, 0.5, 0, 0]);
});

it("reads a message of one part whole, and none before a conversation's first call", async () => {
  const sessions = [
    { events: begun.slice(0, 1), asked: [goal, first], tools },
    { events: begun, asked: [second], tools },
  ];
  const [none, wished] = await readToolWishes(model, sessions);
  expect(none).toBeUndefined();
  expect([...wished!.tools]).toEqual([0.125, 0.5, 0, 0]);
});

it("says of each part whether it asks for anything", async () => {
  const told = Float32Array.of(0.125, 0, 0, 0, 0.875);
  const [wished] = await readToolWishes(model, [{ events: begun, asked: [goal, first, told], tools }]);
  expect(wished!.asks).toEqual([true, false]);
});
