/** Tools and requests in the forms that Cursor sends to POST /v1/chat/completions. */
import { createTestApp, eventStream, newCaller, openaiUsage, type Sent } from "./app.ts";

export type Json = Record<string, unknown>;

export const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
export const patch = "*** Begin Patch\n*** End Patch";
export const grammar = { type: "grammar", syntax: "lark", definition: "start: WORD" };
export const applyPatch = { type: "custom", name: "ApplyPatch", description: "Edits files", format: grammar };
export const readFile = { type: "function", name: "Read", description: "Reads", parameters };

const chunk = (fields: Json) => `data: ${JSON.stringify({ id: "c", ...fields })}\n\n`;
const callOf = (name: string, written: string) => {
  const call = { index: 0, id: "call_9", type: "function", function: { name, arguments: written } };
  const frames = [
    chunk({ choices: [{ index: 0, delta: { role: "assistant", tool_calls: [call] }, finish_reason: null }] }),
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }),
    chunk({ choices: [], usage: openaiUsage(12, 3) }),
    "data: [DONE]\n\n",
  ];
  return eventStream(frames.join(""));
};

const own = { "x-alpha-key": "own", "x-beta-key": "own" };

export async function ask(body: Json, call: [string, string] = ["Read", '{"path":"a"}']) {
  const { apiKey } = await newCaller(1_000_000);
  const app = createTestApp({ provider: [() => callOf(...call)] });
  const response = await app.chat(
    apiKey,
    { model: "svc-x1ac-base-gpt-4o", svc: { plan: "off" }, ...body },
    own,
  );
  const text = await response.text();
  await response.settled();
  const sent = (app.sent as Sent[])[0]?.body as { messages: Json[]; tools: Json[] } & Json;
  return { status: response.status, text, sent, unsupported: response.headers.get("x-svc-unsupported") };
}

export const readCalls = (text: string): Json[] =>
  text
    .split("\n\n")
    .flatMap((frame) => (frame.startsWith("data: {") ? [JSON.parse(frame.slice("data: ".length))] : []))
    .flatMap(({ choices }) => choices[0]?.delta?.tool_calls ?? []);
