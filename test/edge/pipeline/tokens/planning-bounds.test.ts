import { describe, expect, test } from "vitest";
import { boundPlanningTokens } from "../../../../edge/pipeline/tokens/planning-bounds.ts";
import { buildPlanRequest } from "../../../../edge/planning/plan-request.ts";
import { chatRequest } from "../../dialects/replay.ts";
import { say } from "../../support/conversation.ts";

describe("the bound of a plan's tokens", () => {
  test("counts the turns too", () => {
    const bound = (text: string) => {
      const messages = [say("user", "x"), say("assistant", text)];
      return boundPlanningTokens(buildPlanRequest(chatRequest({ messages, tools: [{ name: "t" }] }), "base"));
    };
    expect(bound("y".repeat(500)) - bound("")).toBeGreaterThanOrEqual(500);
  });

  test("counts every text's bytes, so no tokenizer can pass it", () => {
    const plan = buildPlanRequest(chatRequest({ messages: [say("user", "héllo 世界")] }), "base");
    expect(boundPlanningTokens(plan)).toBeGreaterThanOrEqual(new TextEncoder().encode("héllo 世界").length);
  });
});
