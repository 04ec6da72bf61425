/**
 * Writes hub events as output items of this dialect, one open at a time, numbered in order of their start. A JSON answer and a
 * stream take the same steps.
 */
import type { ChatEvent, DialectName, EventOf, ProviderData } from "../../../../shared/chat.ts";
import { readIndex, readList, readObject, readText } from "../../json.ts";
import { readTier, type ServiceTier } from "../../openai-extensions.ts";
import { CallOrder } from "../order-calls.ts";
import { CompactionWriter } from "./compaction.ts";
import type {
  ItemSink,
  ItemStatus,
  Logprob,
  OutputItem,
  ReasoningOutput,
  UrlCitation,
} from "./reply-types.ts";
import { type ItemSeal, type ItemsSeal, writeItemsSeal } from "./seals.ts";
import type { ToolNames } from "./tool-names.ts";
import { type CallWriter, createCallWriter } from "./write-calls.ts";
import type { Said } from "./write-end.ts";
import { TextWriter } from "./write-texts.ts";

export type ItemWriterOptions = {
  /** Letters and digits that make the items' ids unique. */
  id: string;
  /** The provider that answers. */
  provider: DialectName;
  /** Hub names of custom tools, whose argument is free text. */
  customTools: ReadonlySet<string>;
  /** Converts hub names back to the caller's tool names. */
  toolNames: ToolNames;
  /** Calls of `tool_search` are searches that the caller runs. */
  searches: boolean;
  /** The answer is to be a summary of the conversation. */
  compacts: boolean;
  sink: ItemSink;
};

export const createItemWriter = (options: ItemWriterOptions): ItemWriter | CompactionWriter =>
  options.compacts ? new CompactionWriter(options) : new ItemWriter(options);

class ItemWriter {
  readonly #options: ItemWriterOptions;
  readonly #items: OutputItem[] = [];
  readonly #seals: ItemSeal[] = [];
  readonly #calls: CallWriter;
  /** Puts interleaved calls one after the other, as OpenAI sends them: a client may assign each event to the item added last. */
  readonly #order: CallOrder;
  readonly #texts: TextWriter;
  #imageCount = 0;
  #reason: EventOf<"finish">["reason"] = "other";
  #tier: ServiceTier | undefined;

