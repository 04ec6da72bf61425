/**
 * The hub's messages as Anthropic's: system text is moved to `system`, tool results become user turns, neighbours of one role are
 * joined. Text is never rewritten; blank text blocks, which the API refuses, are left out.
 */
import {
  type ChatMessage,
  type ChatRequest,
  type ContentPart,
  isInstruction,
  type ProviderData,
} from "../../../../shared/chat.ts";
import { readExactArguments } from "../../exact-numbers.ts";
import { readObject, readText } from "../../json.ts";
import { type Omissions, takesOwnFields, writePlainMessages } from "../omissions.ts";
import { refuseEmptied } from "../refuse-emptied.ts";
import type { ModelQuirks } from "./model-quirks.ts";
import { type Block, type Context, keepFields, writeFile, writeImage } from "./write-media.ts";

/** `own`: fields of the message beside its content; such a turn stays apart from its neighbours. */
export type Turn = { role: "user" | "assistant" | "system"; content: Block[]; own?: ProviderData };

type Writers = {
  [T in ContentPart["type"]]: (part: Extract<ContentPart, { type: T }>, context: Context) => Block[];
};

const writers: Writers = {
  text: ({ text, providerData }, context) => textBlocks(text, keepFields(providerData, context)),
  refusal: ({ text }) => textBlocks(text),
  image: writeImage,
  file: writeFile,
  reasoning: ({ text, signature, redacted, providerData }, { omissions }) => {
    // Thinking without a signature, or with another provider's, is refused.
    if (!isForeign(providerData)) {
      if (redacted !== undefined) return [{ type: "redacted_thinking", data: redacted }];
      if (signature !== undefined) return [{ type: "thinking", thinking: text, signature }];
    }
    omissions.add("reasoningContent");
    return [];
  },
  "tool-call": ({ id, name, arguments: text, providerData }, context) => {
    const { value, exact } = readExactArguments(text);
    if (!exact) context.omissions.add("toolArguments");
    return [{ type: "tool_use", id: toolId(id), name, input: value, ...keepFields(providerData, context) }];
  },
  "tool-result": ({ toolCallId, content, isError, providerData }, context) => {
    const blocks = content.flatMap((part) => writePart(part, context));
    // The API refuses a failure that says nothing (github.com/can1357/oh-my-pi/pull/2250).
    if (isError === true && blocks.length === 0)
      blocks.push(...textBlocks("The tool failed without a message."));
    return [
      {
        type: "tool_result",
        tool_use_id: toolId(toolCallId),
        ...(blocks.length > 0 ? { content: blocks } : {}),
        ...(isError === true ? { is_error: true } : {}),
        ...keepFields(providerData, context),
      },
    ];
  },
  opaque: ({ data }) => [{ ...data, type: readText(data.type) ?? "" }],
};

/** `system` and `messages` of the request body. Parts without a place there are noted in `omissions`. */
export function writeMessages(
  request: ChatRequest,
  { laterSystem }: Pick<ModelQuirks, "laterSystem">,
  omissions: Omissions,
): { system: Block[]; turns: Turn[] } {
  const context: Context = { fromAnthropic: request.callerDialect === "anthropic", omissions };
  refuseEmptied(request, "anthropic", (part) => writePart(part, context), omissions);
  const system: Block[] = [];
  const turns: Turn[] = [];
  /** Instructions right after a turn of the model's: they wait for the user's turn, after which they may stand. */
  let waiting: Block[] = [];
  for (const message of writePlainMessages(request, "anthropic", omissions)) {
    if (message.name !== undefined) omissions.add("messageName");
    const blocks =
      readNative(message) ?? readParts(message, context).flatMap((part) => writePart(part, context));
    const own = takesOwnFields(message, request, "anthropic") ? message.providerData : undefined;
    if (own !== undefined) turns.push({ role: toRole(message), content: blocks, own });
    // Anthropic's own callers may send later instructions as system turns, which the API accepts.
    else if (context.fromAnthropic && isInstruction(message) && turns.length > 0)
      addTurn(turns, "system", blocks);
    else if (isInstruction(message)) {
      const texts = blocks.filter((block) => block.type === "text");
      if (texts.length < blocks.length) omissions.add("opaqueContent");
      // In `system` they would change the beginning of the prompt, and with it void the cache and all thinking so far.
      if (!laterSystem || turns.length === 0) system.push(...texts);
      else if (turns.at(-1)!.role === "assistant") waiting.push(...texts);
      else if (texts.length > 0) addTurn(turns, "system", texts);
    } else if (blocks.length > 0) {
      addBeforeInstructions(turns, toRole(message), blocks, context);
      if (waiting.length > 0 && turns.at(-1)!.role === "user") {
        addTurn(turns, "system", waiting);
        waiting = [];
      }
    }
  }
  system.push(...waiting);
  if (!context.fromAnthropic) endInWords(turns);
  // The API requires a user turn: instructions alone, which OpenAI accepts, become the user's text.
  if (turns.length === 0 && system.length > 0)
    return { system: [], turns: [{ role: "user", content: system }] };
  return { system, turns: turns.map(resultsFirst) };
}

