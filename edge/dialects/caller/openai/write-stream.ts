/**
 * Hub events as the chunks of a streamed chat completion. The hot path of the gateway: text, reasoning and argument pieces are put together
 * as strings around one `JSON.stringify` of the piece itself.
 *
 * Beyond OpenAI's fields a delta carries `reasoning_content` (DeepSeek's name), `reasoning_details` (OpenRouter's: `index` says which block
 * a piece belongs to, the last piece has its `signature`) and `images`; Gemini's signatures are `extra_content.google.thought_signature`, as in
 * Google's own format. A caller who sends all this back in the next turn loses nothing.
 */
import type { ChatEvent, EventOf, ProviderData, Usage } from "../../../../shared/chat.ts";
import { readObject } from "../../json.ts";
import {
  detailTypes,
  frameDetail,
  readTier,
  writeImage,
  writeThoughtSignature,
} from "../../openai-extensions.ts";
import { writeNote } from "../notes.ts";
import { CallQueue } from "../order-calls.ts";
import {
  type CallState,
  type CustomTools,
  chunkEnd,
  lookAhead,
  startCustomCall,
  writeArguments,
  writeChunk,
  writeLateSignature,
  writeToolEnd,
  writeToolStart,
} from "./write-calls.ts";
import { writeFinishReason, writeUsage } from "./write-end.ts";
import type { Envelope } from "./write-reply.ts";

export type ChatStreamWriter = {
  /** The opening chunk: the assistant's role, and the plan if it is known. */
  first(svc: object | undefined): string;
  /** A chunk that holds only the plan. */
  plan(svc: object): string;
  /**
   * Writes one batch; "" if it holds nothing for the caller. `usage` events are kept for `last`. `error` events are skipped: the
   * caller of this function writes them by `error`, with keys removed.
   */
  write(events: readonly ChatEvent[]): string;
  /** The closing chunk, without choices, then `[DONE]`. */
  last(svc: object, usage?: Usage): string;
  /** A failure after the first chunk, instead of `last`: the stream ends without `[DONE]`. */
  error(body: object): string;
};

type ChoiceState = CallState & {
  /** By block: the JSON before and after the text of a reasoning piece. */
  reasoning: Map<number, { open: string; close: string }>;
  reasoningCount: number;
  imageCount: number;
  /** The latest text block: a signature of it is Gemini's. */
  textBlock: number;
};

/** A stream that is being written. */
type Stream = {
  customTools: CustomTools | undefined;
  /** The part of a chunk before its choices. */
  chunk: string;
  calls: CallQueue;
  choices: ChoiceState[];
  /** The provider's facts about the whole answer, as JSON fields that each follow a comma. */
  facts: string;
  /** OpenAI's judgement of prompt and answer, which comes after the answer. */
  moderation: unknown;
};

/** `includeUsage`: the caller asked for `stream_options.include_usage`. */
export function createChatStreamWriter({
  id,
  created,
  model,
  customTools,
  includeUsage,
}: Envelope & { includeUsage: boolean }): ChatStreamWriter {
  const head = `"id":${JSON.stringify(id)},"object":"chat.completion.chunk","created":${created},"model":${JSON.stringify(model)}`;
  const chunk = `data: {${head},"choices":[`;
  const stream: Stream = {
    customTools,
    chunk,
    calls: new CallQueue(),
    choices: [],
    facts: "",
    moderation: undefined,
  };
  return {
    first: (svc) =>
      `${chunk}{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]${svc === undefined ? "" : `,"svc":${JSON.stringify(svc)}`}}\n\n`,
    plan: (svc) => `${chunk}],"svc":${JSON.stringify(svc)}}\n\n`,
    write: (events) => writeBatch(stream, events),
    last(svc, usage) {
      const counts =
        includeUsage && usage !== undefined ? `,"usage":${JSON.stringify(writeUsage(usage))}` : "";
      const { moderation } = stream;
      const judged = moderation === undefined ? "" : `,"moderation":${JSON.stringify(moderation)}`;
      return `${chunk}],"svc":${JSON.stringify(svc)}${judged}${counts}}\n\ndata: [DONE]\n\n`;
    },
    error: (body) => `data: ${JSON.stringify(body)}\n\n`,
  };
}

function writeBatch(stream: Stream, batch: readonly ChatEvent[]): string {
  const { calls, choices } = stream;
  const events = calls.take(batch);
  let text = "";
  for (let at = 0; at < events.length; at++) {
    const event = events[at] as ChatEvent;
    if (event.type === "start") {
      stream.facts ||= writeFacts(event);
      stream.moderation = event.providerData?.moderation ?? stream.moderation;
      continue;
    }
    if (event.type === "usage" || event.type === "error") continue;
    if (choices[event.choice] === undefined) text += openChoice(stream, event.choice);
    const state = choices[event.choice] as ChoiceState;
    if (event.type === "text-delta" || event.type === "refusal-delta") {
      const refused = event.type === "refusal-delta";
      if (!refused) state.textBlock = event.block;
      if (event.text === "") continue;
      const piece = `${state.head}${refused ? '"refusal":' : '"content":'}${JSON.stringify(event.text)}${chunkEnd}`;
      // The next event may hold the piece's log probabilities: both go into one chunk.
      const next = events[at + 1];
      const paired = next?.type === "logprobs" && next.choice === event.choice;
      text += paired ? withLogprobs(piece, next.data) : piece;
      if (paired) at += 1;
    } else if (event.type === "tool-call-start") {
      const ahead = lookAhead(events, at, event);
      at += ahead.count;
      const form = stream.customTools?.get(event.name);
      text += form ? startCustomCall(state, event, form, ahead) : writeToolStart(state, event, ahead);
    } else if (event.type === "finish") text += writeFinish(stream, state, event);
    else text += writeRest(state, event);
  }
  return text;
}

