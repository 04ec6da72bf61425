/**
 * One answer (candidate) as it grows: its parts become numbered blocks, and a streamed function call is collected until it is
 * complete. Parts that are neither text nor function calls are passed on as `opaque`, pictures with their data and media type.
 */
import type { ChatEvent, EventOf, ProviderData } from "../../../../shared/chat.ts";
import { present, withData } from "../../json.ts";
import { applyPartialArgument, createObject } from "./partial-arguments.ts";
import { readFailure, readFinishReason, readLogprobs } from "./read-end.ts";
import { type Candidate, type FunctionCall, InlineData, type Part } from "./schema.ts";

export type CandidateState = {
  choice: number;
  /** Makes an id for a call to which the provider gave none. */
  createCallId: () => string;
  blockCount: number;
  /** The block to which further text of its kind is added. */
  open: { kind: "text" | "reasoning"; block: number } | undefined;
  /** A function call whose arguments are still coming. */
  call: { block: number; arguments: { [key: string]: unknown } } | undefined;
  calledTools: boolean;
  finishReason: string | undefined;
  /** The prompt was refused; the finish reason says why. */
  blocked: boolean;
  finishData: ProviderData | undefined;
};

export function createCandidateState(choice: number, createCallId: () => string): CandidateState {
  return {
    choice,
    createCallId,
    blockCount: 0,
    open: undefined,
    call: undefined,
    calledTools: false,
    finishReason: undefined,
    blocked: false,
    finishData: undefined,
  };
}

/** Candidate fields that are notes about the answer, each passed on whole under its own name. */
const annotations = ["groundingMetadata", "citationMetadata", "urlContextMetadata"];

/** Adds the candidate's events. Returns false if a part cannot be read. */
export function readCandidate(state: CandidateState, candidate: Candidate, events: ChatEvent[]): boolean {
  for (const part of candidate.content?.parts ?? []) {
    if (!readPart(state, part, events)) return false;
  }
  for (const name of annotations) {
    const value = candidate[name];
    if (!value) continue;
    const at = { choice: state.choice, block: Math.max(state.blockCount - 1, 0) };
    events.push({ type: "opaque", ...at, dialect: "gemini", data: { [name]: value }, annotation: true });
  }
  const logprobs = readLogprobs(candidate.logprobsResult);
  if (logprobs !== undefined) events.push({ type: "logprobs", choice: state.choice, data: logprobs });
  if (candidate.finishReason) {
    state.finishReason = candidate.finishReason;
    const { finishMessage, safetyRatings } = candidate;
    state.finishData = present({ finishMessage, safetyRatings });
  }
  return true;
}

/** The end of an answer whose finish reason has come; an `error` if the reason is one. */
export function finishCandidate(state: CandidateState, finishReason: string): ChatEvent[] {
  const events: ChatEvent[] = [];
  endCall(state, events);
  // A refused prompt has no content either: its reason is told as it is.
  const isEmpty = state.blockCount === 0 && !state.blocked;
  const failure = readFailure(finishReason, state.finishData?.finishMessage, isEmpty);
  if (failure !== undefined) return [...events, failure];
  events.push({
    type: "finish",
    choice: state.choice,
    reason: state.blocked ? "content-filter" : readFinishReason(finishReason, state.calledTools),
    raw: finishReason,
    ...withData(state.finishData),
  });
  return events;
}

function readPart(state: CandidateState, part: Part, events: ChatEvent[]): boolean {
  if (part.functionCall) return readCall(state, part.functionCall, part.thoughtSignature, events);
  if (typeof part.text === "string") readTextPart(state, part, part.text, events);
  else readOther(state, part, events);
  return true;
}

function readTextPart(
  state: CandidateState,
  { thought, thoughtSignature }: Part,
  text: string,
  events: ChatEvent[],
): void {
  const kind = thought === true ? "reasoning" : "text";
  if (text === "" && !thoughtSignature) return;
  endCall(state, events);
  if (text !== "") say(state, kind, text, events);
  if (thoughtSignature) sign(state, kind, thoughtSignature, events);
}

function readOther(state: CandidateState, part: Part, events: ChatEvent[]): void {
  const { thoughtSignature, ...content } = part;
  if (Object.keys(content).length > 0) {
    endCall(state, events);
    state.open = undefined;
    const at = { choice: state.choice, block: state.blockCount++ };
    const image = readImage(part);
    events.push({ type: "opaque", ...at, dialect: "gemini", data: part, ...(image && { image }) });
  } else if (thoughtSignature) {
    endCall(state, events);
    sign(state, "text", thoughtSignature, events);
  }
}

/**
 * Sketches that the model makes while thinking are not part of the answer
 * (ai.google.dev/gemini-api/docs/image-generation#thinking-process).
 */
function readImage({ inlineData, thought, thoughtSignature }: Part): EventOf<"opaque">["image"] {
  const parsed = InlineData.safeParse(inlineData);
  if (thought === true || !parsed.success || !parsed.data.mimeType.startsWith("image/")) return undefined;
  const { mimeType: mediaType, data } = parsed.data;
  return { mediaType, data, ...(thoughtSignature && { signature: thoughtSignature }) };
}

function say(state: CandidateState, kind: "text" | "reasoning", text: string, events: ChatEvent[]): void {
  if (state.open?.kind !== kind) state.open = { kind, block: state.blockCount++ };
  const { choice, open } = state;
  events.push({ type: kind === "text" ? "text-delta" : "reasoning-delta", choice, block: open.block, text });
}

/** A signature closes its block: following text is another part, and must be sent back as one. */
function sign(
  state: CandidateState,
  kind: "text" | "reasoning",
  signature: string,
  events: ChatEvent[],
): void {
  if (state.open?.kind !== kind) say(state, kind, "", events);
  const block = state.open?.block ?? 0;
  state.open = undefined;
  events.push({ type: "signature", choice: state.choice, block, signature });
}

function readCall(
  state: CandidateState,
  call: FunctionCall,
  thoughtSignature: string | null | undefined,
  events: ChatEvent[],
): boolean {
  if (call.name) {
    endCall(state, events);
    const block = state.blockCount++;
    state.open = undefined;
    state.call = { block, arguments: createObject() };
    state.calledTools = true;
    const id = call.id || state.createCallId();
    events.push({ type: "tool-call-start", choice: state.choice, block, id, name: call.name });
  }
  if (state.call === undefined) return true;
  const { block, arguments: collected } = state.call;
  if (thoughtSignature)
    events.push({ type: "signature", choice: state.choice, block, signature: thoughtSignature });
  // A copy, since pieces are written into it and the next chunk may reuse the original (chunk-json.ts).
  for (const [name, value] of Object.entries(call.args ?? {})) collected[name] = structuredClone(value);
  for (const piece of call.partialArgs ?? []) {
    if (!applyPartialArgument(collected, piece)) return false;
  }
  if (call.willContinue !== true) endCall(state, events);
  return true;
}

function endCall(state: CandidateState, events: ChatEvent[]): void {
  if (state.call === undefined) return;
  const { block, arguments: collected } = state.call;
  state.call = undefined;
  const at = { choice: state.choice, block };
  events.push({ type: "tool-call-delta", ...at, arguments: JSON.stringify(collected) });
  events.push({ type: "tool-call-end", ...at });
}
