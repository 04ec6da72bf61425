// Whose goal it is: a person's is not planned as the errand of a household robot.
import { describe, expect, it } from "vitest";
import { planActions } from "../../../../gpu-worker/planning/actions/plan-actions.ts";
import { readSituations } from "../../../../gpu-worker/planning/situation.ts";
import { actionIds } from "../../../../gpu-worker/world-model/actions.ts";
import type { Recalled } from "../../../../gpu-worker/world-model/plan-library.ts";
import { PlanRequest } from "../../../../shared/planning.ts";
import { createMadeUpModel } from "../../support/made-up-model.ts";

const { table } = createMadeUpModel(() => []).model;
const idOf = (name: string) => table.idOfName(name)!;
const errand = [idOf("pick_up"), idOf("put_down")];
const purchase = [idOf("search_product"), idOf("order_product")];
const recall = (actions: readonly number[], similarity: number, times = 8): Recalled[] =>
  Array.from({ length: times }, () => ({ actions, similarity }));

type Made = { request?: Partial<PlanRequest>; recalled?: readonly Recalled[]; wish?: number };

/** The situation of a goal for which the decoder writes a robot's errand, and its plan. */
async function planFor({ request, recalled = [], wish }: Made) {
  const decide = (before: readonly number[]) => errand[before.length] ?? actionIds.end;
  const { model } = createMadeUpModel(() => [], decide, recalled, wish);
  const asked = { size: "base", goal: "Put a red mug on my table", state: "", maxSteps: 2, ...request };
  const situations = await readSituations(model, [PlanRequest.parse(asked)]);
  const [steps] = await planActions(model, situations);
  return { situation: situations[0]!, ids: steps!.map(({ actionId }) => actionId) };
}

describe("a robot's errand", () => {
  it("is planned where the state reads like what a robot sees", async () => {
    expect((await planFor({ request: { state: "You face the sink." } })).ids).toEqual(errand);
  });

  it("is planned where a robot has begun", async () => {
    const history = ["pick_up", "put_down"].map((action) => ({ action, observation: "" }));
    expect((await planFor({ request: { history } })).ids).toEqual(errand);
  });

  it("is planned in the state in which its errands begin", async () => {
    expect((await planFor({ request: { state: "Start." } })).ids).toEqual(errand);
  });

  it("is planned where the nearest episodes are such errands", async () => {
    expect((await planFor({ recalled: recall(errand, 0.95) })).ids).toEqual(errand);
  });

  it.each([
    ["nothing tells of a robot", {}],
    ["a person's state is told", { request: { state: "You are a helpful assistant." } }],
    ["a state like a robot's speaks of a person", { request: { state: "You face my sink." } }],
    [
      "one such step was taken, which may be a person's",
      { request: { history: [{ action: "put_down", observation: "" }] } },
    ],
    [
      "mostly something else was done before",
      { request: { history: ["pick_up", "search"].map((action) => ({ action, observation: "" })) } },
    ],
    ["the errands that are recalled are for other goals", { recalled: recall(errand, 0.7) }],
    [
      "only one of the episodes is an errand",
      { recalled: [...recall(errand, 1, 1), ...recall(purchase, 0.95, 7)] },
    ],
  ])("is not planned where %s", async (_, made: Made) => {
    const { ids, situation } = await planFor(made);
    expect(ids.filter((id) => errand.includes(id))).toEqual([]);
    expect(situation.recalled.some(({ actions }) => actions.includes(errand[0]!))).toBe(false);
  });

  it("gives a person the one action that is asked for", async () => {
    const { ids } = await planFor({ wish: errand[0]! });
    expect(ids).toContain(errand[0]);
    expect(ids).not.toContain(errand[1]);
  });
});