/** Begins a choice with a chunk of its role; `first` has done so for choice 0. */
function openChoice({ chunk, choices }: Stream, choice: number): string {
  const state: ChoiceState = {
    head: `${chunk}{"index":${choice},"delta":{`,
    tools: new Map(),
    reasoning: new Map(),
    reasoningCount: 0,
    imageCount: 0,
    textBlock: -1,
  };
  choices[choice] = state;
  return choice === 0 ? "" : `${state.head}"role":"assistant","content":""${chunkEnd}`;
}

function writeFinish({ chunk, facts }: Stream, state: ChoiceState, event: EventOf<"finish">): string {
  const { choice, reason, raw } = event;
  const finish = `"finish_reason":"${writeFinishReason(reason, state.tools.size > 0)}"`;
  return `${chunk}{"index":${choice},"delta":{},${finish},"native_finish_reason":${JSON.stringify(raw)}}]${facts}}\n\n`;
}

/** An event that `writeBatch` does not write itself. */
type RestEvent = Exclude<
  ChatEvent,
  { type: "start" | "usage" | "error" | "text-delta" | "refusal-delta" | "tool-call-start" | "finish" }
>;
type RestWriters = { [T in RestEvent["type"]]: (state: ChoiceState, event: EventOf<T>) => string };

const restWriters: RestWriters = {
  "reasoning-delta": writeReasoning,
  "tool-call-delta": (state, event) => writeArguments(state, event.block, event.arguments),
  "tool-call-end": (state, event) => writeToolEnd(state, event.block),
  signature: writeSignature,
  "redacted-reasoning": writeRedacted,
  logprobs: (state, event) => withLogprobs(`${state.head}${chunkEnd}`, event.data),
  opaque: writeOpaque,
};

const writeRest = (state: ChoiceState, event: RestEvent): string =>
  (restWriters[event.type] as (state: ChoiceState, event: RestEvent) => string)(state, event);

function writeReasoning(state: ChoiceState, event: EventOf<"reasoning-delta">): string {
  let frame = state.reasoning.get(event.block);
  if (frame === undefined) {
    frame = frameDetail(event.providerData, state.reasoningCount++);
    state.reasoning.set(event.block, frame);
  }
  if (event.text === "") return "";
  const text = JSON.stringify(event.text);
  return `${state.head}"reasoning_content":${text},"reasoning_details":[${frame.open}${text}${frame.close}}]${chunkEnd}`;
}

function writeSignature(state: ChoiceState, { block, signature }: EventOf<"signature">): string {
  const call = state.tools.get(block);
  if (call !== undefined) return writeLateSignature(state, call, signature);
  if (block === state.textBlock) return writeChunk(state, writeThoughtSignature(signature));
  const frame = state.reasoning.get(block) ?? frameDetail(undefined, state.reasoningCount++);
  state.reasoning.set(block, frame);
  const signed = `,"signature":${JSON.stringify(signature)}`;
  return `${state.head}"reasoning_details":[${frame.open}""${signed}${frame.close}}]${chunkEnd}`;
}

function writeRedacted(state: ChoiceState, event: EventOf<"redacted-reasoning">): string {
  const rest = readObject(event.providerData?.reasoning_detail);
  const detail = { type: detailTypes.encrypted, data: event.data, index: state.reasoningCount++, ...rest };
  return writeChunk(state, { reasoning_details: [detail] });
}

/** Opaque parts of our own dialect are fields of the delta; of other dialects only pictures and notes have a place. */
function writeOpaque(state: ChoiceState, event: EventOf<"opaque">): string {
  const { dialect, data, annotation, image } = event;
  if (dialect === "openai") return writeChunk(state, data);
  if (image !== undefined) return writeChunk(state, { images: [writeImage(image, state.imageCount++)] });
  return annotation === true ? writeChunk(state, { extra_content: writeNote(dialect, data) }) : "";
}

/** Both fields, as OpenAI has them: other providers send no `refusal`, which typed clients miss. */
const withLogprobs = (piece: string, { content = null, refusal = null }: ProviderData): string =>
  `${piece.slice(0, -chunkEnd.length)}},"logprobs":${JSON.stringify({ content, refusal })},"finish_reason":null}]}\n\n`;

/** What OpenAI-format providers send about the answer as a whole; repeated at its end. */
function writeFacts({ providerData }: EventOf<"start">): string {
  const { service_tier: tier, system_fingerprint: fingerprint } = providerData ?? {};
  const facts = { service_tier: readTier(tier), system_fingerprint: fingerprint ?? undefined };
  const text = JSON.stringify(facts).slice(1, -1);
  return text === "" ? "" : `,${text}`;
}