/** An answer that the caller has begun must not end in white space, which OpenAI accepts. */
function endInWords(turns: Turn[]): void {
  const last = turns.at(-1);
  const block = last?.role === "assistant" ? last.content.at(-1) : undefined;
  if (last === undefined || block?.type !== "text" || typeof block.text !== "string") return;
  last.content = [...last.content.slice(0, -1), { ...block, text: block.text.trimEnd() }];
}

/** Pictures that another provider's model made cannot be part of Claude's turn, so they are left out. */
function readParts({ role, parts }: ChatMessage, { fromAnthropic, omissions }: Context): ContentPart[] {
  if (role !== "assistant" || fromAnthropic || !parts.some(({ type }) => type === "image")) return parts;
  omissions.name("messages.images");
  return parts.filter(({ type }) => type !== "image");
}

/** Claude's own blocks of a turn; undefined if the caller has changed the turn's text since, which then counts. */
function readNative({ native, parts }: ChatMessage): Block[] | undefined {
  const content = native?.dialect === "anthropic" ? native.data.content : undefined;
  if (!Array.isArray(content) || !content.every(isBlock)) return undefined;
  const blocks = content.filter((block) => block.type !== "text" || readWords(block).trim() !== "");
  const said = blocks.map(readWords).join("");
  const calls = blocks.flatMap(({ type, id }) => (type === "tool_use" ? [id] : []));
  const wanted = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const called = parts.flatMap((part) => (part.type === "tool-call" ? [part.id] : []));
  return said.trim() === wanted.trim() && JSON.stringify(calls) === JSON.stringify(called)
    ? blocks
    : undefined;
}

/** The caller sends these blocks back, so their fields may have any type. */
const readWords = ({ type, text }: Block): string =>
  type === "text" && typeof text === "string" ? text : "";

const isBlock = (value: unknown): value is Block =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

const toRole = (message: ChatMessage): Turn["role"] =>
  isInstruction(message) ? "system" : message.role === "assistant" ? "assistant" : "user";

/** A user's turn after instructions joins the one before them: instructions end the list, or a turn of the model's follows. */
function addBeforeInstructions(
  turns: Turn[],
  role: Turn["role"],
  blocks: Block[],
  { fromAnthropic }: Context,
): void {
  const [before, last] = turns.slice(-2);
  const joins = !fromAnthropic && role === "user" && last?.role === "system" && before?.role === "user";
  if (joins) before.content.push(...blocks);
  else addTurn(turns, role, blocks);
}

function addTurn(turns: Turn[], role: Turn["role"], blocks: Block[]): void {
  const last = turns.at(-1);
  if (last?.role === role && last.own === undefined) last.content.push(...blocks);
  else turns.push({ role, content: [...blocks] });
}

/** The API requires the results of a turn's tool calls before the user's other content. */
function resultsFirst({ content, ...turn }: Turn): Turn {
  const isResult = (block: Block) => block.type === "tool_result";
  return { ...turn, content: [...content.filter(isResult), ...content.filter((block) => !isResult(block))] };
}

function writePart(part: ContentPart, context: Context): Block[] {
  const write = writers[part.type] as (part: ContentPart, context: Context) => Block[];
  return write(part, context);
}

function textBlocks(text: string, more: Record<string, unknown> = {}): Block[] {
  return text.trim() === "" ? [] : [{ type: "text", text, ...more }];
}

/** Whether reasoning is another provider's: it has Gemini's own key, or another `format` in OpenRouter's reasoning details. */
function isForeign(providerData: ProviderData | undefined): boolean {
  const format = readObject(providerData?.reasoning_detail)?.format;
  return (
    providerData?.thoughtSignature !== undefined ||
    (typeof format === "string" && !format.startsWith("anthropic") && format !== "unknown")
  );
}

/** Replaces characters of another provider's id that Anthropic refuses; a call and its result are changed alike. */
function toolId(id: string): string {
  return id.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
}
