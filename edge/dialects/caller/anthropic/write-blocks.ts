/**
 * Writes hub events as content blocks of this dialect, one open at a time, numbered from 0. What the dialect has no field for travels in
 * seals. If the provider sends a call's signature right after its start, its seal is written before the start.
 */
import type { DialectName, EventOf, ProviderData } from "../../../../shared/chat.ts";
import { withData } from "../../json.ts";
import { createNotes, type Notes } from "../notes.ts";
import { type BlockEvent, CallOrder } from "../order-calls.ts";
import { writeSeal } from "../seals.ts";
import type { AnswerBlock, BlockSink, NativeBlock } from "./reply-types.ts";
import { type BlockSeal, writeBlockSeal, writeToolUseId } from "./seals.ts";

type Kind = "text" | "refusal" | "reasoning" | "tool";
type Open = { block: number } & (
  | { kind: "text" | "refusal" }
  | { kind: "reasoning"; signature?: string }
  /** Signatures that came after the call's start (Gemini's), sealed when the call is closed. */
  | { kind: "tool"; signatures: string[] }
);

export type BlockWriter = {
  /** @throws GatewayError upstream_error if the provider's events form no sequence of blocks */
  push(event: BlockEvent): void;
  /** To be called at the end of a batch: writes a call's start that was held back for its signature. */
  flush(): void;
  /** To be called at the end of the answer: closes the open block. */
  end(): void;
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
  /** Ids of tool calls by block, for signatures that come after the call. */
  toolIds: Map<number, string>;
  notes: Notes;
  /** A call's start, held back until the next event shows whether it is the call's signature, whose seal goes before it. */
  starting: EventOf<"tool-call-start"> | undefined;
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
    starting: undefined,
    open: undefined,
    index: -1,
  };
  const order = new CallOrder((event) => write(blocks, event));
  return {
    push: (event) => order.push(event),
    flush: () => flush(blocks),
    end: () =>
      order.end(() => {
        flush(blocks);
        close(blocks);
      }),
    said: () => ({ calls: blocks.toolIds.size > 0, refusal: [...blocks.kinds.values()].includes("refusal") }),
    notes: blocks.notes.list,
  };
}

type Writers = { [T in BlockEvent["type"]]: (blocks: Blocks, event: EventOf<T>) => void };

const writers: Writers = {
  "text-delta": (blocks, event) => say(blocks, "text", event),
  "refusal-delta": (blocks, event) => say(blocks, "refusal", event),
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
  "tool-call-delta": ({ open, sink, index }, { block, arguments: text }) => {
    if (text !== "" && open?.block === block) sink.delta(index, "input_json_delta", text);
  },
  "tool-call-end": (blocks, { block }) => {
    if (blocks.open?.kind === "tool" && blocks.open.block === block) close(blocks);
  },
  opaque: passOpaque,
};

/** Writes a call's start that was held back, after the seal of its signature. */
function flush(blocks: Blocks, signature?: string): void {
  const { starting } = blocks;
  blocks.starting = undefined;
  if (starting !== undefined) startTool(blocks, starting, signature);
}

function write(blocks: Blocks, event: BlockEvent): void {
  const isOfStart = event.type === "signature" && event.block === blocks.starting?.block;
  flush(blocks, isOfStart ? event.signature : undefined);
  if (isOfStart) return;
  if (event.type === "tool-call-start" && !blocks.own) blocks.starting = event;
  else (writers[event.type] as (blocks: Blocks, event: BlockEvent) => void)(blocks, event);
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
    sink.delta(index, "signature_delta", writeSeal(thinking));
  }
  sink.stop(index);
  if (closing.kind === "refusal" && !own) seal(blocks, { kind: "refusal" });
  if (closing.kind === "tool")
    for (const signature of closing.signatures) sealTool(blocks, closing.block, signature);
}

function say(
  blocks: Blocks,
  kind: "text" | "refusal",
  { block, text, providerData }: { block: number; text: string; providerData?: ProviderData },
): void {
  const { own, open } = blocks;
  if (text === "" && !own) return;
  if (open?.kind !== kind || open.block !== block) {
    begin(
      blocks,
      own ? { type: "text", text: "", ...providerData } : { type: "text", text: "", citations: [] },
    );
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
    if (open?.kind === "tool" && open.block === block) open.signatures.push(signature);
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
  blocks.open = { kind: "tool", block, signatures: [] };
}

function passOpaque(blocks: Blocks, { dialect, data, block, annotation }: EventOf<"opaque">): void {
  if (dialect === "gemini" && annotation !== true) seal(blocks, { kind: "part", dialect, data: { ...data } });
  else if (dialect !== "anthropic") blocks.notes.add(dialect, data);
  else if (annotation !== true && data.type === "citations_delta") {
    say(blocks, "text", { block, text: "" });
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
