// The server's rules against training's: cases that training/tests/twin_cases.py recorded, on texts and vectors made up there.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { splitGoal } from "../../../gpu-worker/planning/message/goal-text.ts";
import type { SessionEvent } from "../../../gpu-worker/planning/session/events.ts";
import { planTools } from "../../../gpu-worker/planning/tools/plan-tools.ts";
import { readSessions } from "../../../gpu-worker/planning/tools/read-sessions.ts";
import { eventKinds } from "../../../gpu-worker/world-model/session-reader.ts";
import { PlanRequest } from "../../../shared/planning.ts";
import { createMadeUpModel, vectorOf } from "../support/made-up-model.ts";

const Cases = z.object({
  goals: z.array(z.object({ goal: z.string(), parts: z.array(z.string()) })),
  decisions: z.array(
    z.object({
      events: z.array(z.tuple([z.int(), z.string()])),
      tools: z.array(z.object({ name: z.string(), description: z.string() })),
      rows: z.array(z.object({ kind: z.int(), text: z.string(), numbers: z.array(z.number()) })),
      numbers: z.array(z.array(z.number())),
    }),
  ),
});
const path = fileURLToPath(new URL("twin-cases.json", import.meta.url));
const { goals, decisions } = Cases.parse(JSON.parse(readFileSync(path, "utf8")));
const titled = decisions.map((one, at) => ({
  ...one,
  title: `${at}: ${one.events.at(-1)![1].slice(0, 40)}`,
}));

it.each(goals)("a goal has the parts that training cut: $goal", ({ goal, parts }) => {
  expect(splitGoal(goal)).toEqual(parts);
});

/** What the reader is shown of a decision. Planned calls come after everything that was said. */
async function show({ events, tools }: (typeof decisions)[number]) {
  const told = events.map(
    ([kind, text]): SessionEvent => ({ kind: eventKinds[kind] as SessionEvent["kind"], text }),
  );
  const of = (...kinds: string[]) => told.filter(({ kind }) => kinds.includes(kind));
  const turns = of("user", "assistant", "call", "result") as PlanRequest["turns"];
  const { model, views } = createMadeUpModel(() => [...tools.map(() => 0), 9, 0, 0]);
  const [session] = await readSessions(model, [
    PlanRequest.parse({ size: "base", goal: "", state: of("system")[0]?.text ?? "", turns, tools }),
  ]);
  const said = session!.events.filter(({ kind }) => turns.length > 0 || kind === "system");
  const whole = { ...session!, events: [...said, ...of("planned")] };
  await planTools(model, [whole]);
  return views[0]!;
}

describe.each(titled)("of a session the reader is shown what training showed, $title", (one) => {
  it("as events, newest first", async () => {
    const { events } = await show(one);
    expect(
      events.map(({ kind, numbers }) => ({ kind: eventKinds.indexOf(kind), numbers: [...numbers] })),
    ).toEqual(one.rows.map(({ kind, numbers }) => ({ kind, numbers })));
    for (const [at, { vector }] of events.entries())
      for (const [place, value] of vectorOf(one.rows[at]!.text).entries())
        expect(vector[place]).toBeCloseTo(value, 5);
  });

  it("as numbers of its tools", async () => {
    const { tools } = await show(one);
    expect(tools).toHaveLength(one.numbers.length);
    for (const [row, { numbers }] of tools.entries())
      for (const [column, value] of one.numbers[row]!.entries())
        expect(numbers[column], `tool ${row}, column ${column}`).toBeCloseTo(value, 4);
  });
});
