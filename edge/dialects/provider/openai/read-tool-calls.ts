/**
 * Tool calls of one choice, collected from deltas as servers really send them: indices that do not start at 0, repeat or are
 * missing; ids only on the first delta, or another on each; names that come late; arguments as one piece, as an object, or not at
 * all. Gives each call one start, its pieces, and one end.
 */
import type { ChatEvent } from "../../../../shared/chat.ts";
import { readObject } from "../../json.ts";
import { ObjectScan } from "../../json-scan.ts";
import { readThoughtSignature } from "../../openai-extensions.ts";
import type { WireToolCall } from "./schema.ts";

type Call = {
  /** Its place among the choice's calls. */
  ordinal: number;
  /** The provider's `index`, if it gave one. */
  position: number | undefined;
  id: string | undefined;
  name: string | undefined;
  block: number;
  started: boolean;
  /** Arguments so far, a scan that sees their end, and the part of them not passed on yet. */
  whole: string;
  text: ObjectScan;
  held: string;
  /** A custom tool: its free text is passed on as a function's one argument. */
  custom: boolean;
  /** Something other than white space was passed on. */
  written: boolean;
  signature: string | undefined;
};

export type ToolCallAssembler = {
  /** Adds the events of one entry of `tool_calls`. */
  push(delta: WireToolCall, events: ChatEvent[]): void;
  /** Ends every call. */
  end(events: ChatEvent[]): void;
  /** False if a call has no name, so that nobody could run it. An entry without id, name and arguments is ignored. */
  isNamed(): boolean;
  called(): boolean;
};

/** What the calls of one choice have in common. */
type Calls = {
  choice: number;
  list: Call[];
  /** The latest call of an id, and of a position: looked for in the list, 16,000 calls held the edge for twelve seconds. */
  byId: Map<string, Call>;
  byPosition: Map<number, Call>;
  /** Ids already used: each must be unique in its answer. */
  ids: Set<string>;
  takeBlock: () => number;
  createId: (ordinal: number) => string;
};

/** `takeBlock` numbers the next content block; `createId` makes an id for the n-th call if it has none. */
export function createToolCallAssembler(
  choice: number,
  takeBlock: () => number,
  createId: (ordinal: number) => string,
): ToolCallAssembler {
  const calls: Calls = {
    choice,
    list: [],
    byId: new Map(),
    byPosition: new Map(),
    ids: new Set(),
    takeBlock,
    createId,
  };
  return {
    push(delta, events) {
      const call = readCall(calls, delta);
      start(calls, call, events);
      pass(choice, call, events, false);
    },
    end(events) {
      for (const call of calls.list) if (call.started) endCall(choice, call, events);
    },
    isNamed: () => calls.list.every(({ started, id, held }) => started || (id === undefined && held === "")),
    called: () => calls.list.some(({ started }) => started),
  };
}

/** The call that an entry belongs to, updated with the entry's fields. */
function readCall(calls: Calls, delta: WireToolCall): Call {
  const { list, byId, byPosition } = calls;
  const { custom } = delta;
  const id = delta.id || undefined;
  const name = (custom ?? delta.function)?.name || undefined;
  const position = delta.index ?? undefined;
  const told = readArguments(delta.function?.arguments);
  let call = find(calls, position, id, name);
  if (call === undefined || beginsAnother(call, id, name, told)) {
    call = createCall(list.length, position, custom != null);
    list.push(call);
    if (position !== undefined) byPosition.set(position, call);
  }
  if (call.id === undefined && id !== undefined) {
    call.id = id;
    byId.set(id, call);
  }
  call.name ??= name;
  call.signature = readThoughtSignature(delta.extra_content) ?? call.signature;
  const piece = call.custom ? escapeText(custom?.input ?? "") : told;
  // Some servers end a call by its whole arguments once more (github.com/lidge-jun/opencodex/issues/361).
  if (call.text.isWhole() && piece === call.whole) return call;
  call.whole += piece;
  call.text.add(piece);
  call.held += piece;
  return call;
}

/** JSON around the free text of a custom tool, which arrives in pieces too. */
const inputOpen = '{"input":"';
const inputClose = '"}';
const escapeText = (text: string): string => JSON.stringify(text).slice(1, -1);

function createCall(ordinal: number, position: number | undefined, custom: boolean): Call {
  const held = custom ? inputOpen : "";
  const text = new ObjectScan();
  text.add(held);
  return {
    ordinal,
    position,
    id: undefined,
    name: undefined,
    block: -1,
    started: false,
    whole: held,
    text,
    held,
    custom,
    written: false,
    signature: undefined,
  };
}

function find(
  { list, byId, byPosition }: Calls,
  position: number | undefined,
  id: string | undefined,
  name: string | undefined,
): Call | undefined {
  const same = id === undefined ? undefined : byId.get(id);
  if (same !== undefined && (position ?? same.position) === (same.position ?? position)) return same;
  if (position !== undefined) return byPosition.get(position);
  return id === undefined || name === undefined ? list.at(-1) : undefined;
}

/**
 * Whether an entry begins another call: it brings a name although the call has one, and either a new id, or the arguments are
 * already complete. A server that gave the call an id and a place may repeat its name without the id, with nothing new beside it.
 */
function beginsAnother(call: Call, id: string | undefined, name: string | undefined, told: string): boolean {
  if (name === undefined || call.name === undefined) return false;
  if (id !== undefined) return call.id !== undefined && call.id !== id;
  const isPlaced = name === call.name && call.id !== undefined && call.position !== undefined;
  const repeats = isPlaced && (told.trim() === "" || told === call.whole);
  return call.text.isWhole() && !repeats;
}

function start({ choice, list, ids, takeBlock, createId }: Calls, call: Call, events: ChatEvent[]): void {
  if (call.started || call.name === undefined) return;
  // Official clients read a call's arguments when the next one starts, so a held `{}` is passed on now.
  const before = list.findLast(({ started }) => started);
  if (before !== undefined) pass(choice, before, events, true);
  call.started = true;
  call.block = takeBlock();
  const { ordinal } = call;
  const wanted = call.id ?? createId(ordinal);
  const unique = ids.has(wanted) ? `${wanted}_${ordinal}` : wanted;
  ids.add(unique);
  events.push({ type: "tool-call-start", choice, block: call.block, id: unique, name: call.name });
}

function pass(choice: number, call: Call, events: ChatEvent[], last: boolean): void {
  if (!call.started) return;
  const { block } = call;
  if (call.signature !== undefined) {
    events.push({ type: "signature", choice, block, signature: call.signature });
    call.signature = undefined;
  }
  // "{}" may be the whole arguments, or a placeholder before the real ones.
  if (!call.written && call.held === "{}" && !last) return;
  if (!call.written && /^\{\}\s*\{/.test(call.held)) call.held = call.held.slice(2);
  if (call.held === "") return;
  events.push({ type: "tool-call-delta", choice, block, arguments: call.held });
  call.written ||= /\S/.test(call.held);
  call.held = "";
}

function endCall(choice: number, call: Call, events: ChatEvent[]): void {
  if (call.custom) call.held += inputClose;
  pass(choice, call, events, true);
  const { block } = call;
  if (!call.written) events.push({ type: "tool-call-delta", choice, block, arguments: "{}" });
  events.push({ type: "tool-call-end", choice, block });
}

function readArguments(value: unknown): string {
  if (typeof value === "string") return value;
  return readObject(value) === undefined ? "" : JSON.stringify(value);
}
