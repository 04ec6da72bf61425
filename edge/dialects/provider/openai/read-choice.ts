/**
 * One choice of an OpenAI-format answer: its deltas (or its whole `message`, which is one large delta) as
 * hub events. Owns the numbering of content blocks and what is open; knows nothing of chunks or errors.
 */
import type { ChatEvent } from "../../../../shared/chat.ts";
import { type JsonObject, readList, readObject, readText } from "../../json.ts";
import { readDetailData, readSeal } from "../../openai-extensions.ts";
import { readFinishReason } from "./read-end.ts";
import { createToolCallAssembler } from "./read-tool-calls.ts";

export type ChoiceDecoder = {
  /** `whole`: the delta is the message of a JSON reply, so each tool call in it is complete. */
  read(delta: JsonObject, whole: boolean, events: ChatEvent[]): void;
  /** False when the answer cannot be used: a tool call without a name. */
  finish(raw: string | null, native: string | null, events: ChatEvent[]): boolean;
  isFinished(): boolean;
};

/** Output fields without a hub event of their own: citations, spoken answers, generated images. */
const opaqueFields = ["annotations", "audio", "images"] as const;

export function createChoiceDecoder(choice: number, createId: (ordinal: number) => string): ChoiceDecoder {
  let blocks = 0;
  let kind: "text" | "reasoning" | "refusal" | "other" = "other";
  let block = -1;
  let finished = false;
  /** Blocks of `reasoning_details` by type and index. */
  const details = new Map<string, number>();
  let lastDetail: number | undefined;

  const open = (next: typeof kind): number => {
    if (kind !== next || next === "other") {
      kind = next;
      block = blocks++;
    }
    return block;
  };
  const tools = createToolCallAssembler(choice, () => open("other"), createId);

  const readContent = (content: unknown, events: ChatEvent[]) => {
    if (typeof content === "string") {
      if (content !== "") events.push({ type: "text-delta", choice, block: open("text"), text: content });
      return;
    }
    // Mistral: a list of text and thinking parts.
    for (const part of readList(content).map(readObject)) {
      if (part?.type === "text") readContent(part.text ?? "", events);
      if (part?.type === "thinking")
        for (const piece of readList(part.thinking)) readThought(readObject(piece)?.text, events);
    }
  };

  const readThought = (value: unknown, events: ChatEvent[]) => {
    const text = readText(value);
    if (text !== undefined) events.push({ type: "reasoning-delta", choice, block: open("reasoning"), text });
  };

  const readDetail = (detail: JsonObject, events: ChatEvent[]) => {
    const providerData = readDetailData(detail);
    const data = readText(detail.data);
    if (data !== undefined) {
      events.push({
        type: "redacted-reasoning",
        choice,
        block: open("other"),
        data,
        ...(providerData && { providerData }),
      });
      return;
    }
    const text = readText(detail.text) ?? readText(detail.summary) ?? "";
    const signature = readText(detail.signature);
    if (text === "" && signature === undefined) return;
    const key = `${String(detail.type)} ${String(detail.index ?? "")}`;
    const known = detail.index == null && kind !== "reasoning" && text !== "" ? undefined : details.get(key);
    // A seal alone belongs to the block before it.
    const own = known ?? (text === "" && detail.index == null ? lastDetail : undefined);
    if (own === undefined) {
      kind = "other";
      block = open("reasoning");
      details.set(key, block);
      lastDetail = block;
    }
    const at = own ?? block;
    if (text !== "" || own === undefined) {
      events.push({
        type: "reasoning-delta",
        choice,
        block: at,
        text,
        ...(own === undefined && providerData && { providerData }),
      });
    }
    if (signature !== undefined) events.push({ type: "signature", choice, block: at, signature });
  };

  const readReasoning = (delta: JsonObject, events: ChatEvent[]) => {
    const plain = readText(delta.reasoning_content) ?? delta.reasoning;
    if (!Array.isArray(delta.reasoning_details)) return readThought(plain, events);
    const entries = delta.reasoning_details.map(readObject).filter((entry) => entry !== undefined);
    // The plain field repeats the text of the details.
    if (!entries.some((entry) => readText(entry.text) ?? readText(entry.summary))) readThought(plain, events);
    for (const entry of entries) readDetail(entry, events);
  };

  return {
    read(delta, whole, events) {
      if (finished) return;
      readReasoning(delta, events);
      readContent(delta.content, events);
      const refusal = readText(delta.refusal);
      if (refusal !== undefined)
        events.push({ type: "refusal-delta", choice, block: open("refusal"), text: refusal });
      const signature = readSeal(delta.extra_content);
      if (signature !== undefined) {
        if (kind !== "text") events.push({ type: "text-delta", choice, block: open("text"), text: "" });
        events.push({ type: "signature", choice, block, signature });
      }
      if (Array.isArray(delta.tool_calls)) {
        for (const [index, call] of delta.tool_calls.entries()) {
          const entry = readObject(call);
          if (entry !== undefined) tools.push(whole ? { ...entry, index } : entry, events);
        }
      }
      for (const name of opaqueFields) {
        const value = delta[name];
        if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) continue;
        events.push({
          type: "opaque",
          choice,
          block: open("other"),
          dialect: "openai",
          data: { [name]: value },
        });
      }
    },
    finish(raw, native, events) {
      if (finished) return true;
      finished = true;
      const usable = tools.end(events);
      const reason = raw === null ? "other" : readFinishReason(raw, tools.called());
      events.push({ type: "finish", choice, reason, raw: native ?? raw });
      return usable;
    },
    isFinished: () => finished,
  };
}
