// What is recalled once steps were taken, and what a plan's outcome makes of it; which texts are remembered.
import { describe, expect, it } from "vitest";
import { planRequests } from "../../../gpu-worker/planning/plan.ts";
import { readSituations } from "../../../gpu-worker/planning/situation.ts";
import { actionIds } from "../../../gpu-worker/world-model/actions.ts";
import { PlanRequest } from "../../../shared/planning.ts";
import { createMadeUpModel } from "../support/made-up-model.ts";

const written = [30, 41];
const history = [{ action: "search", observation: "two lamps" }];

function made(recalled: readonly (readonly number[])[], rest: Partial<PlanRequest> = {}) {
  const decide = (before: readonly number[]) => written[before.length] ?? actionIds.end;
  const episodes = recalled.map((actions) => ({ actions, similarity: 0.95 }));
  const { model } = createMadeUpModel(() => [], decide, episodes);
  const request = PlanRequest.parse({ size: "base", goal: "Buy a red lamp", state: "", ...rest });
  return { model, requests: [request] };
}

describe("what is recalled once a step was taken", () => {
  it("is what the episodes did after as many steps, of those that were not over", async () => {
    const { model, requests } = made([[42, 30, 41], [42]], { history });
    const [situation] = await readSituations(model, requests);
    expect(situation!.recalled).toEqual([{ actions: [30, 41], similarity: 0.95 }]);
  });

  it("counts for the rest of the plan as a whole episode does for a whole plan", async () => {
    const changesOf = async ({ model, requests }: ReturnType<typeof made>) =>
      (await planRequests(model, requests))[0]!.steps.map(({ stateChange }) => stateChange);
    const ofRest = await changesOf(made([[42, 30, 41]], { history }));
    expect(ofRest).toEqual(await changesOf(made([[30, 41]])));
  });
});

it("reads the newest sixteen steps of a long history", async () => {
  const { model, encoded } = createMadeUpModel(() => []);
  const taken = Array.from({ length: 20 }, (_, at) => ({ action: `step_${at}`, observation: "done" }));
  const request = PlanRequest.parse({
    size: "base",
    goal: "Buy a red lamp",
    state: "a shop",
    history: taken,
  });
  const [situation] = await readSituations(model, [request]);
  expect(situation!.taken.map(({ name }) => name)).toEqual(taken.slice(4).map(({ action }) => action));
  expect(encoded.filter(({ text }) => text.startsWith("step"))).toHaveLength(16);
  // No name is one of the 903: the vector of its text stands for the action.
  for (const { vector, input } of situation!.taken) expect(input).toBe(vector);
});

it.each<[string, Partial<PlanRequest>, { goal: string; state: string }]>([
  [
    "a blank goal and state are read as the checkpoint's neutral ones",
    { goal: " ", state: "\n" },
    { goal: "Ask the user for missing information.", state: "Nothing has been done yet." },
  ],
  [
    "a blank state is read as the newest result, if there is one",
    { state: " ", history: [...history, { action: "select", observation: " red lamp opened " }] },
    { goal: "Buy a red lamp", state: "red lamp opened" },
  ],
])("%s", async (_what, rest, { goal, state }) => {
  const { model, encoded } = createMadeUpModel(() => []);
  const request = { size: "base", goal: "Buy a red lamp", state: "", share: "account", ...rest };
  await readSituations(model, [PlanRequest.parse(request)]);
  expect(encoded[0]).toEqual({
    text: goal,
    keep: "start",
    remember: "passing",
    owner: "account",
    maxTokens: 96,
  });
  expect(encoded[1]!.text).toBe(state);
});

it("keeps the vector of a state of any length: every request of a program brings the same system prompt", async () => {
  const { model, encoded } = createMadeUpModel(() => []);
  const request = PlanRequest.parse({
    size: "base",
    goal: "Buy a red lamp",
    state: "Never buy. ".repeat(500),
  });
  await readSituations(model, [{ ...request, share: "account" }]);
  expect(encoded.filter(({ keep, remember }) => keep === "end" && remember !== "lasting")).toEqual([
    { text: request.state.trim(), keep: "end", remember: "passing", owner: "account", maxTokens: 96 },
  ]);
});
