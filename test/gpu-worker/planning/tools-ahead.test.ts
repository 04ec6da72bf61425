import { expect, it, vi } from "vitest";
import type { PlanTask } from "../../../gpu-worker/planning/tools-ahead.ts";
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

it("gives the plan that is made in one go, when pieces run in threads in turn", async () => {
  const tools = [...manyTools, ...travelTools];
  let task: PlanTask = planRequest("Find a flight to Rome, then close the ticket", { tools });
  let pieces = 0;
  for (; ; pieces++) {
    const begun = await threads[pieces % 2]!.readAhead(structuredClone(task));
    if (!begun) break;
    expect(begun.readTools.length).toBeGreaterThan(task.readTools?.length ?? 0);
    task = { ...task, readTools: begun.readTools };
  }
  expect(pieces).toBeGreaterThan(1);
  const last = threads[pieces % 2]!;
  // It knows what the other has read, so the plan itself has little left to read.
  expect(await last.readAhead(planRequest(task.goal, { tools }))).toBeUndefined();
  const inPieces = await last.plan([task]);
  const inOneGo = await (await loadBasePlanner()).plan([planRequest(task.goal, { tools })]);
  expect({ ...inPieces[0], timings: 0 }).toEqual({ ...inOneGo[0], timings: 0 });
});

it.each([
  ["few unseen tools", travelTools],
  ["many tools that the thread knows", manyTools],
])("needs no piece of its own for %s", async (_name, tools) => {
  const request = planRequest("Move the crate", { tools });
  if (tools === manyTools) await first.plan([request]);
  expect(await first.readAhead(request)).toBeUndefined();
});
