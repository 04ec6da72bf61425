import { describe, expect, test } from "vitest";
import { anthropicDialect } from "../../../../edge/dialects/provider/anthropic/dialect.ts";
import { geminiDialect } from "../../../../edge/dialects/provider/gemini/dialect.ts";
import { alphaDialect } from "../../../../edge/dialects/provider/openai/dialect.ts";
import type { ChatMessage, ChatRequest, ContentPart } from "../../../../shared/chat.ts";
import { chatRequest } from "../replay.ts";

const sound: ContentPart = {
  type: "file",
  source: { kind: "base64", mediaType: "audio/wav", data: "UklGRg==" },
};
const document: ContentPart = { type: "file", source: { kind: "url", url: "https://x.example/a.pdf" } };
const stored: ContentPart = { type: "file", source: { kind: "id", id: "file-1" } };
const foreign: ContentPart = { type: "opaque", dialect: "anthropic", data: { type: "container_upload" } };
const says = (text: string): ContentPart => ({ type: "text", text });
const user = (...parts: ContentPart[]): ChatMessage => ({ role: "user", parts });
const earlier: ChatMessage[] = [user(says("A story.")), { role: "assistant", parts: [says("Once")] }];

const dialects = {
  alpha: [alphaDialect, "gpt-4o"],
  beta: [anthropicDialect, "claude-sonnet-4-5"],
  gamma: [geminiDialect, "gemini-2.5-pro"],
} as const;
type Name = keyof typeof dialects;

const write = (name: Name, fields: Partial<ChatRequest>) => {
  const [dialect, model] = dialects[name];
  return dialect.writeRequest(chatRequest(fields), { model });
};

describe("a newest message of which nothing is taken", () => {
  test.each<[Name, ContentPart[], string]>([
    ["beta", [sound], " (input_audio)"],
    ["beta", [says(" "), sound], " (input_audio)"],
    ["alpha", [document], " (file)"],
    ["gamma", [stored], " (file)"],
    ["gamma", [foreign], " (messages.content)"],
  ])("is refused at %s", (name, parts, named) => {
    const refusal = `takes nothing of the newest message${named}:`;
    expect(() => write(name, { messages: [user(...parts)] })).toThrow(refusal);
    expect(() => write(name, { messages: [...earlier, user(...parts)] })).toThrow(refusal);
  });

  test("is refused although the gateway has added its plan", () => {
    const added = { texts: ["[svc plan] search"], place: "into" as const };
    const messages = [...earlier, user(sound, says("[svc plan] search"))];
    expect(() => write("beta", { messages, added })).toThrow("(input_audio)");
  });
});

test.each<[string, ChatMessage[]]>([
  ["a message with words", [user(sound, says("What is that?"))]],
  ["a message with another part", [user(sound, document)]],
  ["an earlier message", [user(sound), ...earlier.slice(1), user(says("Go on."))]],
  ["a message with no content", [...earlier, user(says(""))]],
])("%s is sent, and what is left out is named", (_name, messages) => {
  const { body, unsupported } = write("beta", { messages });
  expect(body.messages).not.toEqual([]);
  expect(unsupported).toEqual(messages.some(({ parts }) => parts.includes(sound)) ? ["input_audio"] : []);
});
