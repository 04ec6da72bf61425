import { expect, test } from "vitest";
import { fitRequest } from "../../../../edge/dialects/provider/fit-request.ts";
import { alphaDialect } from "../../../../edge/dialects/provider/openai/dialect.ts";
import type { ChatMessage, ChatRequest, ContentPart, ToolDefinition } from "../../../../shared/chat.ts";
import { leastMs } from "../../../support/least-ms.ts";
import { chatRequest } from "../replay.ts";

const fitted = (fields: Partial<ChatRequest>, model: string): ChatRequest =>
  fitRequest(chatRequest({ messages: [], ...fields }), model, alphaDialect).request;
const fit = (messages: ChatMessage[], model: string): ChatMessage[] => fitted({ messages }, model).messages;
const fitTools = (tools: ToolDefinition[]): ToolDefinition[] => fitted({ tools }, "gpt-4o").tools;

const text = (role: ChatMessage["role"], words: string): ChatMessage => ({
  role,
  parts: [{ type: "text", text: words }],
});
const call = (id: string): ChatMessage => ({
  role: "assistant",
  parts: [{ type: "tool-call", id, name: "look", arguments: "{}" }],
});
const result = (toolCallId: string): ChatMessage => ({
  role: "tool",
  parts: [{ type: "tool-result", toolCallId, content: [{ type: "text", text: "seen" }] }],
});

/** Turns with repeated ids, ids that have the form of our own, and instructions among them. */
const turns: readonly ChatMessage[][] = [
  [text("system", "Be brief."), text("developer", "In German.")],
  [text("user", "Look."), call("a"), call("a"), result("a"), result("a")],
  [text("system", "Hurry."), text("system", "Now.")],
  [text("user", "Again."), call("a_3"), result("a_3"), call("b"), result("b")],
  [text("user", "And again."), text("system", "Stop soon."), call("a_4"), result("a_4")],
];

test.each(["gpt-5", "qwen/qwen3-32b", "google/gemini-3.6-pro"])(
  "the messages of earlier turns stay the same as a conversation grows: %s",
  (model) => {
    const grown = turns.map((_, count) => fit(turns.slice(0, count + 1).flat(), model));
    for (const [at, shorter] of grown.slice(0, -1).entries()) {
      // The last turn may still be added to, and a begun answer is followed by our own turn.
      const kept = shorter.slice(0, -1);
      expect(grown[at + 1]!.slice(0, kept.length)).toEqual(kept);
    }
  },
);

test("a call before any turn of the user's has one in front, also where the model's turn is several messages", () => {
  const begun = [text("assistant", "Let me look."), call("a"), result("a")];
  const [first, ...others] = fit(begun, "gemini-2.5-flash");
  expect(first).toMatchObject({ role: "user" });
  expect(others).toEqual(begun);
  for (const whole of [
    [text("user", "Look."), ...begun],
    [text("assistant", "Hello"), text("user", "Hi")],
  ])
    expect(fit(whole, "gemini-2.5-flash")).toEqual(whole);
});

test("an instruction in the middle makes no two turns of the user in a row, which Gemma's template refuses", () => {
  const conversation = [
    text("user", "Hi"),
    text("assistant", "Hello"),
    text("system", "It is late."),
    text("user", "Go on."),
    text("system", "Hurry."),
    text("user", "Now."),
  ];
  const [first, second, third, ...others] = fit(conversation, "google/gemma-3-27b-it");
  expect([first, second]).toEqual(conversation.slice(0, 2));
  expect(third).toEqual({
    role: "user",
    parts: ["It is late.", "Go on.", "Hurry.", "Now."].map((words) => ({ type: "text", text: words })),
  });
  expect(others).toEqual([]);
  expect(conversation[2]?.parts).toHaveLength(1);
});

test("thousands of calls of one id, and of instructions, take no more than a moment", async () => {
  const count = 16_000;
  const calls = Array.from({ length: count }, () => [call("a"), result("a")]).flat();
  expect(await leastMs(1_000, () => fit(calls, "gpt-5"))).toBeLessThan(1_000);
  const parts: ContentPart[] = Array.from({ length: count }, () => ({ type: "text", text: "x" }));
  const instructions = [{ role: "system" as const, parts }, ...parts.map(() => text("system", "x"))];
  expect(await leastMs(1_000, () => fit(instructions, "qwen/qwen3-32b"))).toBeLessThan(1_000);
});

test("of tools that say the same the first stays; one of the same name that says something else does, too", () => {
  const tools = ["a", "b", "a"].map((description) => ({ name: "look", description }));
  expect(fitTools(tools)).toEqual(tools.slice(0, 2));
});

test("a tool is written as JSON once, however many share its name", () => {
  let written = 0;
  const parameters = { toJSON: () => `schema ${++written}` };
  const others = Array.from({ length: 99 }, (_, index) => ({ name: "look", description: `${index}` }));
  fitTools([{ name: "look", parameters }, ...others]);
  expect(written).toBe(1);
});

test("a result's name stays that of its tool, also where the provider refuses the caller's name", () => {
  const name = "files/read";
  const { messages, tools } = fitted(
    {
      tools: [{ name }],
      messages: [text("user", "Look."), { ...result("a"), name }, { ...text("user", "Now."), name: "Ann B" }],
    },
    "gpt-4o",
  );
  const [tool] = tools;
  expect(tool?.name).toMatch(/^files_read_\w{8}$/);
  expect(messages.map((message) => message.name)).toEqual([undefined, tool?.name, "Ann B"]);
});
