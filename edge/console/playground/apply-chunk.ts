/**
 * Applies a chunk of the stream to an answer. Text is appended in place; a new answer object is made only if something else
 * changed, so a thousand words redraw no component.
 */
import type { Chunk, ToolCallDelta } from "../api/chat-wire.ts";
import type { AnswerState, Usage } from "./answer-state.ts";
import type { WireToolCall } from "./draft.ts";

/** @param atMs milliseconds since the request was sent */
export function applyChunk(answer: AnswerState, chunk: Chunk, atMs: number): AnswerState {
  const changes: Partial<AnswerState> = {};
  if (answer.phase === "waiting") changes.phase = "streaming";
  if (chunk.svc !== undefined) {
    changes.svc = { ...answer.svc, ...chunk.svc };
    if (answer.planMs === undefined) changes.planMs = atMs;
  }
  if (chunk.usage != null) changes.usage = readUsage(chunk.usage);
  for (const { delta, finish_reason: finishReason } of chunk.choices ?? []) {
    if (finishReason != null) changes.finishReason = finishReason;
    const text = (delta?.content ?? "") + (delta?.refusal ?? "");
    const reasoning = delta?.reasoning_content ?? "";
    answer.text.append(text);
    answer.reasoning.append(reasoning);
    if (text !== "" && !answer.hasText) changes.hasText = true;
    if (reasoning !== "" && !answer.hasReasoning) changes.hasReasoning = true;
    if (delta?.tool_calls !== undefined)
      changes.toolCalls = delta.tool_calls.reduce(addToolCall, changes.toolCalls ?? answer.toolCalls);
    const said = text !== "" || reasoning !== "" || delta?.tool_calls !== undefined;
    if (said && answer.firstByteMs === undefined) changes.firstByteMs = atMs;
  }
  return Object.keys(changes).length === 0 ? answer : { ...answer, ...changes };
}

function addToolCall(calls: readonly WireToolCall[], delta: ToolCallDelta): WireToolCall[] {
  const known = calls[delta.index];
  const call: WireToolCall = {
    id: known?.id || (delta.id ?? ""),
    type: "function",
    function: {
      name: (known?.function.name ?? "") + (delta.function?.name ?? ""),
      arguments: (known?.function.arguments ?? "") + (delta.function?.arguments ?? ""),
    },
  };
  return known === undefined ? [...calls, call] : calls.with(delta.index, call);
}

function readUsage(usage: NonNullable<Chunk["usage"]>): Usage {
  const { prompt_tokens: prompt, completion_tokens: completion, cost } = usage;
  return {
    ...(prompt != null && { promptTokens: prompt }),
    ...(completion != null && { completionTokens: completion }),
    ...(cost != null && { cost }),
  };
}
