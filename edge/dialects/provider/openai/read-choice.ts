/**
 * One choice of an OpenAI-format answer: its deltas (or its whole `message`, which is one large delta) as hub events. Numbers the
 * content blocks and tracks which one is open; knows nothing of chunks or errors.
 */
import type { ChatEvent, FinishReason } from "../../../../shared/chat.ts";
import { readDetailData, readThoughtSignature } from "../../openai-extensions.ts";
import { readFinishReason, readWord } from "./read-end.ts";
import { createToolCallAssembler, type ToolCallAssembler } from "./read-tool-calls.ts";
import type { Delta, WireDetail } from "./schema.ts";

export type ChoiceReader = {
  /** `whole`: the delta is the message of a JSON reply, so each tool call in it is complete. */
  read(delta: Delta, whole: boolean, events: ChatEvent[]): void;
  /** Notes a finish reason. Of several, the first that says more than `stop` counts. */
  noteFinish(raw: string, native: string | null): void;
  /** Ends the choice; what comes later is dropped. */
  end(events: ChatEvent[]): void;
  /** Whether a finish reason has come. */
  isFinished(): boolean;
  /** Whether a finish reason has come, and before it an answer with the calls that the reason claims. */
  isWhole(): boolean;
  /**
   * False for a tool call without a name, and for an answer that holds nothing but the claim of a call: agents would ask again and again.
   */
  isUsable(): boolean;
  hasEnded(): boolean;
};

/** Output fields without a hub event of their own: citations, spoken answers, generated images. */
const opaqueFields = ["annotations", "audio", "images"] as const;

type Kind = "text" | "reasoning" | "refusal" | "other";

/** A choice while it is read. */
type Choice = {
  number: number;
  blocks: number;
  /** Kind of the latest block; nothing is ever added to "other". */
  kind: Kind;
  block: number;
  finish: { raw: string; native: string | null } | undefined;
  ended: boolean;
  /** A text, a refusal or an opaque part was written. */
  said: boolean;
  /** Blocks of `reasoning_details` by type and index. */
  details: Map<string, number>;
  lastDetail: number | undefined;
  /** Undefined until the first tool call. */
  tools: ToolCallAssembler | undefined;
  createId: (ordinal: number) => string;
};

export function createChoiceReader(number: number, createId: (ordinal: number) => string): ChoiceReader {
  const choice: Choice = {
    number,
    blocks: 0,
    kind: "other",
    block: -1,
    finish: undefined,
    ended: false,
    said: false,
    details: new Map(),
    lastDetail: undefined,
    tools: undefined,
    createId,
  };
  return {
    read(delta, whole, events) {
      if (!choice.ended) readDelta(choice, delta, whole, events);
    },
    noteFinish(raw, native) {
      if (choice.finish === undefined || readWord(choice.finish.raw) === "stop")
        choice.finish = { raw, native };
    },
    end(events) {
      if (choice.ended) return;
      choice.ended = true;
      const { tools, finish } = choice;
      tools?.end(events);
      const raw = finish?.native ?? finish?.raw ?? null;
      events.push({ type: "finish", choice: number, reason: readReason(choice), raw });
    },
    isFinished: () => choice.finish !== undefined,
    isWhole: () => choice.finish !== undefined && choice.blocks > 0 && isNamed(choice) && !lacksCall(choice),
    isUsable: () => isNamed(choice) && (choice.said || !lacksCall(choice)),
    hasEnded: () => choice.ended,
  };
}

const hasCalled = ({ tools }: Choice): boolean => tools?.called() ?? false;
const isNamed = ({ tools }: Choice): boolean => tools?.isNamed() ?? true;

function readReason(choice: Choice): FinishReason {
  const { finish } = choice;
  return finish === undefined ? "other" : readFinishReason(finish.raw, finish.native, hasCalled(choice));
}

/** Whether the finish reason claims a call, and none was sent. */
const lacksCall = (choice: Choice): boolean => readReason(choice) === "tool-calls" && !hasCalled(choice);

/** The number of the block for content of this kind: the open block, or a new one. */
function openBlock(choice: Choice, kind: Kind): number {
  if (choice.kind !== kind || kind === "other") {
    choice.kind = kind;
    choice.block = choice.blocks++;
  }
  return choice.block;
}

