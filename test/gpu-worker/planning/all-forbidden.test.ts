import { expect, it } from "vitest";
import { planActions } from "../../../gpu-worker/planning/plan-actions.ts";
import { readSituations } from "../../../gpu-worker/planning/situation.ts";
import { actionIds } from "../../../gpu-worker/world-model/actions.ts";
import { PlanRequest } from "../../../shared/planning.ts";
import { createMadeUpModel } from "../support/made-up-model.ts";

it("a plan is the end where the goal forbids all that the decoder writes, whatever one old episode did", async () => {
  const { table } = createMadeUpModel(() => []).model;
  const [send, book] = ["send_email", "book_hotel"].map((name) => table.idOfName(name)!);
  const planFor = async (goal: string) => {
    const { model } = createMadeUpModel(
      () => [],
      (before) => [send!][before.length] ?? actionIds.end,
      [{ actions: [book!], similarity: 1 }],
    );
    const request = PlanRequest.parse({ size: "base", goal, state: "" });
    const [steps] = await planActions(model, await readSituations(model, [request]));
    return steps!.map(({ actionId }) => actionId);
  };
  expect(await planFor("Draft a letter to the landlord, then send it")).toEqual([send]);
  expect(await planFor("Draft a letter to the landlord, but do not send it")).toEqual([actionIds.end]);
});
