/** Texts, refusals and thoughts as output items, one open at a time. */
import type { ChatEvent, ProviderData } from "../../../../shared/chat.ts";
import type { ItemStatus, Logprob, MessageOutput, ReasoningOutput, UrlCitation } from "./reply-types.ts";
import { type ReasoningSeal, writeSeal } from "./seals.ts";
import type { CallWriterOptions } from "./write-calls.ts";

type EventOf<T extends ChatEvent["type"]> = Extract<ChatEvent, { type: T }>;

export type InlineWriter = {
  say(event: EventOf<"text-delta">, logprobs: readonly Logprob[]): void;
  refuse(text: string): void;
  think(event: EventOf<"reasoning-delta">): void;
  /** What is to be sealed with the thought of a block, which is opened where it is not. */
  sealOf(block: number): ReasoningSeal;
  /** A source of the text that is open. */
  cite(citation: UrlCitation): void;
  close(status?: ItemStatus): void;
  kindOf(block: number): "text" | "thought" | undefined;
  refused(): boolean;
};

type OpenText = { kind: "text" | "refusal"; index: number; item: MessageOutput; place: string };
type OpenThought = {
  kind: "thought";
  block: number;
  index: number;
  item: ReasoningOutput;
  place: string;
  seal: ReasoningSeal;
};

const placeOf = (item: { id: string }, index: number, more: string): string =>
  `"item_id":"${item.id}","output_index":${index}${more}`;

export function createInlineWriter({
  start,
  finish,
  sink,
}: Omit<CallWriterOptions, "customTools">): InlineWriter {
  const kinds = new Map<number, "text" | "thought">();
  let open: OpenText | OpenThought | undefined;
  let refused = false;

  const closeText = ({ item, index, kind }: OpenText, status: ItemStatus) => {
    const at = { item_id: item.id, output_index: index, content_index: 0 };
    const part = item.content[0]!;
    if (kind === "text" && part.type === "output_text")
      sink.event("response.output_text.done", { ...at, text: part.text, logprobs: part.logprobs });
    else if (part.type === "refusal") sink.event("response.refusal.done", { ...at, refusal: part.refusal });
    sink.event("response.content_part.done", { ...at, part });
    item.status = status;
    finish(item, index);
  };
  const closeThought = ({ item, index, seal }: OpenThought) => {
    const at = { item_id: item.id, output_index: index, summary_index: 0 };
    const [part] = item.summary;
    if (part !== undefined) {
      sink.event("response.reasoning_summary_text.done", { ...at, text: part.text });
      sink.event("response.reasoning_summary_part.done", { ...at, part });
    }
    if (Object.keys(seal).length > 0) item.encrypted_content = writeSeal(seal);
    item.status = "completed";
    finish(item, index);
  };
  const close = (status: ItemStatus = "completed") => {
    const closing = open;
    open = undefined;
    if (closing?.kind === "thought") closeThought(closing);
    else if (closing !== undefined) closeText(closing, status);
  };

  const openText = (kind: "text" | "refusal"): OpenText => {
    if (open?.kind === kind) return open;
    close();
    const [item, index] = start(
      "msg",
      (own): MessageOutput => ({
        type: "message",
        id: own,
        role: "assistant",
        status: "in_progress",
        content: [],
      }),
    );
    const part =
      kind === "text"
        ? { type: "output_text" as const, text: "", annotations: [], logprobs: [] }
        : { type: "refusal" as const, refusal: "" };
    sink.event("response.content_part.added", {
      item_id: item.id,
      output_index: index,
      content_index: 0,
      part,
    });
    item.content.push(part);
    const opened: OpenText = { kind, index, item, place: placeOf(item, index, ',"content_index":0') };
    open = opened;
    return opened;
  };
  const say = ({ block, text }: EventOf<"text-delta">, logprobs: readonly Logprob[]) => {
    if (text === "") return;
    kinds.set(block, "text");
    const { item, place } = openText("text");
    const part = item.content[0]!;
    if (part.type === "output_text") {
      part.text += text;
      part.logprobs.push(...logprobs);
    }
    sink.delta("response.output_text.delta", place, text, logprobs);
  };
  const refuse = (text: string) => {
    if (text === "") return;
    refused = true;
    const { item, place } = openText("refusal");
    const part = item.content[0]!;
    if (part.type === "refusal") part.refusal += text;
    sink.delta("response.refusal.delta", place, text);
  };

  const openThought = (block: number, providerData: ProviderData | undefined): OpenThought => {
    if (open?.kind === "thought" && open.block === block) return open;
    close();
    kinds.set(block, "thought");
    const [item, index] = start(
      "rs",
      (own): ReasoningOutput => ({ type: "reasoning", id: own, status: "in_progress", summary: [] }),
    );
    const seal: ReasoningSeal = providerData === undefined ? {} : { providerData: { ...providerData } };
    const place = placeOf(item, index, ',"summary_index":0');
    const opened: OpenThought = { kind: "thought", block, index, item, place, seal };
    open = opened;
    return opened;
  };
  const think = ({ block, text, providerData }: EventOf<"reasoning-delta">) => {
    const { item, index, place } = openThought(block, providerData);
    if (text === "") return;
    if (item.summary.length === 0) {
      const part = { type: "summary_text" as const, text: "" };
      const at = { item_id: item.id, output_index: index, summary_index: 0 };
      sink.event("response.reasoning_summary_part.added", { ...at, part });
      item.summary.push(part);
    }
    item.summary[0]!.text += text;
    sink.delta("response.reasoning_summary_text.delta", place, text);
  };

  return {
    say,
    refuse,
    think,
    sealOf: (block) => openThought(block, undefined).seal,
    cite(annotation) {
      const part = open?.kind === "text" ? open.item.content[0] : undefined;
      if (open === undefined || part?.type !== "output_text") return;
      const at = { item_id: open.item.id, output_index: open.index, content_index: 0 };
      const added = { ...at, annotation_index: part.annotations.length, annotation };
      part.annotations.push(annotation);
      sink.event("response.output_text.annotation.added", added);
    },
    close,
    kindOf: (block) => kinds.get(block),
    refused: () => refused,
  };
}
