/**
 * Upper bounds of a call's tokens, for the hold, and rough counts of its prompt, for calls without a usage report (those of its answer:
 * answer-counts.ts). Pure. The bounds rest on one fact: a byte-level tokenizer never makes more tokens than bytes.
 */
import type { ChatRequest, ContentPart, FilePart, ImagePart, ProviderData } from "../../../shared/chat.ts";
import { readText } from "../../dialects/json.ts";
import { readCacheMarks } from "../../dialects/openai-extensions.ts";
import type { Route } from "../../providers/resolve-route.ts";
import { boundImageTokens } from "./image-bounds.ts";
import { boundEscapes, boundIndentation } from "./json-bounds.ts";
import { boundMediaTokens } from "./media-bounds.ts";

/** Usual tokens of an image: Claude's are up to 1,600, GPT-4o's 765 to 1,445, Gemini's 258 for each tile. */
const usualImageTokens = 1_000;
/** Tokens of role markers and separators around one message or tool. */
export const messageOverhead = 16;
/** Most tokens that a provider adds to a prompt with tools or a schema (Anthropic, "Tool use": up to 804, for Opus 4.7). */
const toolSystemTokens = 900;
/**
 * The tokens that are usual: some 500 for Claude's models (the same table: 496 for 4.5, 497 for 4.6, 290 to 675 since), as many as
 * around a message for GPT and Gemini, and a paragraph of instructions in templates of open models (both estimated).
 */
const usualToolTokens = (model: string): number =>
  /\bclaude-/.test(model) ? 500 : addsNothing.test(model) ? messageOverhead : 150;
/** Models whose vendors bill what was sent and nothing else, by the aggregator's ids and by bare ones. */
const addsNothing = /^(~?(anthropic|google|openai)\/)?(claude|gemini|gpt-(?!oss)|chatgpt|o\d)/;
/**
 * What other models' templates and hosts add to any prompt and bill, such as instructions, rules and the date: in published reports of a
 * greeting 679 tokens for Grok 4, 65 for gpt-oss.
 */
const addedTokens = 1_024;

const utf8 = new TextEncoder();
export const byteLength = (text: string): number => utf8.encode(text).length;

/** Some tokenizers (Qwen's) first compose characters by Unicode's NFC, which turns some of them into up to three times as many bytes. */
function boundText(text: string): number {
  const bytes = byteLength(text);
  return bytes === text.length ? bytes : Math.max(bytes, byteLength(text.normalize("NFC")));
}

type CountImage = (part: ImagePart) => number;
type CountFile = (part: FilePart) => number;
/** `tools`: what is added where there are tools or a schema. */
type Weights = { text: (text: string) => number; image: CountImage; file: CountFile; tools: number };

function weighPart(part: ContentPart, weights: Weights): number {
  const { text } = weights;
  switch (part.type) {
    case "text":
    case "refusal":
      return text(part.text);
    case "reasoning":
      return text(part.text) + text(part.signature ?? "") + text(part.redacted ?? "");
    // Some models' templates write ids into the prompt.
    case "tool-call":
      return text(part.id) + text(part.name) + text(part.arguments) + messageOverhead;
    case "tool-result":
      return text(part.toolCallId) + weighParts(part.content, weights) + messageOverhead;
    case "image":
      return isPicture(part) ? weights.image(part) : weights.file({ ...part, type: "file" });
    case "file":
      return weights.file(part);
    // Either the data or the fallback is sent.
    case "opaque":
      return Math.max(text(JSON.stringify(part.data)), weighParts(part.fallback ?? [], weights));
  }
}

/** Gemini's signature on a part: sent back, it is charged as input (ai.google.dev/gemini-api/docs/thinking, "Pricing"). */
const readThoughtSignature = (part: ContentPart): string | undefined =>
  "providerData" in part ? readText(part.providerData?.thoughtSignature) : undefined;

const weighParts = (parts: readonly ContentPart[], weights: Weights): number =>
  parts.reduce((sum, part) => {
    const seal = readThoughtSignature(part);
    return sum + weighPart(part, weights) + (seal === undefined ? 0 : weights.text(seal));
  }, 0);

/** False for an `image` part with another media type: it is sent as it is, and bounded as a file. */
const isPicture = ({ source }: ImagePart): boolean =>
  source.kind === "url" || source.mediaType.startsWith("image/");

/** The tools and the answer's format; undefined without any. */
function listSchemas({ tools, providerTools = [], responseFormat }: ChatRequest) {
  const isEmpty = tools.length + providerTools.length === 0 && responseFormat === undefined;
  return isEmpty ? undefined : [tools, providerTools, responseFormat];
}

function weigh(request: ChatRequest, weights: Weights): number {
  const messages = request.messages.reduce(
    (sum, { parts, name }) => sum + messageOverhead + weights.text(name ?? "") + weighParts(parts, weights),
    messageOverhead,
  );
  const schemas = listSchemas(request);
  const tools = schemas === undefined ? 0 : weights.text(JSON.stringify(schemas)) + weights.tools;
  // A local server's template may write these into the prompt.
  const template = request.extra.chat_template_kwargs;
  return messages + tools + (template === undefined ? 0 : weights.text(JSON.stringify(template)));
}

/** Most input tokens the provider can count for this request; never above the model's window. */
export function boundInputTokens(
  request: ChatRequest,
  route: Pick<Route, "model" | "contextWindow">,
): number {
  const text = (one: string) => boundText(one) + boundEscapes(route.model, one);
  const image = (part: ImagePart) => boundImageTokens(route.model, part);
  const file = (part: FilePart) => boundMediaTokens(part, { text, image });
  const added =
    boundIndentation(route.model, listSchemas(request)) + (addsNothing.test(route.model) ? 0 : addedTokens);
  return Math.min(
    weigh(request, { text, image, file, tools: toolSystemTokens }) + added,
    route.contextWindow,
  );
}

