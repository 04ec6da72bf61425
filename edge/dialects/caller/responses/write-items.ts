/**
 * Hub events as output items of this dialect: one text or thought open at a time, calls beside each other as they
 * come, each item numbered in order of its start. A JSON answer and a stream are written by the same steps.
 */
import type { ChatEvent, DialectName, ProviderData } from "../../../../shared/chat.ts";
import { listImages, readCitations } from "./read-extensions.ts";
import type { ItemSink, ItemStatus, Logprob, OutputItem, ReasoningOutput } from "./reply-types.ts";
import { type ItemSeal, type ReasoningSeal, writeSeal } from "./seals.ts";
import { createCallWriter } from "./write-calls.ts";
import { InlineWriter } from "./write-inline.ts";

type EventOf<T extends ChatEvent["type"]> = Extract<ChatEvent, { type: T }>;

export type ItemWriter = {
  /** One batch, without errors. */
  write(events: readonly ChatEvent[]): void;
  /** Closes what is open; the answer is over. */
  end(status: ItemStatus): void;
  /** One more item, whole as it is. */
  add(item: OutputItem): void;
  items(): OutputItem[];
  said(): { reason: EventOf<"finish">["reason"]; refused: boolean };
};

export type ItemWriterOptions = {
  /** Letters and digits that make the items' ids unique. */
  id: string;
  /** Whose answer it is. */
  provider: DialectName;
  /** Names of tools whose argument is free text. */
  customTools: ReadonlySet<string>;
  sink: ItemSink;
};

export function createItemWriter({ id, provider, customTools, sink }: ItemWriterOptions): ItemWriter {
  const items: OutputItem[] = [];
  const seals: ItemSeal[] = [];
  let imageCount = 0;
  let reason: EventOf<"finish">["reason"] = "other";

  const start = <Item extends OutputItem>(prefix: string, build: (id: string) => Item): [Item, number] => {
    const index = items.length;
    const item = build(`${prefix}_${id}_${index}`);
    items.push(item);
    sink.event("response.output_item.added", { output_index: index, item });
    return [item, index];
  };
  const finish = (item: OutputItem, index: number) =>
    sink.event("response.output_item.done", { output_index: index, item });
  const calls = createCallWriter({ start, finish, customTools, sink });

  const inline = new InlineWriter({ start, finish, sink });

  const redact = ({ data, providerData }: EventOf<"redacted-reasoning">) => {
    inline.close();
    const seal = { redacted: data, ...(providerData && { providerData: { ...providerData } }) };
    addSealed(seal);
  };
  /** A reasoning item with nothing to read. */
  const addSealed = (seal: ReasoningSeal) => {
    const [item, index] = start(
      "rs",
      (own): ReasoningOutput => ({
        type: "reasoning",
        id: own,
        status: "completed",
        summary: [],
        encrypted_content: writeSeal(seal),
      }),
    );
    finish(item, index);
  };

  const sign = ({ block, signature }: EventOf<"signature">) => {
    const kind = inline.kindOf(block);
    const callId = calls.idOf(block);
    if (callId !== undefined) {
      seals.push({ kind: "call", id: callId, thoughtSignature: signature });
    } else if (kind === "thought" || provider !== "gemini") {
      const seal = inline.sealOf(block);
      if (provider === "gemini") seal.providerData = { ...seal.providerData, thoughtSignature: signature };
      else seal.signature = signature;
    } else
      seals.push({ kind: "text", thoughtSignature: signature, ...(kind === undefined && { empty: true }) });
  };

  const addImage = (data: string, signature?: string) => {
    inline.close();
    const at = imageCount++;
    if (signature !== undefined) seals.push({ kind: "image", at, thoughtSignature: signature });
    const [item, index] = start("ig", (own) => ({
      type: "image_generation_call" as const,
      id: own,
      status: "completed" as const,
      result: data,
    }));
    finish(item, index);
  };
  const passOpaque = ({ dialect, data, annotation, image }: EventOf<"opaque">) => {
    if (image !== undefined) return addImage(image.data, image.signature);
    if (dialect !== "openai") {
      if (annotation !== true) seals.push({ kind: "part", dialect, data: { ...data } });
      return;
    }
    for (const picture of listImages(data)) addImage(picture);
    for (const citation of readCitations(data)) inline.cite(citation);
  };

  const handlers: { [T in ChatEvent["type"]]?: (event: EventOf<T>) => void } = {
    "refusal-delta": ({ text }) => inline.refuse(text),
    "reasoning-delta": (event) => inline.think(event),
    "redacted-reasoning": redact,
    signature: sign,
    "tool-call-start": (event) => {
      inline.close();
      calls.start(event);
    },
    "tool-call-delta": (event) => calls.add(event),
    "tool-call-end": ({ block }) => calls.end(block, "completed"),
    opaque: passOpaque,
    finish: (event) => {
      reason = event.reason;
    },
  };

  return {
    write(events) {
      for (let at = 0; at < events.length; at++) {
        const event = events[at] as ChatEvent;
        if (event.type === "text-delta") {
          // A piece may bring its log probabilities in the event after it.
          const next = events[at + 1];
          inline.say(event, next?.type === "logprobs" ? readLogprobs(next.data) : []);
        } else (handlers[event.type] as ((event: ChatEvent) => void) | undefined)?.(event);
      }
    },
    end(status) {
      inline.close(status);
      calls.endAll(status);
      if (seals.length > 0) addSealed({ seals });
    },
    add(item) {
      items.push(item);
      sink.event("response.output_item.added", { output_index: items.length - 1, item });
      finish(item, items.length - 1);
    },
    items: () => items,
    said: () => ({ reason, refused: inline.refused() }),
  };
}

const readLogprobs = ({ content }: ProviderData): Logprob[] =>
  Array.isArray(content) ? (content as Logprob[]) : [];
