/**
 * The hub's messages as Gemini's: system text is moved to `systemInstruction`, tool results are matched to calls by name, thought
 * signatures are sent back byte-equal on their part (ai.google.dev/gemini-api/docs/thought-signatures).
 */
import {
  type ChatMessage,
  type ChatRequest,
  type ContentPart,
  isInstruction,
  type ProviderData,
} from "../../../../shared/chat.ts";
import { resolveMediaSource } from "../../inline-media.ts";
import { readObject, readText, readToolArguments } from "../../json.ts";
import { readThoughtSignature } from "../../openai-extensions.ts";
import { nameMarks, type Omissions, writePlainMessages } from "../omissions.ts";
import { refuseEmptied } from "../refuse-emptied.ts";
import type { ModelQuirks } from "./model-quirks.ts";
import { writeMedia } from "./write-media.ts";

export type Part = Record<string, unknown>;
export type Content = { role: "user" | "model"; parts: Part[] };

/**
 * The documented signature for calls that no Gemini model made (another provider's turns, history written by hand): the validator
 * accepts it.
 */
const unsignedCall = "skip_thought_signature_validator";

/** Fields of parts that are read elsewhere, or that state a default, so that leaving them out is not named. */
const silentFields: ReadonlySet<string> = new Set([
  "thoughtSignature",
  "extra_content",
  "reasoning_detail",
  "caller",
]);

type Context = {
  quirks: ModelQuirks;
  omissions: Omissions;
  /** Names of the calls so far by id, since results carry the name here. */
  callNames: Map<string, string>;
};
type Writers = {
  [T in ContentPart["type"]]: (part: Extract<ContentPart, { type: T }>, context: Context) => Part[];
};

const writers: Writers = {
  text: ({ text, providerData }) => {
    const signed = withSignature(readSignature(providerData));
    return text === "" && signed.thoughtSignature === undefined ? [] : [{ text, ...signed }];
  },
  refusal: ({ text }) => (text === "" ? [] : [{ text }]),
  image: ({ source, detail, providerData }, { omissions }) => {
    if (detail !== undefined && detail !== "auto") omissions.add("imageDetail");
    // Gemini refuses a picture of its own without the signature (…/docs/thought-signatures).
    const signed = withSignature(readSignature(providerData));
    return writeMedia(resolveMediaSource(source), omissions).map((part) => ({ ...part, ...signed }));
  },
  file: ({ source, filename }, { omissions }) => {
    if (filename !== undefined) omissions.add("fileName");
    return writeMedia(resolveMediaSource(source), omissions);
  },
  reasoning: ({ text, redacted, providerData }, { omissions }) => {
    const signature = readSignature(providerData);
    if (signature !== undefined && text !== "") return [{ text, thought: true, thoughtSignature: signature }];
    // A signed detail that names a call is written with that call (see callSignatures).
    if (redacted === undefined || hasForeignFormat(providerData)) omissions.add("reasoningContent");
    return [];
  },
  "tool-call": ({ id, name, arguments: text, providerData }, { omissions, callNames }) => {
    callNames.set(id, name);
    const { value, exact } = readToolArguments(text);
    if (!exact) omissions.add("toolArguments");
    return [{ functionCall: { id, name, args: value }, ...withSignature(readSignature(providerData)) }];
  },
  "tool-result": writeToolResult,
  opaque: ({ data }) => [{ ...data }],
};

/** `systemInstruction` parts and `contents`. Parts without a place there are noted in `omissions`. */
export function writeMessages(request: ChatRequest, quirks: ModelQuirks, omissions: Omissions) {
  const context: Context = { quirks, omissions, callNames: new Map() };
  refuseEmptied(request, "gemini", (part) => writePart(part, context), omissions);
  const system: Part[] = [];
  const contents: Content[] = [];
  /** Where the results of the model's last turn stand, or will stand. */
  let resultsAt = 0;
  for (const message of writePlainMessages(request, "gemini", omissions)) {
    if (message.name !== undefined) omissions.add("messageName");
    const parts = signCalls(message, writeParts(message, context), quirks);
    if (isInstruction(message)) {
      const texts = parts.filter((part) => "text" in part);
      if (texts.length < parts.length) omissions.add("opaqueContent");
      system.push(...texts);
    } else if (message.role !== "assistant") addUserParts(contents, parts, resultsAt);
    else if (parts.length > 0) {
      addModelParts(contents, parts);
      resultsAt = contents.length;
    }
  }
  // The API requires a user turn: instructions alone, which OpenAI accepts, become the user's text.
  if (contents.length === 0 && system.length > 0)
    return { system: [], contents: [{ role: "user" as const, parts: system }] };
  return { system, contents: contents.map(orderResults) };
}

/**
 * Joins a turn that the caller has as several messages: the API refuses a call right after another content of
 * the model.
 */
function addModelParts(contents: Content[], parts: Part[]): void {
  const last = contents.at(-1);
  if (last?.role === "model") last.parts.push(...parts);
  else contents.push({ role: "model", parts });
}

