/** A request with a list of models, by how each one's provider answers. */
import {
  createTestApp,
  eventStream,
  newCaller,
  openaiStream,
  openaiUsage,
  type Sent,
  type TestAppOptions,
} from "./app.ts";

export const named = (llm: string) => `svc-x1ac-base-${llm}`;
export const first = named("gpt-4o");
export const second = named("claude-sonnet-4-5");
export const third = named("gemini-2.5-flash");
export const messages = [{ role: "user", content: "find me a flight to Oslo" }];
export const hello = { model: first, models: [second, third], messages, max_tokens: 50 };

export type Answer = (sent: Sent) => Response | Promise<Response>;
export const fine: Answer = () => openaiStream(["Hello"], openaiUsage(12, 2));
export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  () =>
    new Response(JSON.stringify({ error: { message: `no: ${code}` } }), { status: code, headers });
export const frames = (...values: object[]): Response =>
  eventStream(values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join(""));

/** In Anthropic's own words. */
export const fineClaude: Answer = () =>
  Response.json({
    id: "m",
    type: "message",
    role: "assistant",
    model: "claude",
    content: [{ type: "text", text: "Hello" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 9, output_tokens: 3 },
  });
export const errorFrame = { error: { code: 502, message: "the host broke" } };

/** Answers by the model that is asked for, as each provider names it. */
export function start(answers: Record<string, Answer>, options: TestAppOptions = {}) {
  const asked: string[] = [];
  const provider: Answer = (sent) => {
    const model = String(sent.body.model ?? /models\/([^:]+)/.exec(sent.url)?.[1]);
    asked.push(model);
    const key = Object.keys(answers).find((part) => model.includes(part));
    return (key ? answers[key]! : fine)(sent);
  };
  const limits = { firstByteMs: 60, idleMs: 60, totalMs: 2_000 };
  const app = createTestApp({ provider: [provider], limits, ...options });
  /** The models asked, each once however often its provider was tried. */
  const tried = () => asked.filter((model, at) => model !== asked[at - 1]);
  return { ...app, tried };
}

export async function ask(
  answers: Record<string, Answer>,
  {
    body = hello,
    path = "/v1/chat/completions",
    headers = {},
    creditMicro = 1_000_000,
    ...options
  }: Ask = {},
) {
  const app = start(answers, options);
  const caller = await newCaller(creditMicro);
  const response = await app.post(path, caller.apiKey, body, headers);
  const text = await response.text();
  await response.settled();
  const [charge] = await caller.charges();
  return { ...app, caller, response, text, charge, json: () => JSON.parse(text) };
}
export type Ask = TestAppOptions & {
  body?: object;
  path?: string;
  headers?: Record<string, string>;
  creditMicro?: number;
};
