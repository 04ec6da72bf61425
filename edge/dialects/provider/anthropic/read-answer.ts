/**
 * An answer of the Messages API as hub events. One state machine per stream (message_start, blocks, message_delta, message_stop;
 * unknown types ignored); a whole JSON reply gives the same events.
 * platform.claude.com/docs/en/build-with-claude/streaming
 */
import type { z } from "zod";
import type { ChatEvent, ProviderData } from "../../../../shared/chat.ts";
import type { SseEvent } from "../../../stream/sse.ts";
import { parseLongIntegers } from "../../exact-numbers.ts";
import { present, readObject } from "../../json.ts";
import { createJsonReader } from "../chunk-json.ts";
import { type StreamReader, truncated, unreadable } from "../dialect.ts";
import { type BlockReader, startBlock } from "./read-block.ts";
import { mergeUsage, readBeside, readFinish, readStart, readUsage } from "./read-end.ts";
import { readErrorEvent } from "./read-error.ts";
import { type ContentRecorder, createContentRecorder, noteContent } from "./record-content.ts";
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
  blocks: Map<number, BlockReader>;
  recorder: ContentRecorder;
  blockCount: number;
};

/** Returns undefined if the event does not have the shape of its type. */
type Handler = (state: State, event: unknown) => ChatEvent[] | undefined;

const handle =
  <Schema extends z.ZodType>(
    schema: Schema,
    take: (state: State, event: z.output<Schema>) => ChatEvent[],
  ): Handler =>
  (state, event) => {
    const parsed = schema.safeParse(event);
    return parsed.success ? take(state, parsed.data) : undefined;
  };

const handlers = new Map<string, Handler>([
  ["message_start", handle(wire.MessageStart, startMessage)],
  ["content_block_start", handle(wire.BlockStart, openBlock)],
  ["content_block_delta", addToBlock],
  ["content_block_stop", handle(wire.BlockStop, closeBlock)],
  ["message_delta", handle(wire.MessageDelta, noteEnd)],
  ["message_stop", finish],
  ["error", handle(wire.ErrorBody, (_state, { error }) => [readErrorEvent(error)])],
]);

export function createStreamReader(): StreamReader {
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
    read: (event) => (state.done ? [] : stopAfterError(readEvent(state, event))),
    // An answer whose stop reason has arrived is whole, even if its `message_stop` was lost.
    close: () => {
      if (state.done) return [];
      return state.end === undefined ? stopAfterError([truncated]) : finish(state);
    },
    stage: () => (state.done ? "ended" : state.end === undefined ? "open" : "finished"),
  };
}

function readEvent(state: State, event: SseEvent): ChatEvent[] {
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

function startMessage(state: State, { message }: wire.MessageStart): ChatEvent[] {
  if (state.started) return [];
  const { usage, content, ...end } = message;
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

function openBlock(state: State, { index, content_block: content }: wire.BlockStart): ChatEvent[] {
  const before = [...ensureStarted(state, {}), ...(state.blocks.get(index)?.stop() ?? [])];
  const { block, events } = startBlock(content, () => state.blockCount++);
  state.blocks.set(index, block);
  state.recorder.start(content, index);
  return [...before, ...events];
}

/** The hot path. It parses without `handle`: a schema held in a variable costs 5 % of the reading. */
function addToBlock(state: State, event: unknown): ChatEvent[] | undefined {
  const parsed = wire.BlockDelta.safeParse(event);
  if (!parsed.success) return undefined;
  const { index, delta } = parsed.data;
  const block = state.blocks.get(index);
  if (block === undefined) return [];
  state.recorder.add(index, delta);
  return block.delta(delta);
}

function closeBlock(state: State, { index }: wire.BlockStop): ChatEvent[] {
  const events = state.blocks.get(index)?.stop() ?? [];
  state.blocks.delete(index);
  return events;
}

function noteEnd(state: State, event: wire.MessageDelta): ChatEvent[] {
  const { delta, usage } = event;
  state.beside = { ...state.beside, ...readBeside(event) };
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

/** The input of a call keeps its digits, as a stream's does. */
export function parseReply(text: string): unknown {
  const body: unknown = JSON.parse(text);
  const message = readObject(body);
  const exact = message?.content === undefined ? undefined : readObject(parseLongIntegers(text));
  return exact === undefined ? body : { ...message, content: exact.content };
}

/** Never throws: a body of another shape is an `error` event. */
export function readReply(body: unknown): ChatEvent[] {
  const parsed = wire.Message.safeParse(body);
  if (!parsed.success) {
    const failure = wire.ErrorBody.safeParse(body);
    return [
      readErrorEvent(
        failure.success ? failure.data.error : { message: "The provider's answer cannot be read." },
      ),
    ];
  }
  const message = parsed.data;
  let blockCount = 0;
  const blocks = message.content.flatMap((content) => {
    const { block, events } = startBlock(content, () => blockCount++);
    return [...events, ...block.stop()];
  });
  const { usage } = message;
  const counted: ChatEvent[] = usage ? [{ type: "usage", usage: readUsage(usage) }] : [];
  const note = noteContent(message.content);
  return [
    readStart(message),
    ...blocks,
    ...counted,
    ...note,
    readFinish(message, present({ context_management: message.context_management })),
  ];
}
