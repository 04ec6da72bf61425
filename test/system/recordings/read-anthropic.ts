/**
 * Anthropic's Messages events, after platform.claude.com/docs/en/build-with-claude/streaming: blocks by index,
 * cumulative usage. `input_tokens` leaves cached and cache-written tokens out; a caller of OpenAI's format
 * expects all three in `prompt_tokens`. Server tools run at the provider, so they are no calls of the caller's.
 */
import {
  count,
  type ExpectedAnswer,
  type ExpectedUsage,
  type Line,
  list,
  parseArguments,
  record,
  string,
} from "./expected-answer.ts";

const finishes: Readonly<Record<string, ExpectedAnswer["finish"]>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "content_filter",
};

/** A block with the JSON its deltas brought. */
type Block = { content: Line; json: string };

const deltaFields = ["text", "thinking", "signature"] as const;

function applyDelta(block: Block, delta: Line): void {
  block.json += string(delta.partial_json);
  for (const field of deltaFields) {
    if (typeof delta[field] === "string") block.content[field] = string(block.content[field]) + delta[field];
  }
  if (delta.type === "compaction_delta") {
    block.content.content = string(block.content.content) + string(delta.content);
  }
  if (delta.citation !== undefined) {
    block.content.citations = [...list(block.content.citations), delta.citation];
  }
}

function readUsage(usage: Line): ExpectedUsage {
  const cached = count(usage.cache_read_input_tokens);
  const prompt = count(usage.input_tokens) + count(usage.cache_creation_input_tokens) + cached;
  const completion = count(usage.output_tokens);
  return {
    prompt,
    completion,
    total: prompt + completion,
    cached,
    reasoning: count(record(usage.output_tokens_details).thinking_tokens),
  };
}

/** Later counts replace earlier ones; those a later event leaves out stay. */
const given = (usage: unknown): Line =>
  Object.fromEntries(Object.entries(record(usage)).filter(([, value]) => value !== null));

export function readAnthropic(lines: readonly Line[]): ExpectedAnswer {
  const blocks: Block[] = [];
  const byIndex = new Map<unknown, Block>();
  let usage: Line | undefined;
  let end: Line = {};
  let message: Line = {};
  let failure: string | undefined;
  const open = (content: unknown): Block => {
    const block = { content: { ...record(content) }, json: "" };
    blocks.push(block);
    return block;
  };
  for (const line of lines) {
    if (line.type === "message_start") {
      message = record(line.message);
      for (const content of list(message.content)) open(content);
      if (typeof message.stop_reason === "string") end = message;
    }
    if (line.type === "content_block_start") byIndex.set(line.index, open(line.content_block));
    const block = byIndex.get(line.index);
    if (line.type === "content_block_delta" && block !== undefined) applyDelta(block, record(line.delta));
    if (line.type === "message_delta" && typeof record(line.delta).stop_reason === "string") {
      end = record(line.delta);
    }
    if (line.type === "error") failure = string(record(line.error).message);
    const counts = line.type === "message_start" ? message.usage : line.usage;
    if (counts !== undefined) usage = { ...usage, ...given(counts) };
  }
  const join = (type: string, field: string) =>
    blocks
      .filter(({ content }) => content.type === type)
      .map(({ content }) => string(content[field]))
      .join("");
  const inputOf = ({ content, json }: Block): unknown =>
    json === "" ? (content.input ?? {}) : parseArguments(json);
  return {
    text: join("text", "text"),
    reasoning: join("thinking", "thinking"),
    refusal: "",
    calls: blocks
      .filter(({ content }) => content.type === "tool_use")
      .map((block) => ({ name: string(block.content.name), arguments: inputOf(block) })),
    finish: finishes[string(end.stop_reason)] ?? "stop",
    usage: usage && readUsage(usage),
    failure,
    reply: {
      ...message,
      content: blocks.map((block) =>
        "input" in block.content ? { ...block.content, input: inputOf(block) } : block.content,
      ),
      stop_reason: end.stop_reason ?? null,
      stop_sequence: end.stop_sequence ?? null,
      ...(usage !== undefined && { usage }),
    },
  };
}
