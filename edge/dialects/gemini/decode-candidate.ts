/**
 * One answer (candidate) as it grows: its parts become numbered blocks, a streamed function call is
 * collected until it is whole. Parts that are neither text nor function calls are handed on as `opaque`.
 */
import type { ChatEvent, ProviderData } from "../../../shared/chat.ts";
import { readLogprobs } from "./logprobs.ts";
import { applyPartialArgument, createObject } from "./partial-arguments.ts";
import { readFinishReason } from "./reasons.ts";
import type { Candidate, FunctionCall, Part } from "./wire.ts";

export type CandidateState = {
  choice: number;
  blockCount: number;
  /** The text or reasoning block that further text goes to. */
  open: { kind: "text" | "reasoning"; block: number } | undefined;
  /** A function call whose arguments are still coming. */
  call: { block: number; arguments: { [key: string]: unknown } } | undefined;
  calledTools: boolean;
  finishReason: string | undefined;
  /** The prompt was refused: the finish reason is why. */
  blocked: boolean;
  finishData: ProviderData | undefined;
};

export function createCandidateState(choice: number): CandidateState {
  return {
    choice,
    blockCount: 0,
    open: undefined,
    call: undefined,
    calledTools: false,
    finishReason: undefined,
    blocked: false,
    finishData: undefined,
  };
}

/** Candidate fields that are notes about the answer, each handed on whole under its own name. */
const annotations = ["groundingMetadata", "citationMetadata", "urlContextMetadata"];

/** `createCallId` names a call the provider gave no id. Undefined: the part cannot be read. */
export function decodeCandidate(
  state: CandidateState,
  candidate: Candidate,
  createCallId: () => string,
): ChatEvent[] | undefined {
  const events: ChatEvent[] = [];
  for (const part of candidate.content?.parts ?? []) {
    const decoded = decodePart(state, part, createCallId);
    if (decoded === undefined) return undefined;
    events.push(...decoded);
  }
  const at = { choice: state.choice, block: Math.max(state.blockCount - 1, 0) };
  for (const name of annotations) {
    const value = candidate[name];
    if (value)
      events.push({ type: "opaque", ...at, dialect: "gemini", data: { [name]: value }, annotation: true });
  }
  const logprobs = readLogprobs(candidate.logprobsResult);
  if (logprobs !== undefined) events.push({ type: "logprobs", choice: state.choice, data: logprobs });
  if (candidate.finishReason) {
    state.finishReason = candidate.finishReason;
    state.finishData = pickGiven(candidate, ["finishMessage", "safetyRatings"]);
  }
  return events;
}

/** The end of an answer whose finish reason has come. */
export function finishCandidate(state: CandidateState, finishReason: string): ChatEvent[] {
  return [
    ...endCall(state),
    {
      type: "finish",
      choice: state.choice,
      reason: state.blocked ? "content-filter" : readFinishReason(finishReason, state.calledTools),
      raw: finishReason,
      ...(state.finishData === undefined ? {} : { providerData: state.finishData }),
    },
  ];
}

function decodePart(state: CandidateState, part: Part, createCallId: () => string): ChatEvent[] | undefined {
  if (part.functionCall) return decodeCall(state, part.functionCall, part.thoughtSignature, createCallId);
  if (typeof part.text === "string") return decodeText(state, part, part.text);
  const { thoughtSignature, ...content } = part;
  if (Object.keys(content).length === 0) {
    return thoughtSignature ? [...endCall(state), ...seal(state, "text", thoughtSignature)] : [];
  }
  const before = endCall(state);
  state.open = undefined;
  return [
    ...before,
    { type: "opaque", choice: state.choice, block: state.blockCount++, dialect: "gemini", data: part },
  ];
}

function decodeText(state: CandidateState, { thought, thoughtSignature }: Part, text: string): ChatEvent[] {
  const kind = thought === true ? "reasoning" : "text";
  const events = text === "" && !thoughtSignature ? [] : endCall(state);
  if (text !== "") events.push(say(state, kind, text));
  if (thoughtSignature) events.push(...seal(state, kind, thoughtSignature));
  return events;
}

function say(state: CandidateState, kind: "text" | "reasoning", text: string): ChatEvent {
  if (state.open?.kind !== kind) state.open = { kind, block: state.blockCount++ };
  return {
    type: kind === "text" ? "text-delta" : "reasoning-delta",
    choice: state.choice,
    block: state.open.block,
    text,
  };
}

/** A seal closes its block: text that follows is another part, and must come back as another part. */
function seal(state: CandidateState, kind: "text" | "reasoning", signature: string): ChatEvent[] {
  const events: ChatEvent[] = state.open?.kind === kind ? [] : [say(state, kind, "")];
  const block = state.open?.block ?? 0;
  state.open = undefined;
  return [...events, { type: "signature", choice: state.choice, block, signature }];
}

function decodeCall(
  state: CandidateState,
  call: FunctionCall,
  thoughtSignature: string | null | undefined,
  createCallId: () => string,
): ChatEvent[] | undefined {
  const events: ChatEvent[] = [];
  if (call.name) {
    events.push(...endCall(state));
    const block = state.blockCount++;
    state.open = undefined;
    state.call = { block, arguments: createObject() };
    state.calledTools = true;
    const id = call.id || createCallId();
    events.push({ type: "tool-call-start", choice: state.choice, block, id, name: call.name });
  }
  if (state.call === undefined) return events;
  const { block, arguments: collected } = state.call;
  if (thoughtSignature)
    events.push({ type: "signature", choice: state.choice, block, signature: thoughtSignature });
  for (const [name, value] of Object.entries(call.args ?? {})) collected[name] = value;
  for (const piece of call.partialArgs ?? []) {
    if (!applyPartialArgument(collected, piece)) return undefined;
  }
  return call.willContinue === true ? events : [...events, ...endCall(state)];
}

function endCall(state: CandidateState): ChatEvent[] {
  if (state.call === undefined) return [];
  const { block, arguments: collected } = state.call;
  state.call = undefined;
  const at = { choice: state.choice, block };
  return [
    { type: "tool-call-delta", ...at, arguments: JSON.stringify(collected) },
    { type: "tool-call-end", ...at },
  ];
}

function pickGiven(candidate: Candidate, names: string[]): ProviderData | undefined {
  const given = names.filter((name) => candidate[name] !== null && candidate[name] !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given.map((name) => [name, candidate[name]]));
}
