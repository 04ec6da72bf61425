/**
 * Gemini's generateContent chunks, after ai.google.dev/api/generate-content: parts in order, the last usage
 * holds. Thoughts are counted beside the candidates and tool results beside the prompt; a caller of OpenAI's
 * format expects them inside completion and prompt, so that the two make the total.
 */
import {
  count,
  type ExpectedAnswer,
  type ExpectedCall,
  type ExpectedUsage,
  type Line,
  list,
  record,
  string,
} from "./expected-answer.ts";

const finishes: Readonly<Record<string, ExpectedAnswer["finish"]>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "content_filter",
  RECITATION: "content_filter",
  BLOCKLIST: "content_filter",
  PROHIBITED_CONTENT: "content_filter",
  SPII: "content_filter",
  IMAGE_SAFETY: "content_filter",
};

/** Puts a piece of a streamed argument where its JSON path says; string pieces of one path are joined. */
function place(target: Line, { jsonPath, ...piece }: Line): void {
  const steps = [...string(jsonPath).matchAll(/\.([^.[\]]+)|\[(\d+)\]|\['([^']+)'\]/g)].map(
    ([, name, index, quoted]) => (index === undefined ? (name ?? quoted ?? "") : Number(index)),
  );
  const value = piece.stringValue ?? piece.numberValue ?? piece.boolValue ?? null;
  let at = target as Record<string | number, unknown>;
  for (const [position, step] of steps.entries()) {
    const next = steps[position + 1];
    if (next === undefined) {
      at[step] = typeof at[step] === "string" ? at[step] + string(value) : value;
    } else {
      at[step] ??= typeof next === "number" ? [] : {};
      at = at[step] as Record<string | number, unknown>;
    }
  }
}

type Call = ExpectedCall & { arguments: Line };

function readCall(calls: Call[], call: Line): void {
  if (typeof call.name === "string") calls.push({ name: call.name, arguments: { ...record(call.args) } });
  const target = calls.at(-1)?.arguments;
  if (target === undefined) return;
  for (const piece of list(call.partialArgs)) place(target, piece);
}

function readUsage(usage: Line): ExpectedUsage {
  const reasoning = count(usage.thoughtsTokenCount);
  return {
    prompt: count(usage.promptTokenCount) + count(usage.toolUsePromptTokenCount),
    completion: count(usage.candidatesTokenCount) + reasoning,
    total: count(usage.totalTokenCount),
    cached: count(usage.cachedContentTokenCount),
    reasoning,
  };
}

export function readGemini(lines: readonly Line[]): ExpectedAnswer {
  const calls: Call[] = [];
  const parts: Line[] = [];
  let [text, reasoning, finish] = ["", "", ""];
  let usage: Line | undefined;
  let failure: string | undefined;
  for (const line of lines) {
    const [candidate] = list(line.candidates).filter(({ index }) => index === undefined || index === 0);
    for (const part of list(record(candidate?.content).parts)) {
      if (part.thought === true) reasoning += string(part.text);
      else text += string(part.text);
      if (part.functionCall !== undefined) readCall(calls, record(part.functionCall));
      else parts.push(part);
    }
    finish = string(candidate?.finishReason) || finish;
    if (record(line.usageMetadata).totalTokenCount !== undefined) usage = record(line.usageMetadata);
    if (line.error !== undefined) failure = string(record(line.error).message);
    if (record(line.promptFeedback).blockReason !== undefined) finish ||= "SAFETY";
  }
  const reason = finishes[finish] ?? "stop";
  return {
    text,
    reasoning,
    refusal: "",
    calls,
    finish: reason === "stop" && calls.length > 0 ? "tool_calls" : reason,
    usage: usage && readUsage(usage),
    failure,
    reply: {
      candidates: [
        {
          content: {
            role: "model",
            parts: [
              ...parts,
              ...calls.map(({ name, arguments: args }) => ({ functionCall: { name, args } })),
            ],
          },
          finishReason: finish || "STOP",
          index: 0,
        },
      ],
      ...(usage !== undefined && { usageMetadata: usage }),
      modelVersion: lines[0]?.modelVersion,
      responseId: lines[0]?.responseId,
    },
  };
}
