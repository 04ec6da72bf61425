/**
 * Writes hub events as content blocks of this dialect, one open at a time, numbered from 0. The events must come block after
 * block (see order-blocks.ts). What the dialect has no field for travels in seals.
 */
import type { DialectName, EventOf, ProviderData } from "../../../../shared/chat.ts";
import { withData } from "../../json.ts";
import { createNotes, type Notes } from "../../openai-extensions.ts";
import type { BlockEvent } from "../../order-calls.ts";
import { encodeSeal } from "../../seals.ts";
import type { AnswerBlock, BlockSink, NativeBlock } from "./reply-types.ts";
import { type BlockSeal, writeBlockSeal, writeToolUseId } from "./seals.ts";

type Kind = "text" | "refusal" | "reasoning" | "tool";
type Open = { block: number } & (
  | { kind: "text" | "refusal" }
  | { kind: "reasoning"; signature?: string }
  /** Seals that came after the call's start (Gemini's), written when the call is closed. */
  | { kind: "tool"; seals: string[] }
);

export type BlockWriter = {
  write(event: BlockEvent): void;
  /** Starts a call, after the seal that goes before it. */
  startTool(event: EventOf<"tool-call-start">, seal?: string): void;
  close(): void;
  /** Whether the answer held tool calls, and a refusal. */
  said(): { calls: boolean; refusal: boolean };
  /** Other providers' notes that are no blocks. */
  notes(): ProviderData;
};

/** An answer whose blocks are being written. */
type Blocks = {
  provider: DialectName;
  /** The provider speaks this dialect, so its blocks are passed on unchanged. */
  own: boolean;
  sink: BlockSink;
  kinds: Map<number, Kind>;
  /** The provider's data of each reasoning block, beside its text. */
  reasoningData: Map<number, ProviderData>;
  /** Ids of tool calls by block, for seals that come after the call. */
  toolIds: Map<number, string>;
  notes: Notes;
  open: Open | undefined;
  /** Number of the latest block written. */
  index: number;
};

/** `provider` is the one that answers. */
export function createBlockWriter(provider: DialectName, sink: BlockSink): BlockWriter {
  const blocks: Blocks = {
    provider,
    own: provider === "anthropic",
    sink,
    kinds: new Map(),
    reasoningData: new Map(),
    toolIds: new Map(),
    notes: createNotes(),
    open: undefined,
    index: -1,
  };
  return {
    write: (event) => write(blocks, event),
    startTool: (event, seal) => startTool(blocks, event, seal),
    close: () => close(blocks),
    said: () => ({ calls: blocks.toolIds.size > 0, refusal: [...blocks.kinds.values()].includes("refusal") }),
    notes: blocks.notes.list,
  };
}

type Writers = { [T in BlockEvent["type"]]: (blocks: Blocks, event: EventOf<T>) => void };

const writers: Writers = {
  "text-delta": (blocks, { block, text, providerData }) => say(blocks, "text", block, text, providerData),
  "refusal-delta": (blocks, { block, text }) => say(blocks, "refusal", block, text),
  "reasoning-delta": (blocks, { block, text, providerData, estimatedTokens: estimated_tokens }) => {
    if (providerData !== undefined) blocks.reasoningData.set(block, providerData);
    openReasoning(blocks, block);
    const counted = estimated_tokens === undefined ? undefined : { estimated_tokens };
    if (text !== "" || counted) blocks.sink.delta(blocks.index, "thinking_delta", text, counted);
  },
  "redacted-reasoning": (blocks, { data, providerData }) => {
    if (blocks.own) whole(blocks, { type: "redacted_thinking", data });
    else seal(blocks, { kind: "reasoning", data, ...withData(providerData) });
  },
  signature: sign,
  "tool-call-start": startTool,
  "tool-call-delta": addArguments,
  "tool-call-end": (blocks, { block }) => {
    if (blocks.open?.kind === "tool" && blocks.open.block === block) close(blocks);
  },
  opaque: passOpaque,
};

function write(blocks: Blocks, event: BlockEvent): void {
  const writeEvent = writers[event.type] as (blocks: Blocks, event: BlockEvent) => void;
  writeEvent(blocks, event);
}

function begin(blocks: Blocks, block: AnswerBlock | NativeBlock): void {
  close(blocks);
  blocks.index += 1;
  blocks.sink.start(blocks.index, block);
}

function whole(blocks: Blocks, block: AnswerBlock | NativeBlock): void {
  begin(blocks, block);
  blocks.sink.stop(blocks.index);
}

const seal = (blocks: Blocks, value: BlockSeal): void =>
  whole(blocks, { type: "redacted_thinking", data: writeBlockSeal(value) });

const sealTool = (blocks: Blocks, block: number, thoughtSignature: string): void =>
  seal(blocks, { kind: "tool", id: blocks.toolIds.get(block) ?? "", thoughtSignature });

