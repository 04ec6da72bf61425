import { describe, expect, it } from "vitest";
import type { ChatRequest } from "../../../../../shared/chat.ts";
import { say } from "../../../support/conversation.ts";
import { write } from "./written-request.ts";

describe("a cache mark on the request as a whole", () => {
  const cache_control = { type: "ephemeral" };
  const asked: Partial<ChatRequest> = {
    callerDialect: "anthropic",
    extra: { cache_control },
    messages: [say("user", "A long text.", "plan")],
  };

  it("goes onto the caller's last words where ours stand behind them, which no later request has", () => {
    const { body: sent } = write({ ...asked, added: { texts: ["plan"], place: "into" } });
    expect(sent).not.toHaveProperty("cache_control");
    expect(sent.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "A long text.", cache_control },
          { type: "text", text: "plan" },
        ],
      },
    ]);
  });

  it("stays on the request if the gateway added nothing", () => {
    expect(write(asked).body).toMatchObject({ cache_control });
  });
});
