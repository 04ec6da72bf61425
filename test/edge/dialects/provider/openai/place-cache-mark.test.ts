import { describe, expect, test } from "vitest";
import type { ChatMessage, ChatRequest, ContentPart } from "../../../../../shared/chat.ts";
import { messages as sent, toAlpha, toRouter } from "./written-request.ts";

const cache_control = { type: "ephemeral", ttl: "1h" };
const claude = "anthropic/claude-sonnet-4.5";
const says = (text: string): ContentPart => ({ type: "text", text });
const user = (...parts: ContentPart[]): ChatMessage => ({ role: "user", parts });
const call: ChatMessage = {
  role: "assistant",
  parts: [{ type: "tool-call", id: "c", name: "f", arguments: "{}" }],
};
const result: ChatMessage = {
  role: "tool",
  parts: [{ type: "tool-result", toolCallId: "c", content: [{ type: "text", text: "done" }] }],
};
const marked = (text: string) => ({ type: "text", text, cache_control });

describe.each(["openai", "anthropic"] as const)("Anthropic's automatic cache, asked for in %s", (caller) => {
  const ask = (messages: ChatMessage[], more: Partial<ChatRequest> = {}) =>
    toRouter({ messages, callerDialect: caller, extra: { cache_control }, ...more }, claude);

  test("is a mark on the newest part", () => {
    const { body, unsupported } = ask([
      user(says("a")),
      { role: "assistant", parts: [says("b")] },
      user(says("c")),
    ]);
    expect(body.messages).toEqual([
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
      { role: "user", content: [marked("c")] },
    ]);
    expect(body).not.toHaveProperty("cache_control");
    expect(unsupported).toEqual([]);
  });

  test("is on the caller's own part if the gateway's text follows", () => {
    const into = ask([user(says("a"), says("[svc plan]"))], {
      added: { texts: ["[svc plan]"], place: "into" },
    });
    expect(sent(into)).toEqual([
      { role: "user", content: [marked("a"), { type: "text", text: "[svc plan]" }] },
    ]);
    const after = ask([user(says("a")), call, result, user(says("[svc plan]"))], {
      added: { texts: ["[svc plan]"], place: "new-turn" },
    });
    expect(sent(after).slice(2)).toEqual([
      { role: "tool", tool_call_id: "c", content: [marked("done")] },
      { role: "user", content: "[svc plan]" },
    ]);
  });
});

test("elsewhere it is what other fields are", () => {
  const fields: Partial<ChatRequest> = { messages: [user(says("a"))], extra: { cache_control } };
  expect(toRouter(fields).body).toMatchObject({ cache_control, messages: [{ content: "a" }] });
  expect(toAlpha(fields).unsupported).toEqual(["cache_control"]);
  expect(toAlpha(fields).body.messages).toEqual([{ role: "user", content: "a" }]);
});
