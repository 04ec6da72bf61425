/**
 * A caller's input items as the hub's messages. Every provider expects what the model wrote between two turns of the caller
 * (reasoning, texts, calls) as one message.
 */
import type {
  ChatMessage,
  ContentPart,
  FilePart,
  TextPart,
  ToolResultPart,
} from "../../../../shared/chat.ts";
import { GatewayError } from "../../../../shared/errors.ts";
import { wrapInput } from "../../custom-tools.ts";
import { readImageType } from "../../inline-media.ts";
import { type JsonObject, readObject } from "../../json.ts";
import { markLast } from "../../openai-extensions.ts";
import { readAudio, readFileSource, readImage } from "../openai-requests.ts";
import { unsealReasoning } from "../seals.ts";
import { askForSummary, tellSummary } from "./compaction.ts";
import { listOwnTools, type Note } from "./read-tools.ts";
import type { ContentPartInput, InputItem, MessageItem, ReasoningItem } from "./schema.ts";
import { applySeals, type ItemSeal, readItemsSeal } from "./seals.ts";
import type { ToolNames } from "./tool-names.ts";
import { searchType } from "./tool-schema.ts";

type ItemOf<T extends InputItem["type"]> = Extract<InputItem, { type: T }>;
type FileInput = Extract<ContentPartInput, { type: "input_file" }>;

function readFile(
  { file_data: data, file_url: url, file_id: id, filename, detail }: FileInput,
  note: Note,
): FilePart {
  if (detail === "low" || detail === "high") note("input_file.detail");
  return { type: "file", source: readFileSource(data || url, id), ...(filename && { filename }) };
}

function readPart(part: ContentPartInput, note: Note): ContentPart[] {
  switch (part.type) {
    case "refusal":
      return [{ type: "refusal", text: part.refusal }];
    case "input_image":
      if (part.image_url) return [readImage(part.image_url, part.detail)];
      note("input_image.file_id");
      return [];
    case "input_file":
      return [readFile(part, note)];
    case "input_audio":
      return [readAudio(part.input_audio)];
    default:
      return part.text === "" ? [] : [{ type: "text", text: part.text }];
  }
}

type Content = string | readonly ContentPartInput[];

/** `item` holds the content. Cache marks on it apply to the content's last part. */
function readContent(content: Content, item: JsonObject, note: Note): ContentPart[] {
  const parts: ContentPart[] =
    typeof content !== "string"
      ? content.flatMap((part) => markLast(readPart(part, note), part))
      : content === ""
        ? []
        : [textPart(content)];
  return markLast(parts, item);
}

/** A picture whose format is not recognised is taken for PNG. */
function readAnswerImage({ result }: ItemOf<"image_generation_call">): ContentPart[] {
  if (!result) return [];
  const mediaType = readImageType(result) ?? "image/png";
  return [{ type: "image", source: { kind: "base64", mediaType, data: result } }];
}

const joinTexts = (parts: ReasoningItem["summary"]): string =>
  (parts ?? []).map(({ text }) => text).join("\n\n");

/** The model's parts since the caller's last turn, while they are read. */
type Turn = { parts: ContentPart[]; seals: ItemSeal[] };

function readReasoning(
  { summary, content, encrypted_content: sealed }: ReasoningItem,
  turn: Turn,
  note: Note,
) {
  const text = joinTexts(summary) || joinTexts(content);
  const seal = sealed ? readItemsSeal(sealed) : undefined;
  // A seal of another service cannot be opened here.
  if (sealed && seal === undefined) note("reasoning.encrypted_content");
  turn.seals.push(...(seal?.seals ?? []));
  const { seals: _seals, ...own } = seal ?? {};
  if (text !== "" || Object.keys(own).length > 0) turn.parts.push(unsealReasoning(text, own));
}

function readAnswerItem(item: InputItem, turn: Turn, names: ToolNames, note: Note): boolean {
  switch (item.type) {
    case "reasoning":
      readReasoning(item, turn, note);
      return true;
    case "function_call":
    case "custom_tool_call": {
      const written = item.type === "function_call" ? item.arguments : wrapInput(item.input);
      const text = written.trim() === "" ? "{}" : written;
      turn.parts.push({ type: "tool-call", id: item.call_id, name: names.join(item), arguments: text });
      return true;
    }
    case "image_generation_call":
      turn.parts.push(...readAnswerImage(item));
      return true;
    case "message":
      if (item.role !== "assistant") return false;
      // Chat completions have no field for it.
      if (item.phase != null) note("message.phase");
      turn.parts.push(...readContent(item.content, item, note));
      return true;
    case "tool_search_call":
      if (item.execution === "client" && item.call_id) turn.parts.push(readSearch(item, item.call_id));
      else note(`input.${item.type}`);
      return true;
    // Its tools are in the request's list (read-tools.ts).
    case "additional_tools":
      return true;
    default:
      return false;
  }
}

