// The turns of a conversation as the world model reads them.
import { describe, expect, test } from "vitest";
import { readHistory, readTurns } from "../../../edge/planning/plan-request.ts";
import type { ChatMessage, ContentPart, ToolResultPart } from "../../../shared/chat.ts";
import { say, toolTurns } from "../support/conversation.ts";

describe("the turns of a conversation", () => {
  const call = (id: string, name: string): ContentPart => ({ type: "tool-call", id, name, arguments: "{}" });
  const result = (toolCallId: string, text: string): ContentPart => ({
    type: "tool-result",
    toolCallId,
    content: [{ type: "text", text }],
  });
  const told = (messages: ChatMessage[]) => readTurns(messages).map(({ kind, text }) => `${kind}: ${text}`);
  const resultOf = (more: Partial<ToolResultPart>) =>
    told([
      say("assistant", { type: "tool-call", id: "c", name: "edit", arguments: "{}" }),
      say("tool", { type: "tool-result", toolCallId: "c", content: [], ...more }),
    ])[1];
  const text = (words: string) => ({ content: [{ type: "text" as const, text: words }] });
  const image: ContentPart = { type: "image", source: { kind: "url", url: "https://example.com/a.png" } };

  test("say in words that a result is an error, once", () => {
    expect(resultOf({ ...text("Read it first"), isError: true })).toBe("result: Error: Read it first");
    expect(resultOf({ ...text("Error: no such file"), isError: true })).toBe("result: Error: no such file");
    expect(resultOf({ ...text("fine"), isError: false })).toBe("result: fine");
  });

  test("say what a result without text holds: a picture is not nothing", () => {
    expect(resultOf({ content: [image] })).toBe("result: [image]");
    expect(resultOf({ content: [...text("a page").content, image] })).toBe("result: a page");
    const found: ToolResultPart["content"] = [
      { type: "opaque", dialect: "anthropic", data: {}, fallback: [{ type: "text", text: "Opening hours" }] },
    ];
    expect(resultOf({ content: found })).toBe("result: Opening hours");
    expect(resultOf({ content: [] })).toBe("result: ");
  });

  test("leave out the line by which Claude Code says that its user broke in", () => {
    const line = "[Request interrupted by user for tool use]";
    expect(told([say("user", line), say("user", `${line}\nkeep the old one`)])).toEqual([
      "user: keep the old one",
    ]);
  });

  test("are what was said and called, oldest first, without the instructions", () => {
    expect(
      told([...toolTurns, say("developer", "Be brief."), say("assistant", "There is one at 9:12.")]),
    ).toEqual([
      "user: Get me to Berlin tomorrow",
      "call: find_trains",
      "result: ICE 578 at 9:12",
      "call: get_weather",
      "assistant: There is one at 9:12.",
    ]);
  });

  test("give each call of an id that repeats its own result, as histories with call_0 in each turn have it", () => {
    const messages = [
      say("user", "book the cheapest"),
      say("assistant", call("call_0", "search_flights")),
      say("tool", result("call_0", "F1")),
      say("assistant", call("call_0", "book_flight"), call("call_0", "book_seat")),
      say("tool", result("call_0", "Error: card declined")),
    ];
    expect(told(messages).slice(1)).toEqual([
      "call: search_flights",
      "result: F1",
      "call: book_flight",
      "result: Error: card declined",
      "call: book_seat",
    ]);
    expect(readHistory(messages)).toEqual([
      { action: "search_flights", observation: "F1" },
      { action: "book_flight", observation: "Error: card declined" },
      { action: "book_seat", observation: "" },
    ]);
  });

  test("give a result whose call was cut away to none", () => {
    const messages = [
      say("tool", result("call_0", "of a call before")),
      say("assistant", call("call_0", "read")),
      say("tool", result("call_0", "its own")),
    ];
    expect(told(messages)).toEqual(["call: read", "result: its own"]);
  });

  test("have each call before its own result, whatever order the results came in", () => {
    const messages = [
      say("user", "both"),
      say("assistant", { type: "text", text: "Right away." }, call("a", "first"), call("b", "second")),
      say("tool", result("b", "two")),
      say("tool", result("a", "one")),
    ];
    expect(told(messages)).toEqual([
      "user: both",
      "assistant: Right away.",
      "call: first",
      "result: one",
      "call: second",
      "result: two",
    ]);
  });

  test("hold results that stand in a user's message, as Anthropic's do, and no turn for a message without words", () => {
    const messages = [
      say("user", "go"),
      say("assistant", call("a", "first")),
      say("user", result("a", "")),
      say("user", { type: "image", source: { kind: "url", url: "https://x.example/a.png" } }),
    ];
    expect(told(messages)).toEqual(["user: go", "call: first", "result: "]);
  });

  test("tell what a call was made with, its beginning where that is long", () => {
    const argumentsOf = (text: string) =>
      readTurns([say("assistant", { type: "tool-call", id: "a", name: "t", arguments: text })])[0]!.args;
    expect(argumentsOf('{"order_id":"O-1"}')).toBe('{"order_id":"O-1"}');
    expect(argumentsOf(`{"a":"${"b".repeat(3_000)}"}`)).toHaveLength(400);
    expect(argumentsOf("")).toBeUndefined();
  });

  test("keep both ends of a long message and of a long result", () => {
    const [user, , back] = readTurns([
      say("user", `first${"a".repeat(3_000)}end`),
      say("assistant", call("a", "t")),
      say("tool", result("a", `begin${"b".repeat(3_000)}`)),
    ]);
    expect(user!.text.length).toBeLessThanOrEqual(2_000);
    expect(user!.text).toMatch(/^firsta+\n…\na+end$/);
    expect(back!.text).toHaveLength(1_243);
    expect(back!.text.startsWith("begin")).toBe(true);
  });
});
