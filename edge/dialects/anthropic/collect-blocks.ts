/** A sink of blocks that keeps them whole: the content of a message. */
import { type BlockSink, type DeltaType, deltaFields } from "./message-types.ts";

export type Block = Record<string, unknown>;

/** Deltas folded into the blocks they belong to, as the official client does. */
export function collectBlocks(content: Block[]): BlockSink {
  const json = new Map<number, string>();
  const grow = (block: Block, field: string, value: unknown) => {
    block[field] = String(block[field] ?? "") + String(value);
  };
  const folds: Record<DeltaType, (block: Block, value: unknown, index: number) => void> = {
    text_delta: (block, value) => grow(block, deltaFields.text_delta, value),
    thinking_delta: (block, value) => grow(block, deltaFields.thinking_delta, value),
    signature_delta: (block, value) => {
      block.signature = value;
    },
    compaction_delta: (block, value) => {
      block.content = value;
    },
    citations_delta: (block, value) => {
      block.citations = [...((block.citations as unknown[] | null | undefined) ?? []), value];
    },
    input_json_delta: (_block, value, index) => {
      json.set(index, (json.get(index) ?? "") + String(value));
    },
  };
  return {
    start: (_index, block) => void content.push({ ...block }),
    delta: (index, type, value) => folds[type](content[index] as Block, value, index),
    stop: (index) => {
      const text = json.get(index);
      if (text !== undefined && text.trim() !== "") (content[index] as Block).input = parseInput(text);
    },
  };
}

/** A model that wrote no JSON: its words, so that the caller sees what came. */
function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { _raw: text };
  }
}
