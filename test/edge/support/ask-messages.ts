/** One request to POST /v1/messages, and what it cost. */
import { expect } from "vitest";
import { createTestApp, newCaller } from "./app.ts";

export const model = "svc-x1ac-base-gpt-4o";
export const hello = {
  model,
  messages: [{ role: "user", content: "find me a flight to Oslo" }],
  max_tokens: 50,
};

export type Options = Parameters<typeof createTestApp>[0];

/** Sends as Anthropic's client does: the key in x-api-key. */
export async function post(
  body: unknown,
  options: Options = {},
  { headers = {}, path = "/v1/messages", creditMicro = 1_000_000 } = {},
) {
  const caller = await newCaller(creditMicro);
  const app = createTestApp(options);
  const response = await app.send(path, {
    method: "POST",
    headers: {
      "x-api-key": caller.apiKey,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { response, caller, ...app };
}

export const claude = (content: unknown[], end: object = {}) => ({
  id: "msg_01abc",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5",
  content,
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 9, output_tokens: 3, cache_read_input_tokens: 5, service_tier: "standard" },
  ...end,
});
export const byClaude = { ...hello, model: "svc-x1ac-base-claude-sonnet-4-5" };
export const betaKey = { "x-beta-key": "sk-ant-own" };

export const readEvents = async (response: Response) =>
  (await response.text())
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => {
      const [name, data] = frame.split("\n");
      const event = JSON.parse(data!.slice("data: ".length)) as Record<string, unknown> & { type: string };
      expect(name).toBe(`event: ${event.type}`);
      return event;
    });