const isResult = (part: Part): boolean => "functionResponse" in part;

/**
 * Results have a content of their own right after their calls, and the user's other parts one after it.
 * Gemini 3 takes a content that has words after its results for the model's own ("Requests ending with a
 * model turn are not supported"), and every Gemini counts the results right after a turn's calls
 * (github.com/google/oss-rebuild/pull/1559, github.com/dust-tt/dust/pull/32270).
 */
function addUserParts(contents: Content[], parts: Part[], resultsAt: number): void {
  const results = parts.filter(isResult);
  const others = parts.filter((part) => !isResult(part));
  const before = contents[resultsAt];
  if (results.length > 0) {
    if (before?.parts.some(isResult)) before.parts.push(...results);
    else contents.splice(resultsAt, 0, { role: "user", parts: results });
  }
  if (others.length > 0) contents.push({ role: "user", parts: others });
}

/**
 * Puts results in the order of their calls: the API compares their number and names with the calls of the
 * turn before.
 */
function orderResults(content: Content, index: number, contents: readonly Content[]): Content {
  if (!content.parts.some(isResult)) return content;
  const calls = (contents[index - 1]?.parts ?? []).flatMap(({ functionCall: call }) =>
    call === undefined ? [] : [(call as { id: string }).id],
  );
  const order = new Map(calls.map((id, position) => [id, position]));
  const orderOf = ({ functionResponse: result }: Part): number =>
    order.get((result as { id: string }).id) ?? calls.length;
  return { ...content, parts: content.parts.toSorted((left, right) => orderOf(left) - orderOf(right)) };
}

function writeParts(message: ChatMessage, context: Context): Part[] {
  return message.parts.flatMap((part) => {
    if ("providerData" in part) nameMarks(part, silentFields, context.omissions);
    return writePart(part, context);
  });
}

function writePart(part: ContentPart, context: Context): Part[] {
  const write = writers[part.type] as (part: ContentPart, context: Context) => Part[];
  return write(part, context);
}

/** Signatures that came as OpenRouter's encrypted reasoning details, by the id of their call. */
function callSignatures(message: ChatMessage): Map<string, string> {
  const signatures = new Map<string, string>();
  for (const part of message.parts) {
    if (part.type !== "reasoning" || part.redacted === undefined || hasForeignFormat(part.providerData))
      continue;
    const id = readText(readObject(part.providerData?.reasoning_detail)?.id);
    if (id !== undefined) signatures.set(id, part.redacted);
  }
  return signatures;
}

/** Only the first call of a step needs a signature; a call that no Gemini model made gets the documented one. */
function signCalls(message: ChatMessage, parts: Part[], quirks: ModelQuirks): Part[] {
  const signatures = callSignatures(message);
  const first = parts.findIndex((part) => "functionCall" in part);
  return parts.map((part, position) => {
    if (!("functionCall" in part) || part.thoughtSignature !== undefined) return part;
    const { id } = part.functionCall as { id: string };
    const signature =
      signatures.get(id) ?? (quirks.signedCalls && position === first ? unsignedCall : undefined);
    return { ...part, ...withSignature(signature) };
  });
}

function withSignature(thoughtSignature: string | undefined): { thoughtSignature?: string } {
  return thoughtSignature === undefined ? {} : { thoughtSignature };
}

type ToolResult = Extract<ContentPart, { type: "tool-result" }>;

/** A result's text is sent as one string, never as parsed JSON: the API would interpret a `$ref` inside it. */
function writeToolResult(
  { toolCallId, content, isError }: ToolResult,
  { quirks, omissions, callNames }: Context,
): Part[] {
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const media = content.flatMap((part) => {
    if ("providerData" in part) nameMarks(part, silentFields, omissions);
    if (part.type === "file" && part.filename !== undefined) omissions.add("fileName");
    return part.type === "image" || part.type === "file"
      ? writeMedia(resolveMediaSource(part.source), omissions)
      : [];
  });
  const goesInside = (part: Part): boolean => quirks.resultMedia && "inlineData" in part;
  const inside = media.filter(goesInside);
  const beside = media.filter((part) => !goesInside(part));
  const response = {
    id: toolCallId,
    name: callNames.get(toolCallId) ?? toolCallId,
    response: { [isError === true ? "error" : "output"]: text },
    ...(inside.length > 0 ? { parts: inside } : {}),
  };
  return [{ functionResponse: response }, ...beside];
}

/** The signature, byte-equal, if the part has one: under our own key, or as Google's OpenAI format has it. */
const readSignature = (data: ProviderData | undefined): string | undefined =>
  readText(data?.thoughtSignature) ?? readThoughtSignature(data?.extra_content);

/** True for reasoning that names another provider's format (OpenRouter's reasoning details), or none. */
function hasForeignFormat(data: ProviderData | undefined): boolean {
  const format = readText(readObject(data?.reasoning_detail)?.format);
  return !format?.startsWith("google-gemini");
}
