/** Texts, refusals and thoughts as output items, one open at a time. */
import type { EventOf, ProviderData } from "../../../../shared/chat.ts";
import type { ItemStatus, Logprob, MessageOutput, ReasoningOutput, UrlCitation } from "./reply-types.ts";
import { type ItemsSeal, writeItemsSeal } from "./seals.ts";
import type { ItemOutput } from "./write-calls.ts";

/** Where a part is: fields of each of its events. `place` is the same as JSON without braces. */
type Placed<At> = { at: At & { item_id: string; output_index: number }; place: string };
type OpenText = Placed<{ content_index: 0 }> & { kind: "text" | "refusal"; item: MessageOutput };
type OpenThought = Placed<{ summary_index: 0 }> & {
  kind: "thought";
  block: number;
  item: ReasoningOutput;
  seal: ItemsSeal;
};

const place = <At extends object>(at: At) => ({ at, place: JSON.stringify(at).slice(1, -1) });

export class TextWriter {
  readonly #output: ItemOutput;
  readonly #kinds = new Map<number, "text" | "thought">();
  #open: OpenText | OpenThought | undefined;
  /** Citations that came before the first text. */
  #early: UrlCitation[] = [];
  #refused = false;

  constructor(output: ItemOutput) {
    this.#output = output;
  }

  kindOf(block: number): "text" | "thought" | undefined {
    return this.#kinds.get(block);
  }

  refused(): boolean {
    return this.#refused;
  }

  say({ block, text }: EventOf<"text-delta">, logprobs: readonly Logprob[]): void {
    if (text === "") return;
    this.#kinds.set(block, "text");
    const { item, place } = this.#openText("text");
    const part = item.content[0]!;
    if (part.type === "output_text") {
      part.text += text;
      part.logprobs.push(...logprobs);
    }
    this.#output.sink.delta("response.output_text.delta", place, text, logprobs);
  }

  refuse(text: string): void {
    if (text === "") return;
    this.#refused = true;
    const { item, place } = this.#openText("refusal");
    const part = item.content[0]!;
    if (part.type === "refusal") part.refusal += text;
    this.#output.sink.delta("response.refusal.delta", place, text);
  }

  think({ block, text, providerData }: EventOf<"reasoning-delta">): void {
    const { item, at, place } = this.#openThought(block, providerData);
    if (text === "") return;
    const { sink } = this.#output;
    if (item.summary.length === 0) {
      const part = { type: "summary_text" as const, text: "" };
      sink.event("response.reasoning_summary_part.added", { ...at, part });
      item.summary.push(part);
    }
    item.summary[0]!.text += text;
    sink.delta("response.reasoning_summary_text.delta", place, text);
  }

  /** The seal of a block's thought; begins the thought if it is not open. */
  sealOf(block: number): ItemsSeal {
    return this.#openThought(block, undefined).seal;
  }

  /** Adds a citation to the open text; before any text, to the first. */
  cite(annotation: UrlCitation): void {
    const open = this.#open;
    const part = open?.kind === "text" ? open.item.content[0] : undefined;
    if (open === undefined || part?.type !== "output_text") {
      if (![...this.#kinds.values()].includes("text")) this.#early.push(annotation);
      return;
    }
    const added = { ...open.at, annotation_index: part.annotations.length, annotation };
    part.annotations.push(annotation);
    this.#output.sink.event("response.output_text.annotation.added", added);
  }

  close(status: ItemStatus = "completed"): void {
    const closing = this.#open;
    this.#open = undefined;
    if (closing?.kind === "thought") this.#closeThought(closing);
    else if (closing !== undefined) this.#closeText(closing, status);
  }

  #openText(kind: "text" | "refusal"): OpenText {
    if (this.#open?.kind === kind) return this.#open;
    this.close();
    const { start, sink } = this.#output;
    const [item, index] = start(
      "msg",
      (id): MessageOutput => ({ type: "message", id, role: "assistant", status: "in_progress", content: [] }),
    );
    const part =
      kind === "text"
        ? { type: "output_text" as const, text: "", annotations: [], logprobs: [] }
        : { type: "refusal" as const, refusal: "" };
    const placed = place({ item_id: item.id, output_index: index, content_index: 0 as const });
    sink.event("response.content_part.added", { ...placed.at, part });
    item.content.push(part);
    const opened: OpenText = { kind, item, ...placed };
    this.#open = opened;
    if (kind === "text") for (const citation of this.#early.splice(0)) this.cite(citation);
    return opened;
  }

  #closeText({ item, at, kind }: OpenText, status: ItemStatus): void {
    const { sink, finish } = this.#output;
    const part = item.content[0]!;
    if (kind === "text" && part.type === "output_text")
      sink.event("response.output_text.done", { ...at, text: part.text, logprobs: part.logprobs });
    else if (part.type === "refusal") sink.event("response.refusal.done", { ...at, refusal: part.refusal });
    sink.event("response.content_part.done", { ...at, part });
    item.status = status;
    finish(item, at.output_index);
  }

  #openThought(block: number, providerData: ProviderData | undefined): OpenThought {
    if (this.#open?.kind === "thought" && this.#open.block === block) return this.#open;
    this.close();
    this.#kinds.set(block, "thought");
    const [item, index] = this.#output.start(
      "rs",
      (id): ReasoningOutput => ({ type: "reasoning", id, status: "in_progress", summary: [] }),
    );
    const seal: ItemsSeal = providerData === undefined ? {} : { providerData: { ...providerData } };
    const placed = place({ item_id: item.id, output_index: index, summary_index: 0 as const });
    const opened: OpenThought = { kind: "thought", block, item, seal, ...placed };
    this.#open = opened;
    return opened;
  }

  #closeThought({ item, at, seal }: OpenThought): void {
    const { sink, finish } = this.#output;
    const [part] = item.summary;
    if (part !== undefined) {
      sink.event("response.reasoning_summary_text.done", { ...at, text: part.text });
      sink.event("response.reasoning_summary_part.done", { ...at, part });
    }
    if (Object.keys(seal).length > 0) item.encrypted_content = writeItemsSeal(seal);
    item.status = "completed";
    finish(item, at.output_index);
  }
}