function readDelta(choice: Choice, delta: Delta, whole: boolean, events: ChatEvent[]): void {
  const { number } = choice;
  readReasoning(choice, delta, events);
  readContent(choice, delta.content, events);
  if (delta.refusal) {
    choice.said = true;
    const block = openBlock(choice, "refusal");
    events.push({ type: "refusal-delta", choice: number, block, text: delta.refusal });
  }
  const signature = delta.extra_content == null ? undefined : readThoughtSignature(delta.extra_content);
  if (signature !== undefined) {
    if (choice.kind !== "text")
      events.push({ type: "text-delta", choice: number, block: openBlock(choice, "text"), text: "" });
    events.push({ type: "signature", choice: number, block: choice.block, signature });
  }
  if (delta.tool_calls) {
    choice.tools ??= createToolCallAssembler(number, () => openBlock(choice, "other"), choice.createId);
    for (const [index, call] of delta.tool_calls.entries())
      if (call !== null) choice.tools.push(whole ? { ...call, index } : call, events);
  }
  for (const name of opaqueFields) {
    const value = delta[name];
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) continue;
    choice.said = true;
    const at = { choice: number, block: openBlock(choice, "other") };
    events.push({ type: "opaque", ...at, dialect: "openai", data: { [name]: value } });
  }
}

function readContent(choice: Choice, content: Delta["content"], events: ChatEvent[]): void {
  if (typeof content === "string") {
    if (content === "") return;
    choice.said = true;
    const block = openBlock(choice, "text");
    events.push({ type: "text-delta", choice: choice.number, block, text: content });
    return;
  }
  if (!content) return;
  for (const part of content) {
    if (part.type === "text") readContent(choice, part.text, events);
    if (part.type === "thinking")
      for (const piece of part.thinking ?? []) readThought(choice, piece?.text, events);
  }
}

function readReasoning(choice: Choice, delta: Delta, events: ChatEvent[]): void {
  const plain = delta.reasoning_content || delta.reasoning;
  if (!delta.reasoning_details) {
    readThought(choice, plain, events);
    return;
  }
  const entries = delta.reasoning_details.filter((entry) => entry !== null);
  // The plain field repeats the text of the details.
  if (!entries.some((entry) => entry.text || entry.summary)) readThought(choice, plain, events);
  for (const entry of entries) readDetail(choice, entry, events);
}

function readThought(choice: Choice, text: string | null | undefined, events: ChatEvent[]): void {
  if (!text) return;
  const block = openBlock(choice, "reasoning");
  events.push({ type: "reasoning-delta", choice: choice.number, block, text });
}

function readDetail(choice: Choice, detail: WireDetail, events: ChatEvent[]): void {
  const { number } = choice;
  const held = readDetailData(detail);
  const providerData = held && { providerData: held };
  const { data, signature } = detail;
  if (data) {
    const block = openBlock(choice, "other");
    events.push({ type: "redacted-reasoning", choice: number, block, data, ...providerData });
    return;
  }
  const text = detail.text || detail.summary || "";
  if (text === "" && !signature) return;
  const known = findDetail(choice, detail, text);
  const block = known ?? openDetail(choice, detail);
  if (text !== "" || known === undefined) {
    const more = known === undefined ? providerData : undefined;
    events.push({ type: "reasoning-delta", choice: number, block, text, ...more });
  }
  if (signature) events.push({ type: "signature", choice: number, block, signature });
}

const detailKey = ({ type, index }: WireDetail) => `${readTag(type)} ${readTag(index)}`;
/** An object counts as absent: String() of it would call its own `toString`. */
const readTag = (tag: unknown): string => (typeof tag === "object" ? "" : String(tag ?? ""));

/** The block that an entry continues; undefined if it begins another. */
function findDetail({ details, kind, lastDetail }: Choice, detail: WireDetail, text: string) {
  const unnumbered = detail.index == null;
  const known =
    unnumbered && kind !== "reasoning" && text !== "" ? undefined : details.get(detailKey(detail));
  // An entry that holds only a signature belongs to the block before it.
  return known ?? (text === "" && unnumbered ? lastDetail : undefined);
}

function openDetail(choice: Choice, detail: WireDetail): number {
  choice.kind = "other";
  const block = openBlock(choice, "reasoning");
  choice.details.set(detailKey(detail), block);
  choice.lastDetail = block;
  return block;
}
