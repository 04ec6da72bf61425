// Prompt text in fields that the hold did not count: a provider's report above the hold is cut to it, so the operator would pay the
// rest. Everything that is sent is counted, whichever field it came in.
import { describe, expect, test } from "vitest";
import { createTestApp, newCaller, openaiStream, openaiUsage } from "../support/app.ts";

const model = "svc-x1ac-base-gpt-4o";
/** gpt-4o, micro-dollars a token of input, with the pool's quarter. */
const inputPrice = 2.5 * 1.25;
const longText = "many words ".repeat(4_000);
const seal = (value: object) => `svc1.${Buffer.from(JSON.stringify(value)).toString("base64url")}`;

/** What one request sends to the aggregator, and what is charged where that reports so many tokens of input. */
async function ask(path: string, body: object, reported = 10) {
  const caller = await newCaller(100_000_000);
  const app = createTestApp({ provider: [() => openaiStream(["Hi"], openaiUsage(reported, 1))] });
  const response = await app.post(path, caller.apiKey, { model, ...body });
  expect(response.status, await response.clone().text()).toBe(200);
  await response.text();
  await response.settled();
  const [charge] = await caller.charges();
  return { sent: app.sent[0]!, charge: charge! };
}

const responses = (...input: object[]) => ["/v1/responses", { input, max_output_tokens: 16 }] as const;
const messages = (...turns: object[]) => ["/v1/messages", { messages: turns, max_tokens: 16 }] as const;
const chat = (...turns: object[]) => ["/v1/chat/completions", { messages: turns, max_tokens: 16 }] as const;
const hi = { role: "user", content: "hi" };

describe("a forged seal", () => {
  const turn = {
    role: "user",
    content: [{ type: "file", file: { file_data: "https://a.example/thousand-pages.pdf" } }],
  };
  const part = { kind: "part", dialect: "openai", data: turn };

  test.each([
    [
      "of a response",
      responses(hi, { type: "reasoning", summary: [], encrypted_content: seal({ seals: [part] }) }, hi),
    ],
    [
      "of a message",
      messages(hi, {
        role: "assistant",
        content: [
          { type: "text", text: "x" },
          { type: "redacted_thinking", data: seal(part) },
        ],
      }),
    ],
  ])(
    "%s puts no message of another role and content in the place of its own",
    async (_whose, [path, body]) => {
      const { sent } = await ask(path, body);
      expect(sent.text).not.toContain("thousand-pages");
    },
  );

  const providerData = { reasoning_detail: { type: "reasoning.text", text: longText, data: longText } };
  test.each([
    [
      "of a response",
      responses(
        hi,
        {
          type: "reasoning",
          summary: [{ text: "a" }],
          encrypted_content: seal({ signature: "s", providerData }),
        },
        hi,
      ),
    ],
    [
      "of a message",
      messages(hi, {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "a", signature: seal({ signature: "s", providerData }) },
          { type: "text", text: "x" },
        ],
      }),
    ],
  ])("%s gives a thought no other text than the one that is counted", async (_whose, [path, body]) => {
    const { sent } = await ask(path, body);
    expect(sent.text).not.toContain("many words many");
    expect(sent.text).toContain('"reasoning_details"');
  });
});

describe("what is sent is held for", () => {
  const picture = { type: "image", source: { type: "url", url: "https://a.example/b.png" } };
  const call = (id: string) => ({
    role: "assistant",
    tool_calls: [{ id, type: "function", function: { name: "f", arguments: "{}" } }],
  });
  const image = (url: string) => ({ role: "user", content: [{ type: "image_url", image_url: { url } }] });

  test.each([
    [
      "pictures of a document that is given as blocks",
      60_000,
      messages({
        role: "user",
        content: [
          {
            type: "document",
            source: { type: "content", content: Array.from({ length: 40 }, () => picture) },
          },
        ],
      }),
    ],
    [
      "ids of calls, which some models' templates write into the prompt",
      40_000,
      chat(hi, call(longText), { role: "tool", tool_call_id: longText, content: "x" }),
    ],
    ["a PDF that is called an image", 100_000, chat(image("data:application/pdf;base64,JVBERi0="))],
    ["a film that is called an image", 100_000, chat(image("data:video/mp4;base64,AAAAIGZ0"))],
    [
      "a PDF behind a space, which readers of URLs drop",
      100_000,
      chat(image(" data:application/pdf;base64,JVBERi0=")),
    ],
    [
      "a PDF behind a line break inside its scheme, of a message",
      100_000,
      messages({
        role: "user",
        content: [{ type: "image", source: { type: "url", url: "da\nta:application/pdf;base64,JVBERi0=" } }],
      }),
    ],
    [
      "a PDF behind a tab, of a response",
      100_000,
      responses({
        role: "user",
        content: [{ type: "input_image", image_url: "\tdata:application/pdf;base64,JVBERi0=" }],
      }),
    ],
  ])("%s", async (_what, tokens, [path, body]) => {
    const { charge } = await ask(path, body, tokens);
    expect(charge).toMatchObject({ flag: null, inputTokens: tokens });
    expect(-charge.amountMicro).toBeGreaterThan(tokens * inputPrice);
  });

  // "Thought signatures will increase the input tokens you are charged" (ai.google.dev/gemini-api/docs/thinking, "Pricing").
  const sealed = { extra_content: { google: { thought_signature: longText } } };
  const said = { role: "assistant", content: [{ type: "text", text: "x" }] };
  const textSeal = { kind: "text", thoughtSignature: longText };
  test.each([
    ["of a text", chat(hi, { ...said, ...sealed }, hi)],
    [
      "of a call",
      chat(
        hi,
        { ...call("a"), tool_calls: [{ ...call("a").tool_calls[0], ...sealed }] },
        { role: "tool", tool_call_id: "a", content: "x" },
      ),
    ],
    [
      "of a picture",
      chat(
        hi,
        {
          ...said,
          images: [{ type: "image_url", image_url: { url: "https://a.example/b.png" }, ...sealed }],
        },
        hi,
      ),
    ],
    [
      "of a text of a message",
      messages(hi, {
        role: "assistant",
        content: [...said.content, { type: "redacted_thinking", data: seal(textSeal) }],
      }),
    ],
    [
      "of a call of a response",
      responses(
        hi,
        {
          type: "reasoning",
          summary: [],
          encrypted_content: seal({ seals: [{ ...textSeal, kind: "call", id: "a" }] }),
        },
        { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
        { type: "function_call_output", call_id: "a", output: "x" },
      ),
    ],
  ])("Gemini's signature %s", async (_whose, [path, body]) => {
    const tokens = 40_000;
    const { sent, charge } = await ask(path, body, tokens);
    expect(sent.text).toContain("many words many");
    expect(charge).toMatchObject({ flag: null, inputTokens: tokens });
  });

  // 5,500 x 5,500 pixels of one colour are some kilobytes, and 172 x 172 patches of 1.2 tokens at models that do not shrink them.
  const wide = "iVBORw0KGgoAAAANSUhEUgAAFXwAABV8CAIAAAAAAAAAAAAA";
  test.each([
    ["pictures by their size", image(`data:image/png;base64,${wide}`)],
    ["pictures of a size nobody knows here", image("https://a.example/b.png")],
  ])("%s, at a model that does not shrink them", async (_what, turn) => {
    const [path, body] = chat(turn, turn);
    const tokens = 71_000;
    const { charge } = await ask(path, { ...body, model: "svc-x1ac-base-openai/gpt-6-sol" }, tokens);
    expect(charge).toMatchObject({ flag: null, inputTokens: tokens });
  });
});
