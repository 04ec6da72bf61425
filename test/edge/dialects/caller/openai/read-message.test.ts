// Messages as LiteLLM's callers send them back: fields that its class does not know are in `provider_specific_fields`.
import { expect, test } from "vitest";
import { readChatRequest } from "../../../../../edge/dialects/caller/openai/read-request.ts";
import { ChatCompletionRequest } from "../../../../../edge/dialects/caller/openai/schema.ts";
import { anthropicDialect } from "../../../../../edge/dialects/provider/anthropic/dialect.ts";

const call = { id: "toolu_1", type: "function", function: { name: "look", arguments: "{}" } };
const thought = { type: "reasoning.text", text: "Hm", signature: "c2ln", index: 0 };
const turn = { role: "assistant", content: "Let me look.", tool_calls: [call], reasoning_content: "Hm" };

/** The second turn of a tool loop with a thinking Claude. */
const read = (message: object) =>
  readChatRequest(
    ChatCompletionRequest.parse({
      model: "m",
      messages: [
        { role: "user", content: "Hi" },
        message,
        { role: "tool", tool_call_id: "toolu_1", content: "x" },
      ],
      tools: [{ type: "function", function: { name: "look" } }],
      reasoning_effort: "high",
    }),
  ).request;

test("Claude gets its thinking back, and thinks on", () => {
  const moved = { ...turn, function_call: null };
  const fields = { refusal: null, reasoning_content: "Hm", reasoning_details: [thought] };
  const request = read({ ...moved, provider_specific_fields: fields });
  expect(request).toEqual(read({ ...turn, reasoning_details: [thought] }));
  const { body, unsupported } = anthropicDialect.writeRequest(request, { model: "claude-sonnet-4-5" });
  expect(body).toMatchObject({
    thinking: { type: "enabled" },
    messages: [
      {},
      { content: [{ type: "thinking", thinking: "Hm", signature: "c2ln" }, {}, { type: "tool_use" }] },
      {},
    ],
  });
  expect(unsupported).toEqual([]);
});

test.each<[string, object, object]>([
  ["a seal of Gemini's", { extra_content: { google: { thought_signature: "S" } } }, {}],
  ["a picture", { images: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }] }, {}],
  ["a refusal", { refusal: "No" }, {}],
  ["a field that the message has too, which counts", { refusal: "No" }, { refusal: "Never" }],
])("%s returns to its place", (_name, fields, own) => {
  expect(read({ ...turn, provider_specific_fields: fields, ...own })).toEqual(
    read({ ...turn, ...fields, ...own }),
  );
});

test.each<[string, unknown]>([
  ["of another provider", { thought_signatures: ["S"], reasoning_details: [thought] }],
  ["of another form", { reasoning_details: "Hm" }],
  ["no object", "Hm"],
])("fields that are not ours are named: %s", (_name, fields) => {
  const { unsupported } = anthropicDialect.writeRequest(read({ ...turn, provider_specific_fields: fields }), {
    model: "claude-sonnet-4-5",
  });
  expect(unsupported).toContain("messages.provider_specific_fields");
});

test("fields of other roles are not read", () => {
  const said = { role: "user", content: "Hi", provider_specific_fields: { refusal: "No" } };
  const { request } = readChatRequest(ChatCompletionRequest.parse({ model: "m", messages: [said] }));
  expect(request.messages[0]?.parts).toEqual([{ type: "text", text: "Hi" }]);
});
