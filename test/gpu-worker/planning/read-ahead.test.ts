import { expect, it, vi } from "vitest";
import { maxTokensAhead, type PlanTask } from "../../../gpu-worker/planning/read-ahead.ts";
import { loadBasePlanner, planRequest, travelTools } from "../support/base-planner.ts";

vi.setConfig({ testTimeout: 60_000 });

const threads = [await loadBasePlanner(), await loadBasePlanner()] as const;
const [first] = threads;

const things = ["invoice", "parcel", "guest", "ticket", "ward", "crate", "permit", "lesson", "tide", "kiln"];
const manyTools = things.flatMap((thing, place) =>
  ["find", "list", "move", "close"].map((verb) => ({
    name: `${verb}_${thing}`,
    description: `The way to ${verb} one ${thing} by its number. `.repeat(2 + (place % 4)),
  })),
);

/** A conversation of some 1,400 tokens. */
const longTalk = Array.from({ length: 20 }, (_, at) => ({
  kind: at % 2 === 0 ? ("assistant" as const) : ("result" as const),
  text: `Entry ${at} of the list of ${things[at % 10]}s. `.repeat(8),
}));
const goal = "Find a flight to Rome, then close the ticket";

it.each([
  ["many unseen tools", { tools: [...manyTools, ...travelTools] }],
  ["a long unseen conversation", { tools: travelTools, turns: [...longTalk, { kind: "user", text: goal }] }],
] as const)(
  "gives the plan that is made in one go, for %s in pieces in two threads in turn",
  async (_name, rest) => {
    const given = { tools: [...rest.tools], ...("turns" in rest && { turns: [...rest.turns] }) };
    let task: PlanTask = planRequest(goal, given);
    let pieces = 0;
    let charged = 0;
    for (; ; pieces++) {
      const begun = await threads[pieces % 2]!.readAhead(structuredClone(task));
      if (!begun) break;
      expect(begun.readTexts.length).toBeGreaterThan(task.readTexts?.length ?? 0);
      expect(begun.tokens).toBeGreaterThan(charged);
      charged = begun.tokens;
      task = { ...task, readTexts: begun.readTexts };
    }
    expect(pieces).toBeGreaterThan(1);
    const last = threads[pieces % 2]!;
    // It knows what the other has read, so the plan itself has little left to read.
    expect(await last.readAhead(planRequest(goal, given))).toBeUndefined();
    const inPieces = await last.plan([task]);
    // Who leaves is never charged more than who waits.
    expect(inPieces[0]!.tokens).toBeGreaterThan(charged);
    expect(inPieces[0]!.tokens - charged).toBeLessThan(2 * maxTokensAhead);
    const inOneGo = await (await loadBasePlanner()).plan([planRequest(goal, given)]);
    expect({ ...inPieces[0], timings: 0 }).toEqual({ ...inOneGo[0], timings: 0 });
  },
);

it("charges the goal, but not its parts, whose words are those of the goal", async () => {
  const planner = await loadBasePlanner();
  const { readTexts, tokens } = (await planner.readAhead(planRequest(goal, { tools: manyTools })))!;
  const [whole, one, two] = readTexts;
  const all = readTexts.reduce((sum, text) => sum + text.tokens, 0);
  expect(tokens).toBe(all - one!.tokens - two!.tokens);
  expect(whole!.tokens).toBeGreaterThan(one!.tokens);
  expect(whole!.tokens).toBeGreaterThan(two!.tokens);
});

it.each([
  ["few unseen tools", travelTools],
  ["many tools that the thread knows", manyTools],
])("needs no piece of its own for %s", async (_name, tools) => {
  const request = planRequest("Move the crate", { tools });
  if (tools === manyTools) await first.plan([request]);
  expect(await first.readAhead(request)).toBeUndefined();
});