  readonly #start = <Item extends OutputItem>(
    prefix: string,
    build: (id: string) => Item,
  ): [Item, number] => {
    // A call that was still open was not cut by the output limit, as more came after it.
    this.#calls.endAll("completed");
    const index = this.#items.length;
    const item = build(`${prefix}_${this.#options.id}_${index}`);
    this.#items.push(item);
    this.#options.sink.event("response.output_item.added", { output_index: index, item });
    return [item, index];
  };
  readonly #finish = (item: OutputItem, index: number): void =>
    this.#options.sink.event("response.output_item.done", { output_index: index, item });

  readonly #handlers: { [T in ChatEvent["type"]]: (event: EventOf<T>) => void } = {
    "text-delta": (event) => this.#texts.say(event, []),
    "refusal-delta": ({ text }) => this.#texts.refuse(text),
    "reasoning-delta": (event) => this.#texts.think(event),
    "redacted-reasoning": (event) => this.#redact(event),
    signature: (event) => this.#sign(event),
    "tool-call-start": (event) => {
      this.#texts.close();
      this.#calls.start(event);
    },
    "tool-call-delta": (event) => this.#calls.add(event),
    "tool-call-end": ({ block }) => this.#calls.end(block),
    opaque: (event) => this.#passOpaque(event),
    start: ({ providerData }) => {
      this.#tier = readTier(providerData?.service_tier) ?? this.#tier;
    },
    finish: ({ reason }) => {
      this.#reason = reason;
    },
    // Log probabilities are written with their text, the usage and a failure by the caller of this class.
    logprobs: () => {},
    usage: () => {},
    error: () => {},
  };

  constructor(options: ItemWriterOptions) {
    this.#options = options;
    const output = { start: this.#start, finish: this.#finish, sink: options.sink };
    this.#calls = createCallWriter({
      ...output,
      customTools: options.customTools,
      toolNames: options.toolNames,
      searches: options.searches,
    });
    this.#texts = new TextWriter(output);
    this.#order = new CallOrder((event) => this.#handle(event));
  }

  /** Writes one batch, which must not hold errors. */
  write(events: readonly ChatEvent[]): void {
    for (let at = 0; at < events.length; at++) {
      const event = events[at] as ChatEvent;
      if (event.type === "text-delta" && !this.#order.isOpen()) {
        // By far the most frequent event. The next event may hold its log probabilities.
        const next = events[at + 1];
        this.#texts.say(event, next?.type === "logprobs" ? readLogprobs(next.data) : []);
      } else if ("block" in event) this.#order.push(event);
      else this.#handle(event);
    }
  }

  /** To be called at the end of the answer: closes open items. */
  end(status: ItemStatus): void {
    this.#order.end(() => {
      this.#texts.close(status);
      this.#calls.endAll(status);
    });
    if (this.#seals.length > 0) this.#addSealed({ seals: this.#seals });
  }

  /** Adds an item that is complete. */
  add(item: OutputItem): void {
    const index = this.#items.push(item) - 1;
    this.#options.sink.event("response.output_item.added", { output_index: index, item });
    this.#finish(item, index);
  }

  items(): OutputItem[] {
    return this.#items;
  }

  said(): Said {
    return { reason: this.#reason, refused: this.#texts.refused(), tier: this.#tier };
  }

  #handle(event: ChatEvent): void {
    (this.#handlers[event.type] as (event: ChatEvent) => void)(event);
  }

  #redact({ data, providerData }: EventOf<"redacted-reasoning">): void {
    this.#texts.close();
    this.#addSealed({ redacted: data, ...(providerData && { providerData: { ...providerData } }) });
  }

  /** Adds a reasoning item that holds only a seal. */
  #addSealed(seal: ItemsSeal): void {
    const encrypted_content = writeItemsSeal(seal);
    const [item, index] = this.#start(
      "rs",
      (id): ReasoningOutput => ({
        type: "reasoning",
        id,
        status: "completed",
        summary: [],
        encrypted_content,
      }),
    );
    this.#finish(item, index);
  }

  #sign({ block, signature }: EventOf<"signature">): void {
    const isGemini = this.#options.provider === "gemini";
    const kind = this.#texts.kindOf(block);
    const callId = this.#calls.idOf(block);
    if (callId !== undefined) {
      this.#seals.push({ kind: "call", id: callId, thoughtSignature: signature });
    } else if (kind === "thought" || !isGemini) {
      const seal = this.#texts.sealOf(block);
      if (isGemini) seal.providerData = { ...seal.providerData, thoughtSignature: signature };
      else seal.signature = signature;
    } else {
      const empty = kind === undefined && { empty: true };
      this.#seals.push({ kind: "text", thoughtSignature: signature, ...empty });
    }
  }

  #addImage(result: string, signature?: string): void {
    this.#texts.close();
    const at = this.#imageCount++;
    if (signature !== undefined) this.#seals.push({ kind: "image", at, thoughtSignature: signature });
    const [item, index] = this.#start("ig", (id) => ({
      type: "image_generation_call" as const,
      id,
      status: "completed" as const,
      result,
    }));
    this.#finish(item, index);
  }

  #passOpaque({ dialect, data, annotation, image }: EventOf<"opaque">): void {
    if (image !== undefined) this.#addImage(image.data, image.signature);
    else if (dialect === "openai") {
      for (const picture of listImages(data)) this.#addImage(picture);
      for (const citation of readCitations(data)) this.#texts.cite(citation);
    } else if (annotation !== true) this.#seals.push({ kind: "part", dialect, data: { ...data } });
  }
}

const readLogprobs = ({ content }: ProviderData): Logprob[] =>
  Array.isArray(content) ? (content as Logprob[]) : [];

/** Base64 of the pictures in OpenRouter's `images`. A picture given by URL has no place in an item. */
const listImages = ({ images }: ProviderData): string[] =>
  readList(images).flatMap((image) => {
    const url = readText(readObject(readObject(image)?.image_url)?.url) ?? "";
    const data = /^data:[^,]*;base64,(.+)$/s.exec(url)?.[1];
    return data === undefined ? [] : [data];
  });

const readCitations = ({ annotations }: ProviderData): UrlCitation[] =>
  readList(annotations).flatMap((annotation) => {
    const cited = readObject(readObject(annotation)?.url_citation);
    const url = readText(cited?.url);
    if (url === undefined) return [];
    return [
      {
        type: "url_citation",
        url,
        title: readText(cited?.title) ?? url,
        start_index: readIndex(cited?.start_index) ?? 0,
        end_index: readIndex(cited?.end_index) ?? 0,
      },
    ];
  });
