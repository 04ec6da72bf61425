/**
 * Keeps an answer's content as Anthropic wrote it, for callers of other dialects to send back. It is added as a note at the end
 * of answers that their own fields cannot express (citations, server tools, text between thinking).
 */
import type { ChatEvent } from "../../../../shared/chat.ts";
import { parseExactly } from "../../exact-numbers.ts";
import { readList, readToolArguments } from "../../json.ts";
import type { BlockDelta, ContentBlock } from "./schema.ts";

type Delta = BlockDelta["delta"];
export type NativeBlock = Record<string, unknown>;

/** A block of any kind from its start to its stop; deltas are added to it as the official client does. */
export type NativeBlockBuilder = {
  add(delta: Delta): void;
  /** The whole block. An input that is no valid JSON stays text. */
  build(): NativeBlock;
};

export function createNativeBlock({ input, ...start }: ContentBlock): NativeBlockBuilder {
  const block: NativeBlock = { ...start, ...(input !== undefined && { input }) };
  let json = "";
  return {
    // Called for every delta of a stream, so the delta is not copied.
    add(delta) {
      for (const name in delta) {
        const value = delta[name];
        if (name === "type" || value === undefined || value === null) continue;
        if (name === "partial_json") json += String(value);
        else if (name === "citation") block.citations = [...readList(block.citations), value];
        // `encrypted_content` comes whole, and the official client assigns it, too.
        else block[name] = name === "encrypted_content" ? value : join(block[name], value);
      }
    },
    build: () => (json === "" ? block : { ...block, input: parseExactly(json) ?? json }),
  };
}

/** A larger answer is not kept: no model writes as much, only a faulty stream does. */
const maxChars = 4 * 1024 * 1024;
/** Counted for each block and delta in addition to its text. */
const frameChars = 64;

export type ContentRecorder = {
  /** `index` is the provider's. A block of a JSON reply has none. */
  start(block: ContentBlock, index?: number): void;
  add(index: number, delta: Delta): void;
  /** The note, if other dialects cannot express the content. */
  note(): ChatEvent[];
};

export function createContentRecorder(): ContentRecorder {
  const blocks: NativeBlockBuilder[] = [];
  const byIndex = new Map<number, NativeBlockBuilder>();
  let chars = 0;
  const hasRoom = (more: number): boolean => {
    chars += more + frameChars;
    if (chars > maxChars) {
      blocks.length = 0;
      byIndex.clear();
    }
    return chars <= maxChars;
  };
  return {
    start(block, index) {
      if (!hasRoom(0)) return;
      const builder = createNativeBlock(block);
      blocks.push(builder);
      if (index !== undefined) byIndex.set(index, builder);
    },
    add(index, delta) {
      const { text, thinking, partial_json: json } = delta;
      if (!hasRoom((text ?? thinking ?? json ?? "").length)) return;
      byIndex.get(index)?.add(delta);
    },
    note: () => (chars > maxChars ? [] : noteContent(blocks.map((builder) => withInput(builder.build())))),
  };
}

/** The note on the content of a JSON reply. */
export function noteContent(content: readonly NativeBlock[]): ChatEvent[] {
  if (isPlain(content)) return [];
  const data = { content };
  return [{ type: "opaque", choice: 0, block: 0, dialect: "anthropic", data, annotation: true }];
}

/** Position of a block in the only order that other dialects have: reasoning, one text, calls. */
const ranks: Readonly<Record<string, number>> = { thinking: 0, redacted_thinking: 0, text: 1, tool_use: 2 };

function isPlain(content: readonly NativeBlock[]): boolean {
  let rank = 0;
  let texts = 0;
  for (const block of content) {
    const own = ranks[String(block.type)];
    if (own === undefined || own < rank) return false;
    rank = own;
    if (own === 1) texts += 1;
    if (Array.isArray(block.citations) && block.citations.length > 0) return false;
    const caller = block.caller as { type?: unknown } | null | undefined;
    if (caller != null && caller.type !== "direct") return false;
  }
  return texts <= 1;
}

/** Anthropic accepts only objects as input: text that is no valid JSON is sent back inside an object. */
function withInput(block: NativeBlock): NativeBlock {
  return typeof block.input === "string" ? { ...block, input: readToolArguments(block.input).value } : block;
}

function join(before: unknown, value: unknown): unknown {
  return typeof before === "string" && typeof value === "string" ? before + value : value;
}
