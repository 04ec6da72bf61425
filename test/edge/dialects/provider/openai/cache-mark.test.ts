import { describe, expect, test } from "vitest";
import type { ChatMessage, ChatRequest, ContentPart } from "../../../../../shared/chat.ts";
import { messages as sent, toAlpha, toRouter } from "./written-request.ts";

const cache_control = { type: "ephemeral", ttl: "1h" };
const claude = "anthropic/claude-sonnet-4.5";
const says = (text: string) => ({ type: "text", text }) as const;
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

  test("is on the newest part of which something is sent", () => {
    const empty: ChatMessage = {
      role: "tool",
      parts: [{ type: "tool-result", toolCallId: "d", content: [says("")] }],
    };
    const calls: ChatMessage = {
      role: "assistant",
      parts: [...call.parts, { type: "tool-call", id: "d", name: "f", arguments: "{}" }],
    };
    expect(sent(ask([user(says("a")), calls, result, empty])).slice(2)).toEqual([
      { role: "tool", tool_call_id: "c", content: [marked("done")] },
      { role: "tool", tool_call_id: "d", content: "" },
    ]);
    expect(sent(ask([user(says("a"), says(""))]))).toEqual([{ role: "user", content: [marked("a")] }]);
  });
});

test("the mark of a tool's result is sent to Claude alone: other models get the result as a string", () => {
  const part = { ...result.parts[0], providerData: { cache_control } } as ContentPart;
  const fields = { messages: [user(says("a")), call, { ...result, parts: [part] }] };
  const written = toRouter({ ...fields, callerDialect: "anthropic" }, "deepseek/deepseek-chat");
  expect(sent(written)[2]).toEqual({ role: "tool", tool_call_id: "c", content: "done" });
  expect(written.unsupported).toEqual(["cache_control"]);
  expect(sent(toRouter(fields, claude))[2]).toMatchObject({ content: [marked("done")] });
});

test("other models at the aggregator get it beside the messages, and OpenAI gets none", () => {
  const fields: Partial<ChatRequest> = { messages: [user(says("a"))], extra: { cache_control } };
  expect(toRouter(fields).body).toMatchObject({ cache_control, messages: [{ content: "a" }] });
  expect(toAlpha(fields).unsupported).toEqual(["cache_control"]);
  expect(toAlpha(fields).body.messages).toEqual([{ role: "user", content: "a" }]);
});
