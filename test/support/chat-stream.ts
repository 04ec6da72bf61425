/**
 * A reader of /v1/chat/completions streams that shares no code with the gateway: the message that its deltas add up to, our
 * reasoning included, as an agent keeps it for its next request. Pure: runs in Node and in workerd.
 */

type Json = Record<string, unknown>;
type Call = { id: string; type: string; function: { name: string; arguments: string } };
type Delta = Json & { tool_calls?: (Partial<Call> & { index: number })[] };
export type FoldedChatMessage = Json & { role: "assistant"; content: string | null; tool_calls?: Call[] };

/** @throws Error for a stream without an end */
function parseChunks(text: string): { choices: { delta: Delta }[] }[] {
  const frames = text.split("\n\n").filter((frame) => frame.startsWith("data: "));
  if (frames.pop() !== "data: [DONE]") throw new Error("the stream has no end");
  return frames.map((frame) => JSON.parse(frame.slice("data: ".length)));
}

function addCalls(calls: Call[], deltas: Delta["tool_calls"] = []): void {
  for (const { index, ...delta } of deltas) {
    const call = calls[index];
    if (call === undefined) calls[index] = structuredClone(delta) as Call;
    else call.function.arguments += delta.function?.arguments ?? "";
  }
}

/** Of the first choice: texts grow, lists grow, calls by their index. */
export function foldChatMessage(text: string): FoldedChatMessage {
  const message: Json = {};
  const calls: Call[] = [];
  for (const { choices } of parseChunks(text)) {
    const { tool_calls: deltas, role: _role, ...fields } = choices[0]?.delta ?? {};
    addCalls(calls, deltas);
    for (const [name, value] of Object.entries(fields)) {
      const before = message[name];
      if (Array.isArray(value)) message[name] = [...((before as unknown[] | undefined) ?? []), ...value];
      else message[name] = typeof before === "string" && typeof value === "string" ? before + value : value;
    }
  }
  const content = typeof message.content === "string" && message.content !== "" ? message.content : null;
  return { ...message, role: "assistant", content, ...(calls.length > 0 && { tool_calls: calls }) };
}
