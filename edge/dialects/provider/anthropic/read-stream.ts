/**
 * The Messages stream as hub events: one state machine per stream (message_start, blocks, message_delta,
 * message_stop; unknown types ignored). read-reply.ts gives the same events for JSON.
 * platform.claude.com/docs/en/build-with-claude/streaming
 */
import type { ChatEvent, ProviderData } from "../../../../shared/chat.ts";
import type { SseEvent } from "../../../stream/sse.ts";
import { createJsonReader } from "../../chunk-json.ts";
import { type StreamDecoder, truncated, unreadable } from "../dialect.ts";
import { type ContentRecorder, createContentRecorder } from "./native-content.ts";
import { type BlockDecoder, startBlock } from "./read-block.ts";
import { mergeUsage, readBeside, readFinish, readStart, readUsage } from "./read-end.ts";
import { readErrorEvent } from "./read-error.ts";
import * as wire from "./schema.ts";

/** Fields that differ from event to event while a block grows (for chunk-json.ts). */
const changing = [
  ["delta", "text"],
  ["delta", "thinking"],
  ["delta", "partial_json"],
] as const;

type State = {
  readJson: (text: string) => unknown;
  started: boolean;
  done: boolean;
  usage: wire.WireUsage;
  end: wire.MessageEnd | undefined;
  beside: ProviderData;
  /** Open blocks by the provider's index. */
  blocks: Map<number, BlockDecoder>;
  recorder: ContentRecorder;
  blockCount: number;
};

/** Returns undefined if the event does not have the shape of its type. */
type Handler = (state: State, event: unknown) => ChatEvent[] | undefined;

const handlers = new Map<string, Handler>([
  ["message_start", startMessage],
  ["content_block_start", openBlock],
  ["content_block_delta", addToBlock],
  ["content_block_stop", closeBlock],
  ["message_delta", noteEnd],
  ["message_stop", finish],
  ["error", fail],
]);

/** A decoder for one stream; see StreamDecoder for its contract. */
export function createMessagesStreamDecoder(): StreamDecoder {
  const state: State = {
    readJson: createJsonReader(changing),
    started: false,
    done: false,
    usage: {},
    end: undefined,
    beside: {},
    blocks: new Map(),
    blockCount: 0,
    recorder: createContentRecorder(),
  };
  const stopAfterError = (events: ChatEvent[]): ChatEvent[] => {
    if (events.at(-1)?.type === "error") state.done = true;
    return events;
  };
  return {
    decode: (event) => (state.done ? [] : stopAfterError(decodeEvent(state, event))),
    // An answer whose stop reason has arrived is whole, even if its `message_stop` was lost.
    close: () => {
      if (state.done) return [];
      return state.end === undefined ? stopAfterError([truncated]) : finish(state);
    },
    stage: () => (state.done ? "ended" : state.end === undefined ? "open" : "finished"),
  };
}

function decodeEvent(state: State, event: SseEvent): ChatEvent[] {
  // Some aggregators end an Anthropic stream with OpenAI's `[DONE]`.
  if (event.data === "" || event.data === "[DONE]") return [];
  let data: unknown;
  try {
    data = state.readJson(event.data);
  } catch {
    return [unreadable];
  }
  if (typeof data !== "object" || data === null) return [unreadable];
  // Proxies that speak this wire write an error without its type, as OpenAI does.
  const unnamed = "error" in data ? "error" : "";
  const type = "type" in data && typeof data.type === "string" ? data.type : (event.event ?? unnamed);
  const handler = handlers.get(type);
  return handler === undefined ? [] : (handler(state, data) ?? [unreadable]);
}

function startMessage(state: State, event: unknown): ChatEvent[] | undefined {
  const parsed = wire.MessageStart.safeParse(event);
  if (!parsed.success) return undefined;
  if (state.started) return [];
  const { usage, content, ...end } = parsed.data.message;
  const events = ensureStarted(state, end);
  // Programmatic tool calling: the calls made by code are complete here, and no block events follow.
  for (const given of content ?? []) {
    const { block, events: opened } = startBlock(given, () => state.blockCount++);
    state.recorder.start(given);
    events.push(...opened, ...block.stop());
  }
  if (typeof end.stop_reason === "string") state.end = end;
  if (usage === null || usage === undefined) return events;
  state.usage = usage;
  return [...events, { type: "usage", usage: readUsage(usage) }];
}

function ensureStarted(state: State, facts: wire.MessageFacts): ChatEvent[] {
  if (state.started) return [];
  state.started = true;
  return [readStart(facts, facts)];
}

function openBlock(state: State, event: unknown): ChatEvent[] | undefined {
  const parsed = wire.BlockStart.safeParse(event);
  if (!parsed.success) return undefined;
  const before = [...ensureStarted(state, {}), ...(state.blocks.get(parsed.data.index)?.stop() ?? [])];
  const { block, events } = startBlock(parsed.data.content_block, () => state.blockCount++);
  state.blocks.set(parsed.data.index, block);
  state.recorder.start(parsed.data.content_block, parsed.data.index);
  return [...before, ...events];
}

function addToBlock(state: State, event: unknown): ChatEvent[] | undefined {
  const parsed = wire.BlockDelta.safeParse(event);
  if (!parsed.success) return undefined;
  const { index, delta } = parsed.data;
  const block = state.blocks.get(index);
  if (block === undefined) return [];
  state.recorder.add(index, delta);
  return block.delta(delta);
}

function closeBlock(state: State, event: unknown): ChatEvent[] | undefined {
  const parsed = wire.BlockStop.safeParse(event);
  if (!parsed.success) return undefined;
  const events = state.blocks.get(parsed.data.index)?.stop() ?? [];
  state.blocks.delete(parsed.data.index);
  return events;
}

function noteEnd(state: State, event: unknown): ChatEvent[] | undefined {
  const parsed = wire.MessageDelta.safeParse(event);
  if (!parsed.success) return undefined;
  const { delta, usage } = parsed.data;
  state.beside = { ...state.beside, ...readBeside(parsed.data) };
  if (typeof delta?.stop_reason === "string") state.end = delta;
  const start = ensureStarted(state, {});
  if (usage === null || usage === undefined) return start;
  state.usage = mergeUsage(state.usage, usage);
  return [...start, { type: "usage", usage: readUsage(state.usage) }];
}

function finish(state: State): ChatEvent[] {
  state.done = true;
  const open = [...state.blocks.values()].flatMap((block) => block.stop());
  return [
    ...ensureStarted(state, {}),
    ...open,
    ...state.recorder.note(),
    readFinish(state.end ?? {}, state.beside),
  ];
}

function fail(_state: State, event: unknown): ChatEvent[] | undefined {
  const parsed = wire.ErrorBody.safeParse(event);
  return parsed.success ? [readErrorEvent(parsed.data.error)] : undefined;
}
