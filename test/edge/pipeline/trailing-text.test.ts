import { describe, expect, test } from "vitest";
import { takesTrailingText, withTrailingText } from "../../../edge/pipeline/trailing-text.ts";
import type { ChatMessage, ContentPart } from "../../../shared/chat.ts";
import { chatRequest } from "../dialects/replay.ts";

const gpt = "openai/gpt-4o";
const text = (words: string): ContentPart => ({ type: "text", text: words });
const turn = (role: ChatMessage["role"], ...parts: ContentPart[]): ChatMessage => ({ role, parts });
const call: ContentPart = { type: "tool-call", id: "c1", name: "read", arguments: "{}" };
const result: ContentPart = { type: "tool-result", toolCallId: "c1", content: [] };
const sealed: ContentPart = { type: "reasoning", text: "so", signature: "seal" };

const place = (messages: ChatMessage[], model = gpt) =>
  withTrailingText(chatRequest({ messages }), ["block"], model).messages;

const system = turn("system", text("state"));
const goal = turn("user", text("goal"));
const asked = turn("assistant", call);

describe("where the gateway's words go", () => {
  test.each<[string, ChatMessage[], ChatMessage[]]>([
    ["ends the newest user turn", [system, goal], [system, turn("user", text("goal"), text("block"))]],
    [
      "leaves earlier turns as they are",
      [goal, turn("assistant", text("done")), goal],
      [goal, turn("assistant", text("done")), turn("user", text("goal"), text("block"))],
    ],
    [
      "is a turn of its own after a tool's result",
      [goal, asked, turn("tool", result)],
      [goal, asked, turn("tool", result), turn("user", text("block"))],
    ],
    [
      "ends a turn that has results and more",
      [goal, asked, turn("user", result, text("and?"))],
      [goal, asked, turn("user", result, text("and?"), text("block"))],
    ],
    [
      "stands before an answer the caller has begun",
      [goal, turn("assistant", text("{"))],
      [turn("user", text("goal"), text("block")), turn("assistant", text("{"))],
    ],
    [
      "follows instructions that come last",
      [goal, turn("system", text("be brief"))],
      [goal, turn("system", text("be brief")), turn("user", text("block"))],
    ],
  ])("%s", (_how, messages, expected) => {
    expect(place(messages)).toEqual(expected);
  });

  test.each<[string, ChatMessage[], ChatMessage[]]>([
    [
      "before instructions that come last",
      [goal, system],
      [turn("user", text("goal"), text("block")), system],
    ],
    [
      "before instructions after a result",
      [goal, asked, turn("user", result), system],
      [goal, asked, turn("user", result, text("block")), system],
    ],
  ])("with Claude they stand %s, which only its own turn may follow", (_how, messages, expected) => {
    expect(place(messages, "claude-opus-4-8")).toEqual(expected);
  });

  test.each<[string, ChatMessage[], string]>([
    ["nobody has spoken", [system], gpt],
    ["Mistral would refuse a turn after a result", [goal, asked, turn("tool", result)], "mistralai/devstral"],
    [
      "the model goes on with an answer that it has signed",
      [goal, turn("assistant", sealed, text("half"))],
      "claude-opus-5-5",
    ],
    [
      "sealed reasoning before the result would be lost",
      [goal, turn("assistant", sealed, call), turn("user", result)],
      "claude-sonnet-4-5",
    ],
  ])("are left out where %s", (_why, messages, model) => {
    expect(place(messages, model)).toEqual(messages);
    expect(takesTrailingText(chatRequest({ messages: [...messages] }), model)).toBe(false);
  });

  test("nothing to say changes nothing", () => {
    const request = chatRequest({ messages: [goal] });
    expect(withTrailingText(request, [undefined], gpt)).toBe(request);
  });
});