/**
 * An output without a call becomes a message of the user's, as no provider takes a result without its call
 * (github.com/openai/codex/issues/42088).
 */
function readOutput(
  item: ItemOf<"function_call_output" | "custom_tool_call_output">,
  called: ReadonlySet<string>,
  note: Note,
): ChatMessage {
  const { call_id: toolCallId, output } = item;
  const content = readContent(output, item, note) as ToolResultPart["content"];
  if (!toolCallId) return { role: "user", parts: content };
  if (!called.has(toolCallId)) throw unanswered(toolCallId);
  return { role: "tool", parts: [{ type: "tool-result", toolCallId, content }] };
}

const readSearch = ({ arguments: written }: ItemOf<"tool_search_call">, id: string): ContentPart => ({
  type: "tool-call",
  id,
  name: searchType,
  arguments: JSON.stringify(readObject(written) ?? {}),
});

/** The found tools are in the request's list (read-tools.ts); this result tells the model their names there. */
function readFound({ tools }: ItemOf<"tool_search_output">, id: string, names: ToolNames): ChatMessage {
  const found = listOwnTools(tools).map(names.join);
  const text = found.length === 0 ? "No tool was found." : `Found; call them by name: ${found.join(", ")}`;
  return { role: "tool", parts: [{ type: "tool-result", toolCallId: id, content: [textPart(text)] }] };
}

const isPicture = ({ type }: ContentPartInput): boolean => type === "input_image";

/** Throws unsupported_parameter if a picture by its id is all that the newest message holds: the model would answer something else. */
function readMessage(item: MessageItem, isLast: boolean, note: Note): ChatMessage {
  const { role, content } = item;
  const parts = readContent(content, item, note);
  if (!isLast || parts.length > 0 || typeof content === "string" || !content.some(isPicture))
    return { role, parts };
  const message =
    "No file is kept here, so nothing of the newest message is left: send its picture as image_url.";
  throw new GatewayError("unsupported_parameter", message, { param: "input" });
}

/** An item that another service sealed, and a trigger before the end of the input, cannot be used: they are noted. */
function readCompaction(
  item: ItemOf<"compaction" | "compaction_trigger">,
  isLast: boolean,
  note: Note,
): ChatMessage[] {
  const told =
    item.type === "compaction" ? tellSummary(item.encrypted_content) : isLast ? askForSummary() : undefined;
  if (told === undefined) note(`input.${item.type}`);
  return told === undefined ? [] : [told];
}

/** `items` must hold no references. Throws invalid_request for a result that answers no call. */
export function readInput(input: string | readonly InputItem[], names: ToolNames, note: Note): ChatMessage[] {
  if (typeof input === "string") return [{ role: "user", parts: [textPart(input)] }];
  const messages: ChatMessage[] = [];
  const called = new Set<string>();
  let turn: Turn = { parts: [], seals: [] };
  const endTurn = () => {
    applySeals(turn.parts, turn.seals);
    for (const part of turn.parts) if (part.type === "tool-call") called.add(part.id);
    if (turn.parts.length > 0) messages.push({ role: "assistant", parts: turn.parts });
    turn = { parts: [], seals: [] };
  };
  for (const item of input) {
    if (readAnswerItem(item, turn, names, note)) continue;
    if (item.type === "other") {
      note(`input.${item.name}`);
      continue;
    }
    endTurn();
    if (item.type === "message") messages.push(readMessage(item, item === input.at(-1), note));
    else if (item.type === "function_call_output" || item.type === "custom_tool_call_output")
      messages.push(readOutput(item, called, note));
    else if (item.type === "tool_search_output") {
      if (item.call_id && called.has(item.call_id)) messages.push(readFound(item, item.call_id, names));
      else note(`input.${item.type}`);
    } else if (item.type === "compaction" || item.type === "compaction_trigger")
      messages.push(...readCompaction(item, item === input.at(-1), note));
  }
  endTurn();
  return messages;
}

const textPart = (text: string): TextPart => ({ type: "text", text });

const unanswered = (callId: string): GatewayError =>
  new GatewayError(
    "invalid_request",
    `No tool call found for function call output with call_id ${callId.slice(0, 64)}: send the call before its output.`,
    { param: "input" },
  );
