/**
 * Hub events as content blocks of this dialect, one open at a time, numbered 0..n, for events that come block
 * after block (order-blocks.ts sees to that). What the dialect has no field for travels in seals.
 */
import type { ChatEvent, DialectName, ProviderData } from "../../../../shared/chat.ts";
import { GatewayError } from "../../../../shared/errors.ts";
import type { AnswerBlock, BlockSink, NativeBlock } from "./reply-types.ts";
import { type BlockSeal, withData, writeBlockSeal, writeThinkingSeal, writeToolUseId } from "./seals.ts";

export type BlockEvent = Extract<ChatEvent, { block: number }>;
type EventOf<T extends ChatEvent["type"]> = Extract<ChatEvent, { type: T }>;
type Kind = "text" | "refusal" | "reasoning" | "tool";
type Open = { block: number } & (
  | { kind: "text" | "refusal" }
  | { kind: "reasoning"; signature?: string }
  | { kind: "tool"; tool: ToolBlock }
);

export type BlockWriter = {
  write(event: BlockEvent): void;
  /** A call's start with the seal that goes before it. */
  startTool(event: EventOf<"tool-call-start">, seal?: string): void;
  close(): void;
  /** The call that is open, if one is. */
  openTool(): { block: number; tool: ToolBlock } | undefined;
  /** What was in the answer: tool calls, a refusal. */
  said(): { calls: boolean; refusal: boolean };
  /** Notes of other providers that are no blocks. */
  notes(): ProviderData | undefined;
};