function close(blocks: Blocks): void {
  const { open: closing, own, sink, index } = blocks;
  if (closing === undefined) return;
  blocks.open = undefined;
  if (closing.kind === "reasoning" && !own) {
    const { signature, block } = closing;
    // Written even if there is nothing to seal: clients drop thinking that has no signature.
    const thinking = {
      ...(signature !== undefined && { signature }),
      ...withData(blocks.reasoningData.get(block)),
    };
    sink.delta(index, "signature_delta", encodeSeal(thinking));
  }
  sink.stop(index);
  if (closing.kind === "refusal" && !own) seal(blocks, { kind: "refusal" });
  if (closing.kind === "tool")
    for (const signature of closing.seals) sealTool(blocks, closing.block, signature);
}

function say(
  blocks: Blocks,
  kind: "text" | "refusal",
  block: number,
  text: string,
  held?: ProviderData,
): void {
  const { own, open } = blocks;
  if (text === "" && !own) return;
  if (open?.kind !== kind || open.block !== block) {
    begin(blocks, own ? { type: "text", text: "", ...held } : { type: "text", text: "", citations: [] });
    blocks.open = { kind, block };
    blocks.kinds.set(block, kind);
  }
  if (text !== "") blocks.sink.delta(blocks.index, "text_delta", text);
}

function openReasoning(blocks: Blocks, block: number): Open & { kind: "reasoning" } {
  const { open } = blocks;
  if (open?.kind === "reasoning" && open.block === block) return open;
  begin(blocks, { type: "thinking", thinking: "", signature: "" });
  blocks.kinds.set(block, "reasoning");
  const opened: Open & { kind: "reasoning" } = { kind: "reasoning", block };
  blocks.open = opened;
  return opened;
}

function sign(blocks: Blocks, { block, signature }: EventOf<"signature">): void {
  const { own, kinds, open } = blocks;
  const kind = kinds.get(block);
  if (own) {
    openReasoning(blocks, block);
    blocks.sink.delta(blocks.index, "signature_delta", signature);
  } else if (kind === "tool") {
    if (open?.kind === "tool" && open.block === block) open.seals.push(signature);
    else sealTool(blocks, block, signature);
  } else if (kind !== "reasoning") {
    seal(blocks, { kind: "text", thoughtSignature: signature, ...(kind === undefined && { empty: true }) });
  } else if (blocks.provider === "gemini") {
    blocks.reasoningData.set(block, { thoughtSignature: signature });
    openReasoning(blocks, block);
  } else openReasoning(blocks, block).signature = signature;
}

function startTool(blocks: Blocks, event: EventOf<"tool-call-start">, given?: string): void {
  const { block, id, name, providerData } = event;
  const { own } = blocks;
  blocks.toolIds.set(block, id);
  blocks.kinds.set(block, "tool");
  if (given !== undefined) sealTool(blocks, block, given);
  const head = { type: "tool_use" as const, id: writeToolUseId(id, own), name, input: {} };
  begin(blocks, own ? { ...providerData, ...head } : { ...head, caller: { type: "direct" } });
  blocks.open = { kind: "tool", block, seals: [] };
}

function addArguments(blocks: Blocks, { block, arguments: text }: EventOf<"tool-call-delta">): void {
  const { open, sink, index } = blocks;
  if (text !== "" && open?.block === block) sink.delta(index, "input_json_delta", text);
}

function passOpaque(blocks: Blocks, { dialect, data, block, annotation }: EventOf<"opaque">): void {
  if (dialect === "gemini" && annotation !== true) seal(blocks, { kind: "part", dialect, data: { ...data } });
  else if (dialect !== "anthropic") blocks.notes.add(dialect, data);
  else if (annotation !== true && data.type === "citations_delta") {
    say(blocks, "text", block, "");
    blocks.sink.delta(blocks.index, "citations_delta", data.citation);
  } else if (annotation !== true) passNative(blocks, { ...data, type: String(data.type) });
}

/**
 * Clients read a call's input, and what a compaction holds, from deltas only. Some versions of the official client overwrite
 * `encrypted_content` with the delta's, so it is in both.
 */
function passNative(blocks: Blocks, block: NativeBlock): void {
  const { sink } = blocks;
  const { type, input, content, encrypted_content: sealed } = block;
  if (type === "compaction") {
    begin(blocks, { ...block, content: null });
    if (content != null || sealed != null)
      sink.delta(
        blocks.index,
        "compaction_delta",
        content ?? null,
        sealed == null ? undefined : { encrypted_content: sealed },
      );
  } else if (/tool_use$/.test(type)) {
    begin(blocks, { ...block, input: {} });
    const json = typeof input === "string" ? input : JSON.stringify(input ?? {});
    sink.delta(blocks.index, "input_json_delta", json);
  } else begin(blocks, block);
  sink.stop(blocks.index);
}