/** Whether a part is sent as a picture, whether the caller called it an image or a file. */
const isSentAsPicture = (part: ContentPart): boolean =>
  part.type === "image" ||
  (part.type === "file" && part.source.kind === "base64" && part.source.mediaType.startsWith("image/"));

/** Pictures of the prompt, including those in tool results and documents. */
export function countImages({ messages }: ChatRequest): number {
  const inside = (part: ContentPart): readonly ContentPart[] =>
    part.type === "tool-result" ? part.content : part.type === "opaque" ? (part.fallback ?? []) : [];
  const count = (parts: readonly ContentPart[]): number =>
    parts.reduce((sum, part) => sum + (isSentAsPicture(part) ? 1 : count(inside(part))), 0);
  return messages.reduce((sum, { parts }) => sum + count(parts), 0);
}

const countFile = ({ source }: FilePart): number =>
  source.kind === "base64" ? source.data.length : Number.POSITIVE_INFINITY;

/**
 * Tokens of ten pages as Claude reads them (1,500 to 3,000 a page; Anthropic, "PDF support"): a scan of few pages has as many bytes as a
 * book.
 */
const usualFileTokens = 20_000;
const countUsualFile: CountFile = (part) => Math.min(countFile(part), usualFileTokens);
const countUsualImage: CountImage = () => usualImageTokens;

const countPlain = (text: string): number => byteLength(text) / 4;

/** Our count of the input, for calls without a usage report and for callers who ask for it: four bytes a token. */
export function countInputTokens(
  request: ChatRequest,
  route: Pick<Route, "model" | "contextWindow">,
  image: CountImage = countUsualImage,
  file: CountFile = countFile,
): number {
  const weights = { text: countPlain, image, file, tools: usualToolTokens(route.model) };
  return Math.min(Math.ceil(weigh(request, weights)), route.contextWindow);
}

const letters = /[a-z\s]+/g;
/**
 * Lower-case letters and spaces count as a quarter of a token. Each other byte counts as a whole one: digits, signs, other
 * scripts, and capitals, of which base64 is full.
 */
const countDense = (text: string): number => {
  const others = byteLength(text.replace(letters, ""));
  return others + (byteLength(text) - others) / 4;
};

/**
 * A prompt is hard to count if its upper estimate is above this multiple of our count. The multiple is 1.3 for prose and up to 1.6 for
 * code, which have at most 1.1 times the tokens that we count (o200k, 16 texts). It is 2 to 3.5 for JSON, tables and SQL, which have up to
 * 2.1 times the tokens.
 */
const hardFrom = 1.6;

const isMarked = (fields: ProviderData | undefined): boolean =>
  Object.keys(readCacheMarks(fields ?? {})).length > 0;

const marksCache = (part: ContentPart): boolean => {
  if (part.type === "opaque") return (part.fallback ?? []).some(marksCache);
  if (part.type === "tool-result" && part.content.some(marksCache)) return true;
  return "providerData" in part && isMarked(part.providerData);
};

/**
 * A token that is written to the cache costs up to twice the input's price, and one that is read from it a tenth. Only a report tells them
 * apart.
 */
const usesCache = ({ messages, tools, extra }: ChatRequest): boolean =>
  isMarked(extra) ||
  tools.some(({ providerData }) => isMarked(providerData)) ||
  messages.some(({ parts }) => parts.some(marksCache));

/**
 * Whether a prompt may cost far more than `countInputTokens` says: it uses the cache, holds pictures, documents or sound, or its text is
 * dense. Charged by that count, a caller who leaves before the report would pay less than one who waits for it.
 */
function isHardToCount(request: ChatRequest): boolean {
  if (usesCache(request)) return true;
  const media = () => Number.POSITIVE_INFINITY;
  const nothing = () => 0;
  const tools = toolSystemTokens;
  const dense = weigh(request, { text: countDense, image: media, file: media, tools });
  return dense > hardFrom * weigh(request, { text: countPlain, image: nothing, file: nothing, tools });
}

export type PromptCounts = {
  bound(asked: ChatRequest): number;
  /** `asBounds`: each picture and document as its upper bound, else at the usual size. */
  count(asked: ChatRequest, asBounds: boolean): number;
  isHard(asked: ChatRequest): boolean;
};

/**
 * Counts of the prompts that a request sends, each computed once: all choices send the same messages, and the charge so far is computed
 * every half minute. Counting 23,000 short parts for each of 128 choices blocked the isolate for six seconds.
 */
export function createPromptCounts(route: Pick<Route, "model" | "contextWindow">): PromptCounts {
  const asBound = (part: ImagePart) => boundImageTokens(route.model, part);
  const counted = cachedByMessages((asked) =>
    countInputTokens(asked, route, countUsualImage, countUsualFile),
  );
  const countedAsBounds = cachedByMessages((asked) => countInputTokens(asked, route, asBound));
  return {
    bound: cachedByMessages((asked) => boundInputTokens(asked, route)),
    count: (asked, asBounds) => (asBounds ? countedAsBounds : counted)(asked),
    isHard: cachedByMessages(isHardToCount),
  };
}

/** Caches results by the messages alone: nothing else that is counted differs between the calls of one request. */
function cachedByMessages<Result>(read: (asked: ChatRequest) => Result): (asked: ChatRequest) => Result {
  const known = new Map<ChatRequest["messages"], Result>();
  return (asked) => {
    const { messages } = asked;
    const result = known.has(messages) ? (known.get(messages) as Result) : read(asked);
    known.set(messages, result);
    return result;
  };
}
