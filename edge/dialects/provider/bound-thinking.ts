/**
 * Newer Claude models sign their thinking together with all that stands before it (platform.claude.com/docs, "Preserved thinking"). What we
 * have added after the user's turn (pipeline/trailing-text.ts) is not in the caller's history: the next request would be refused, or lose
 * its thinking. So the added text travels in the signature of the answer's first thinking, which clients return unread, and the next
 * request is sent with the text back in its place. Pure.
 */
import { z } from "zod";
import type { ChatEvent, ChatMessage, ChatRequest, ContentPart } from "../../../shared/chat.ts";
import { decodeBase64urlText, encodeBase64urlText } from "../base64.ts";
import { parseJson, readFitting } from "../json.ts";

export type AddedText = NonNullable<ChatRequest["added"]>;

const mark = "svc_added_1.";
/** Longest text that is carried, in bytes of UTF-8: a plan's block is shorter, the notes of a long loop may not be. */
const maxBytes = 8_192;

const Added = z.object({
  texts: z.array(z.string().max(maxBytes)).max(16),
  place: z.enum(["into", "new-turn"]),
});

/** Versions from 5.1 on (Mythos 5.2), written with a dash, or with a dot as the aggregator does. `5-20260901` is version 5 with a date. */
const bindsThinking = [
  /claude-(?:opus|sonnet|haiku|fable)-(?:5[.-]\d\d?|[6-9]|\d\d)(?!\d)/,
  /claude-mythos-(?:5[.-](?:[2-9]|\d\d)|[6-9]|\d\d)(?!\d)/,
];

/** Split at the dot: neither a signature nor encrypted thinking has one. */
function unseal(sealed: string | undefined): { own: string; added: AddedText | undefined } | undefined {
  if (sealed === undefined || !sealed.startsWith(mark)) return undefined;
  const [encoded = "", ...own] = sealed.slice(mark.length).split(".");
  const added = readFitting(Added, parseJson(decodeBase64urlText(encoded) ?? ""));
  return { own: own.join("."), added };
}

/** The part with what the provider itself wrote, its signature or encrypted text, and what we had added before it. */
function unsealPart(part: ContentPart): { part: ContentPart; added?: AddedText | undefined } {
  if (part.type !== "reasoning") return { part };
  const signature = unseal(part.signature);
  const redacted = unseal(part.redacted);
  if (signature === undefined && redacted === undefined) return { part };
  return {
    part: {
      ...part,
      ...(signature && { signature: signature.own }),
      ...(redacted && { redacted: redacted.own }),
    },
    added: (signature ?? redacted)?.added,
  };
}

/**
 * Adds texts in the place that they had when the messages so far were all there were. `at`: index of the newest message of user or tool.
 */
function putBack(messages: ChatMessage[], at: number, { texts, place }: AddedText): void {
  const parts = texts.map((text): ContentPart => ({ type: "text", text }));
  if (place === "new-turn") messages.push({ role: "user", parts });
  else messages[at] = { ...messages[at]!, parts: [...messages[at]!.parts, ...parts] };
}

/** The request as it was sent in earlier turns: without our seals, and with the texts that they hold. */
export function restoreAdded(request: ChatRequest): ChatRequest {
  const isSealed = (part: ContentPart) =>
    part.type === "reasoning" && (part.signature ?? part.redacted ?? "").startsWith(mark);
  if (!request.messages.some(({ parts }) => parts.some(isSealed))) return request;
  const messages: ChatMessage[] = [];
  // Index of the newest message of user or tool, until a seal uses it: each use copies the message's parts, and a caller may write thousands
  // of seals where an answer has one.
  let at = -1;
  for (const message of request.messages) {
    const unsealed = message.parts.map(unsealPart);
    const added = unsealed.find((one) => one.added !== undefined)?.added;
    if (added !== undefined && at !== -1) {
      putBack(messages, at, added);
      at = -1;
    }
    messages.push({ ...message, parts: unsealed.map(({ part }) => part) });
    if (message.role === "user" || message.role === "tool") at = messages.length - 1;
  }
  return { ...request, messages };
}

/** Seals what was added to this request into the first thinking of its answer; undefined if there is nothing to carry. */
export function createSealer(
  { added }: ChatRequest,
  model: string,
): ((event: ChatEvent) => ChatEvent) | undefined {
  if (added === undefined || !bindsThinking.some((models) => models.test(model))) return undefined;
  const encoded = encodeBase64urlText(JSON.stringify(added));
  if (encoded.length > maxBytes) return undefined;
  let done = false;
  const seal = (own: string) => {
    done = true;
    return `${mark}${encoded}.${own}`;
  };
  return (event) => {
    if (done) return event;
    if (event.type === "signature") return { ...event, signature: seal(event.signature) };
    return event.type === "redacted-reasoning" ? { ...event, data: seal(event.data) } : event;
  };
}