/** `provider`: whose answer it is. */
export function createBlockWriter(provider: DialectName, sink: BlockSink): BlockWriter {
  const own = provider === "anthropic";
  const kinds = new Map<number, Kind>();
  /** What the provider keeps beside a reasoning block's text. */
  const reasoningData = new Map<number, ProviderData>();
  /** Tool calls by block: their ids, for seals that come late. */
  const toolIds = new Map<number, string>();
  const notes = createNotes();
  let open: Open | undefined;
  let index = -1;

  const begin = (block: AnswerBlock | NativeBlock) => {
    close();
    index += 1;
    sink.start(index, block);
  };
  const whole = (block: AnswerBlock | NativeBlock) => {
    begin(block);
    sink.stop(index);
  };
  const seal = (value: BlockSeal) => whole({ type: "redacted_thinking", data: writeBlockSeal(value) });
  const sealTool = (block: number, thoughtSignature: string) =>
    seal({ kind: "tool", id: toolIds.get(block) ?? "", thoughtSignature });

  function close(): void {
    const closing = open;
    if (closing === undefined) return;
    open = undefined;
    if (closing.kind === "reasoning" && !own) {
      const { signature, block } = closing;
      // Also where there is nothing to seal: clients drop thinking that has no signature.
      const thinking = {
        ...(signature !== undefined && { signature }),
        ...withData(reasoningData.get(block)),
      };
      sink.delta(index, "signature_delta", writeThinkingSeal(thinking));
    }
    sink.stop(index);
    if (closing.kind === "refusal" && !own) seal({ kind: "refusal" });
    if (closing.kind === "tool")
      for (const signature of closing.tool.seals) sealTool(closing.block, signature);
  }

  const say = (kind: "text" | "refusal", block: number, text: string, held?: ProviderData) => {
    if (text === "" && !own) return;
    if (open?.kind !== kind || open.block !== block) {
      begin(own ? { type: "text", text: "", ...held } : { type: "text", text: "", citations: [] });
      open = { kind, block };
      kinds.set(block, kind);
    }
    if (text !== "") sink.delta(index, "text_delta", text);
  };
  const openReasoning = (block: number) => {
    if (open?.kind === "reasoning" && open.block === block) return open;
    begin({ type: "thinking", thinking: "", signature: "" });
    kinds.set(block, "reasoning");
    const opened: Open & { kind: "reasoning" } = { kind: "reasoning", block };
    open = opened;
    return opened;
  };

  const sign = ({ block, signature }: EventOf<"signature">) => {
    const kind = kinds.get(block);
    if (own) {
      openReasoning(block);
      sink.delta(index, "signature_delta", signature);
    } else if (kind === "tool") {
      if (open?.kind === "tool" && open.block === block) open.tool.seals.push(signature);
      else sealTool(block, signature);
    } else if (kind !== "reasoning") {
      seal({ kind: "text", thoughtSignature: signature, ...(kind === undefined && { empty: true }) });
    } else if (provider === "gemini") {
      reasoningData.set(block, { thoughtSignature: signature });
      openReasoning(block);
    } else openReasoning(block).signature = signature;
  };

  const startTool = ({ block, id, name, providerData }: EventOf<"tool-call-start">, given?: string) => {
    toolIds.set(block, id);
    kinds.set(block, "tool");
    if (given !== undefined) sealTool(block, given);
    const head = { type: "tool_use" as const, id: writeToolUseId(id, own), name, input: {} };
    begin(own ? { ...providerData, ...head } : { ...head, caller: { type: "direct" } });
    open = { kind: "tool", block, tool: createToolBlock() };
  };
  const addArguments = ({ block, arguments: text }: EventOf<"tool-call-delta">) => {
    if (open?.kind === "tool" && open.block === block) {
      open.tool.add(text);
      if (text !== "") sink.delta(index, "input_json_delta", text);
    } else if (text.trim() !== "") {
      throw new GatewayError(
        "upstream_error",
        "The provider added to a tool call that was complete; retry the request.",
      );
    }
  };

  /** Clients read a call's input, and a compaction's text, from deltas. */
  const passNative = (block: NativeBlock) => {
    const { type, input, content } = block;
    if (type === "compaction") {
      begin({ ...block, content: null });
      if (content != null) sink.delta(index, "compaction_delta", content);
    } else if (/tool_use$/.test(type)) {
      begin({ ...block, input: {} });
      const json = typeof input === "string" ? input : JSON.stringify(input ?? {});
      sink.delta(index, "input_json_delta", json);
    } else begin(block);
    sink.stop(index);
  };
  const passOpaque = ({ dialect, data, block, annotation }: EventOf<"opaque">) => {
    if (dialect === "gemini" && annotation !== true) seal({ kind: "part", dialect, data: { ...data } });
    else if (dialect !== "anthropic") notes.add(dialect, data);
    else if (annotation === true) return;
    else if (data.type === "citations_delta") {
      say("text", block, "");
      sink.delta(index, "citations_delta", data.citation);
    } else passNative({ ...data, type: String(data.type) });
  };

  return {
    write(event) {
      const { block } = event;
      switch (event.type) {
        case "text-delta":
          return say("text", block, event.text, event.providerData);
        case "refusal-delta":
          return say("refusal", block, event.text);
        case "reasoning-delta":
          if (event.providerData !== undefined) reasoningData.set(block, event.providerData);
          openReasoning(block);
          if (event.text !== "") sink.delta(index, "thinking_delta", event.text);
          return;
        case "redacted-reasoning":
          if (own) return whole({ type: "redacted_thinking", data: event.data });
          return seal({ kind: "reasoning", data: event.data, ...withData(event.providerData) });
        case "signature":
          return sign(event);
        case "tool-call-start":
          return startTool(event);
        case "tool-call-delta":
          return addArguments(event);
        case "tool-call-end":
          if (open?.kind === "tool" && open.block === block) close();
          return;
        case "opaque":
          return passOpaque(event);
      }
    },
    startTool,
    close,
    openTool: () => (open?.kind === "tool" ? open : undefined),
    said: () => ({ calls: toolIds.size > 0, refusal: [...kinds.values()].includes("refusal") }),
    notes: notes.list,
  };
}

export type ToolBlock = {
  add(text: string): void;
  /** True once the arguments are a whole JSON object: nothing but white space can follow. */
  isComplete(): boolean;
  /** Gemini's, to be written once the call is closed. */
  readonly seals: string[];
};

export function createToolBlock(): ToolBlock {
  let text = "";
  return {
    add(piece) {
      text += piece;
    },
    isComplete() {
      if (!text.trimEnd().endsWith("}")) return false;
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    },
    seals: [],
  };
}

export type Notes = { add(dialect: DialectName, data: ProviderData): void; list(): ProviderData | undefined };

/** As Google's own OpenAI format names itself. */
const names: Readonly<Record<DialectName, string>> = {
  openai: "openai",
  anthropic: "anthropic",
  gemini: "google",
};

export function createNotes(): Notes {
  const notes = new Map<string, Record<string, unknown>>();
  return {
    add(dialect, data) {
      const own = notes.get(names[dialect]) ?? {};
      for (const [name, value] of Object.entries(data)) {
        const before = own[name];
        // Lists come in pieces; anything else is repeated whole.
        own[name] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
      }
      notes.set(names[dialect], own);
    },
    list: () => (notes.size === 0 ? undefined : Object.fromEntries(notes)),
  };
}
