/** The offline responder's answers as a chat completion, or as its chunks (OpenAI's format, as the aggregator sends it). */
import { offlineModelId } from "../../../edge/catalog/model.ts";
import type { OfflineAnswer, OfflineRequest } from "./compose-answer.ts";

/** `created`: Unix seconds. */
export type ReplyFacts = { id: string; created: number };

type Usage = { prompt_tokens: number; completion_tokens: number; total_tokens: number; cost: number };

/** A word with the white space before it: one token. */
const word = /\s*\S+/g;

/** The text before the first of the request's stop sequences. */
function endAtStop(text: string, stop: OfflineRequest["stop"]): string {
  const places = [stop ?? []].flat().flatMap((sequence) => (sequence === "" ? [] : text.indexOf(sequence)));
  // Not `Math.min(...places)`: a list of 150,000 is more arguments than a call takes.
  return text.slice(
    0,
    places.reduce((first, at) => (at === -1 ? first : Math.min(first, at)), text.length),
  );
}

/** An answer cut at the request's stop sequences and limit, as the pieces of a stream. */
function cut(request: OfflineRequest, answer: OfflineAnswer): { pieces: string[]; finish: string } {
  const text = answer.kind === "text" ? endAtStop(answer.text, request.stop) : answer.arguments;
  const words = text.match(word) ?? [];
  const most = request.max_completion_tokens ?? request.max_tokens ?? Number.POSITIVE_INFINITY;
  const pieces = words.slice(0, most);
  const whole = answer.kind === "text" ? "stop" : "tool_calls";
  return { pieces, finish: pieces.length < words.length ? "length" : whole };
}

function countUsage(request: OfflineRequest, pieces: string[]): Usage {
  const prompt = Math.ceil(JSON.stringify(request.messages).length / 4);
  const completion = pieces.length * (request.n ?? 1);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion, cost: 0 };
}

function writeToolCall(answer: OfflineAnswer & { kind: "tool-call" }, facts: ReplyFacts, choice: number) {
  const id = `call_${facts.id.slice(-12)}${choice}`;
  return { id, type: "function", function: { name: answer.name, arguments: "" } };
}

function listChoices(request: OfflineRequest): number[] {
  return Array.from({ length: request.n ?? 1 }, (_, index) => index);
}

/** The JSON body of a whole answer. */
export function writeReply(request: OfflineRequest, answer: OfflineAnswer, facts: ReplyFacts) {
  const { pieces, finish } = cut(request, answer);
  const text = pieces.join("");
  const choices = listChoices(request).map((index) => {
    const call = answer.kind === "tool-call" ? writeToolCall(answer, facts, index) : undefined;
    const message = call
      ? {
          role: "assistant",
          content: null,
          tool_calls: [{ ...call, function: { ...call.function, arguments: text } }],
        }
      : { role: "assistant", content: text };
    return { index, message, finish_reason: finish, logprobs: null };
  });
  const usage = countUsage(request, pieces);
  return { ...facts, object: "chat.completion", model: offlineModelId, choices, usage };
}

/** The SSE frames of the same answer, one per word, ending with usage and `[DONE]`. */
export function* writeFrames(
  request: OfflineRequest,
  answer: OfflineAnswer,
  facts: ReplyFacts,
): Generator<string> {
  const { pieces, finish } = cut(request, answer);
  const frame = (fields: object) =>
    `data: ${JSON.stringify({ ...facts, object: "chat.completion.chunk", model: offlineModelId, ...fields })}\n\n`;
  const chunk = (index: number, delta: object, finishReason: string | null = null) =>
    frame({ choices: [{ index, delta, finish_reason: finishReason }] });

  // The aggregator begins with a comment while it looks for a host, so clients are tested with one.
  yield ": svc offline responder\n\n";
  for (const index of listChoices(request)) {
    const call = answer.kind === "tool-call" ? writeToolCall(answer, facts, index) : undefined;
    yield chunk(index, {
      role: "assistant",
      ...(call ? { tool_calls: [{ index: 0, ...call }] } : { content: "" }),
    });
    for (const piece of pieces) {
      const delta = call
        ? { tool_calls: [{ index: 0, function: { arguments: piece } }] }
        : { content: piece };
      yield chunk(index, delta);
    }
    yield chunk(index, {}, finish);
  }
  yield frame({ choices: [], usage: countUsage(request, pieces) });
  yield "data: [DONE]\n\n";
}
