import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../gpu-worker/token-estimates.ts";
import type { PlanRequest } from "../../shared/planning.ts";
import { planRequest } from "./support/worker.ts";

const estimatePlanTokens = (request: PlanRequest) => estimateTokens({ name: "plan", request });
const tool = { name: "lookup", description: "finds a person" };

describe("the estimate of a request's tokens", () => {
  const short = estimatePlanTokens(planRequest("find a book"));

  it("grows with every text it is given", () => {
    expect(estimatePlanTokens(planRequest("find a book about boats"))).toBeGreaterThan(short);
    expect(estimatePlanTokens(planRequest("find a book", { tools: [tool] }))).toBeGreaterThan(short);
    const turns = [{ kind: "result" as const, text: "nobody by that name" }];
    expect(estimatePlanTokens(planRequest("find a book", { turns }))).toBeGreaterThan(short);
    const history = [{ action: "lookup", observation: "nobody by that name" }];
    expect(estimatePlanTokens(planRequest("find a book", { history }))).toBeGreaterThan(short);
  });

  it("counts no more of one text than the encoder reads", () => {
    const long = (characters: number) =>
      estimatePlanTokens(planRequest("g", { state: "x".repeat(characters) }));
    expect(long(1_000_000)).toBe(long(1_000));
  });
});
