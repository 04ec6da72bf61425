import { describe, expect, it } from "vitest";
import { createFairQueue } from "../../gpu-worker/batcher.ts";
import { createWeigher, type Weigher } from "../../gpu-worker/fair-weight.ts";
import { estimateTokens } from "../../gpu-worker/token-estimates.ts";
import type { PlanRequest } from "../../shared/planning.ts";
import { planRequest } from "./support/worker.ts";

const tools = Array.from({ length: 30 }, (_, at) => ({
  name: `tool_${at}`,
  description: `what tool ${at} is for, in as many words as tools are given`,
}));
const weighPlan = (weigh: Weigher, goal: string, rest: Partial<PlanRequest> = {}, share = "a") =>
  weigh({ name: "plan", request: planRequest(goal, rest) }, share);

describe("what a task counts for in its account's share", () => {
  it("is small for tools that were seen before, whoever sent them", () => {
    const weigh = createWeigher();
    const first = weighPlan(weigh, "one", { tools });
    expect(first).toBeGreaterThan(600);
    expect(weighPlan(weigh, "two", { tools }, "b")).toBeLessThan(first / 4);
  });

  it("is never that of its letters alone: a plan runs the same networks for each", () => {
    const weigh = createWeigher();
    const letter = { name: "plan", request: planRequest("a") } as const;
    expect(weigh(letter, "a")).toBeGreaterThan(5 * estimateTokens(letter));
    const rollout = (actions: number[]) =>
      weigh({ name: "rollout", request: { size: "base", goal: "b", maxSteps: 1, actions } }, "a");
    expect(rollout(Array.from({ length: 50 }, () => 20))).toBeGreaterThan(rollout([20]));
  });

  it("counts what another account has said as new", () => {
    const weigh = createWeigher();
    const turns = [
      { kind: "user" as const, text: "where is the parcel that I have sent to my aunt in Oslo" },
    ];
    const first = weighPlan(weigh, "g", { turns });
    expect(weighPlan(weigh, "g", { turns })).toBeLessThan(first);
    expect(weighPlan(weigh, "g", { turns }, "b")).toBe(first);
  });

  it("forgets the text that was unused longest", () => {
    const weigh = createWeigher();
    weighPlan(weigh, "the first of them");
    const known = weighPlan(weigh, "the first of them");
    for (let at = 0; at < 5_000; at++) weighPlan(weigh, `goal ${at}`);
    expect(weighPlan(weigh, "the first of them")).toBeGreaterThan(known);
  });

  it("lets a flood of letters not pass by who works with known tools", () => {
    const weigh = createWeigher();
    const queue = createFairQueue<string>();
    const push = (share: string, request: PlanRequest) => {
      const task = { name: "plan", request } as const;
      queue.push(share, share, estimateTokens(task), weigh(task, share));
    };
    push("agent", planRequest("the first turn", { tools }));
    queue.take(() => 1);
    for (let at = 0; at < 200; at++) push("flood", planRequest(`a${at}`));
    for (let at = 0; at < 4; at++) push("agent", planRequest(`turn ${at}`, { tools }));
    const order = Array.from({ length: 204 }, () => queue.take(() => 1)[0]!.item);
    expect(order.lastIndexOf("agent")).toBeLessThan(30);
  });
});
