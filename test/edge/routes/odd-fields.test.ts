// Fields whose type is not checked: JSON may hold an own `toString`, and converting such an object to text throws.
import { expect, test } from "vitest";
import { createTestApp, newCaller, openaiStream, openaiUsage, type Sent } from "../support/app.ts";

const odd = { toString: null };
const go = { role: "user", content: "go" };
const gpt = { model: "svc-x1ac-base-gpt-4o" };
const claude = { model: "svc-x1ac-base-claude-sonnet-4-5", max_tokens: 5 };
const said = { role: "assistant", content: "hello" };

const answer = ({ url }: Sent): Response =>
  url.includes("anthropic")
    ? Response.json({
        ...{ id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "end_turn" },
        content: [{ type: "text", text: "ok" }],
        usage: { input_tokens: 1, output_tokens: 1 },
      })
    : openaiStream(["ok"], openaiUsage(1, 1));

/** An item id that carries `value`, as a client of the Responses API could make one up. */
async function carry(value: unknown): Promise<string> {
  const packed = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  return `rs_svc1.${btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")}`;
}

test.each<[string, string, number, () => unknown]>([
  [
    "the id of a call that only Anthropic knows",
    "/v1/messages",
    200,
    () => ({ ...claude, messages: [{ role: "assistant", content: [{ type: "x_tool_use", id: odd }] }, go] }),
  ],
  [
    "the text of a turn as Anthropic wrote it",
    "/v1/chat/completions",
    200,
    () => ({
      ...claude,
      messages: [
        go,
        { ...said, extra_content: { anthropic: { content: [{ type: "text", text: odd }] } } },
        go,
      ],
    }),
  ],
  [
    "the id of a call in a turn as Anthropic wrote it",
    "/v1/chat/completions",
    200,
    () => ({
      ...claude,
      messages: [
        go,
        { ...said, extra_content: { anthropic: { content: [{ type: "tool_use", id: odd }] } } },
        go,
      ],
    }),
  ],
  [
    "the id of an item that is referred to",
    "/v1/responses",
    400,
    () => ({ ...gpt, input: [{ type: "item_reference", id: odd }] }),
  ],
  [
    "the id of an item that is carried",
    "/v1/responses",
    200,
    async () => {
      const items = [{ id: odd }, { ...said, id: "msg_1", type: "message" }];
      const carrier = { type: "reasoning", id: await carry({ items }) };
      return { ...gpt, input: [carrier, { type: "item_reference", id: "msg_1" }, go] };
    },
  ],
  [
    "the type of a tool that is allowed",
    "/v1/responses",
    200,
    () => {
      const tools = [{ type: "function", name: "f" }];
      const allowed = [{ type: odd, name: "f" }];
      return { ...gpt, input: [go], tools, tool_choice: { type: "allowed_tools", tools: allowed } };
    },
  ],
  [
    "the type of a sealed part",
    "/v1/responses",
    200,
    () => {
      const seals = [{ kind: "part", dialect: "anthropic", data: { type: odd } }];
      const sealed = `svc1.${btoa(JSON.stringify({ seals })).replaceAll("=", "")}`;
      const thought = { type: "reasoning", summary: [], encrypted_content: sealed };
      return { ...gpt, model: claude.model, input: [go, thought, go] };
    },
  ],
])("%s may be of any type", async (_field, path, status, makeBody) => {
  const { apiKey } = await newCaller(1_000_000);
  const app = createTestApp({ provider: [answer] });
  const headers = {
    authorization: `Bearer ${apiKey}`,
    "content-type": "application/json",
    "x-beta-key": "sk-ant-1",
  };
  const response = await app.send(path, { method: "POST", headers, body: JSON.stringify(await makeBody()) });
  expect(response.status, await response.text()).toBe(status);
  expect(JSON.stringify(app.logs)).not.toContain("internal_error");
});
