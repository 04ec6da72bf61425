/** One request to POST /v1/responses, by the provider that answers it. */
import { createTestApp, newCaller, openaiUsage, type Sent } from "./app.ts";

export type Json = Record<string, unknown>;

export const json = (body: unknown) => () => Response.json(body);
export const completion = (message: Json, finish = "stop") => ({
  id: "c",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }],
  usage: openaiUsage(12, 3),
});
export const anthropicMessage = (content: Json[], stop_reason = "end_turn") => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  content,
  stop_reason,
  usage: { input_tokens: 5, output_tokens: 7 },
});

export const alpha = { model: "svc-x1ac-base-gpt-4o", headers: { "x-alpha-key": "own" } };
export const beta = { model: "svc-x1ac-base-claude-sonnet-4-5", headers: { "x-beta-key": "own" } };
export const gamma = { model: "svc-x1ac-base-gemini-2.5-flash", headers: { "x-gamma-key": "own" } };
export const router = { model: "svc-x1ac-base-gpt-4o", headers: { "x-router-key": "own" } };
type Target = typeof alpha | typeof beta | typeof gamma | typeof router;

export async function ask(
  target: Target,
  body: Json,
  provider: ((sent: Sent) => Response)[] = [json(completion({ content: "Hello" }))],
  more: Record<string, string> = {},
) {
  const caller = await newCaller(1_000_000);
  const app = createTestApp({ provider });
  const response = await app.post(
    "/v1/responses",
    caller.apiKey,
    { model: target.model, svc: { plan: "off" }, ...body },
    { ...target.headers, ...more },
  );
  const text = await response.text();
  await response.settled();
  return {
    status: response.status,
    text,
    body: (body.stream ? {} : JSON.parse(text)) as Json & { output: Json[] },
    sent: app.sent,
    headers: response.headers,
    caller,
  };
}

export const readTool = {
  type: "function",
  name: "read",
  description: "Reads",
  parameters: { type: "object", properties: { path: { type: "string" } } },
  strict: false,
};
