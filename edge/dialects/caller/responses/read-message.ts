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

type PartReaders = {
  [T in ContentPartInput["type"]]: (
    part: Extract<ContentPartInput, { type: T }>,
    note: Note,
  ) => ContentPart[];
};

const readText = ({ text }: { text: string }): ContentPart[] => (text === "" ? [] : [textPart(text)]);

const partReaders: PartReaders = {
  input_text: readText,
  output_text: readText,
  text: readText,
  refusal: ({ refusal }) => [{ type: "refusal", text: refusal }],
  input_image: ({ image_url: url, detail }, note) => {
    if (url) return [readImage(url, detail)];
    note("input_image.file_id");
    return [];
  },
  input_file: (part, note) => [readFile(part, note)],
  input_audio: ({ input_audio: audio }) => [readAudio(audio)],
};

const readPart = (part: ContentPartInput, note: Note): ContentPart[] =>
  (partReaders[part.type] as (part: ContentPartInput, note: Note) => ContentPart[])(part, note);

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

const joinTexts = (parts: ReasoningItem["summary"]): string =>
  (parts ?? []).map(({ text }) => text).join("\n\n");

/** An input while it is read. */
type Reading = {
  messages: ChatMessage[];
  /** The model's parts since the caller's last turn, and the seals among them. */
  parts: ContentPart[];
  seals: ItemSeal[];
  /** Ids of the calls in `messages`. */
  called: Set<string>;
  names: ToolNames;
  note: Note;
};

/** Ends the model's turn. Everything that is not the model's begins so. */
function endTurn(reading: Reading): void {
  const { messages, parts, seals, called } = reading;
  applySeals(parts, seals);
  for (const part of parts) if (part.type === "tool-call") called.add(part.id);
  if (parts.length > 0) messages.push({ role: "assistant", parts });
  reading.parts = [];
  reading.seals = [];
}

function readReasoning(
  { summary, content, encrypted_content: sealed }: ReasoningItem,
  { parts, seals, note }: Reading,
): void {
  const text = joinTexts(summary) || joinTexts(content);
  const seal = sealed ? readItemsSeal(sealed) : undefined;
  // A seal of another service cannot be opened here.
  if (sealed && seal === undefined) note("reasoning.encrypted_content");
  seals.push(...(seal?.seals ?? []));
  const { seals: _seals, ...own } = seal ?? {};
  if (text !== "" || Object.keys(own).length > 0) parts.push(unsealReasoning(text, own));
}

function readCall(
  item: ItemOf<"function_call" | "custom_tool_call">,
  written: string,
  { parts, names }: Reading,
): void {
  const text = written.trim() === "" ? "{}" : written;
  parts.push({ type: "tool-call", id: item.call_id, name: names.join(item), arguments: text });
}

/** A picture whose format is not recognised is taken for PNG. */
function readAnswerImage({ result }: ItemOf<"image_generation_call">, { parts }: Reading): void {
  if (!result) return;
  const mediaType = readImageType(result) ?? "image/png";
  parts.push({ type: "image", source: { kind: "base64", mediaType, data: result } });
}

function readSearch(item: ItemOf<"tool_search_call">, { parts, note }: Reading): void {
  const { type, execution, call_id: id, arguments: written } = item;
  const text = JSON.stringify(readObject(written) ?? {});
  if (execution === "client" && id) parts.push({ type: "tool-call", id, name: searchType, arguments: text });
  else note(`input.${type}`);
}

/** The found tools are in the request's list (read-tools.ts); this result tells the model their names there. */
function readFound(item: ItemOf<"tool_search_output">, reading: Reading): void {
  endTurn(reading);
  const { messages, called, names, note } = reading;
  const { type, tools, call_id: id } = item;
  const found = listOwnTools(tools).map(names.join);
  const text = found.length === 0 ? "No tool was found." : `Found; call them by name: ${found.join(", ")}`;
  if (id && called.has(id)) messages.push(resultOf(id, [textPart(text)]));
  else note(`input.${type}`);
}

/**
 * An output without a call becomes a message of the user's, as no provider takes a result without its call
 * (github.com/openai/codex/issues/42088).
 */
function readOutput(
  item: ItemOf<"function_call_output" | "custom_tool_call_output">,
  reading: Reading,
): void {
  endTurn(reading);
  const { messages, called, note } = reading;
  const { call_id: id, output } = item;
  const content = readContent(output, item, note) as ToolResultPart["content"];
  if (id && !called.has(id)) throw unanswered(id);
  messages.push(id ? resultOf(id, content) : { role: "user", parts: content });
}

const resultOf = (toolCallId: string, content: ToolResultPart["content"]): ChatMessage => ({
  role: "tool",
  parts: [{ type: "tool-result", toolCallId, content }],
});

const isPicture = ({ type }: ContentPartInput): boolean => type === "input_image";

/** Throws unsupported_parameter if a picture by its id is all that the newest message holds: the model would answer something else. */
function readMessage(item: MessageItem, reading: Reading, isLast: boolean): void {
  const { role, content, phase } = item;
  const { note } = reading;
  if (role === "assistant") {
    // Chat completions have no field for it.
    if (phase != null) note("message.phase");
    reading.parts.push(...readContent(content, item, note));
    return;
  }
  endTurn(reading);
  const parts = readContent(content, item, note);
  if (isLast && parts.length === 0 && typeof content !== "string" && content.some(isPicture)) {
    const message =
      "No file is kept here, so nothing of the newest message is left: send its picture as image_url.";
    throw new GatewayError("unsupported_parameter", message, { param: "input" });
  }
  reading.messages.push({ role, parts });
}

/** An item that another service sealed, and a trigger before the end of the input, cannot be used: they are noted. */
function readCompaction(
  item: ItemOf<"compaction" | "compaction_trigger">,
  reading: Reading,
  isLast: boolean,
): void {
  endTurn(reading);
  const told =
    item.type === "compaction" ? tellSummary(item.encrypted_content) : isLast ? askForSummary() : undefined;
  if (told === undefined) reading.note(`input.${item.type}`);
  else reading.messages.push(told);
}

type Readers = {
  [T in InputItem["type"]]: (item: ItemOf<T>, reading: Reading, isLast: boolean) => void;
};

const readers: Readers = {
  message: readMessage,
  reasoning: readReasoning,
  function_call: (item, reading) => readCall(item, item.arguments, reading),
  function_call_output: readOutput,
  custom_tool_call: (item, reading) => readCall(item, wrapInput(item.input), reading),
  custom_tool_call_output: readOutput,
  image_generation_call: readAnswerImage,
  tool_search_call: readSearch,
  tool_search_output: readFound,
  compaction: readCompaction,
  compaction_trigger: readCompaction,
  // Its tools are in the request's list (read-tools.ts).
  additional_tools: () => {},
  // None comes here: item-ids.ts has put the item itself in its place.
  item_reference: () => {},
  other: ({ name }, { note }) => note(`input.${name}`),
};

/** `items` must hold no references. Throws invalid_request for a result that answers no call. */
export function readInput(input: string | readonly InputItem[], names: ToolNames, note: Note): ChatMessage[] {
  if (typeof input === "string") return [{ role: "user", parts: [textPart(input)] }];
  const reading: Reading = { messages: [], parts: [], seals: [], called: new Set(), names, note };
  for (const item of input) {
    const read = readers[item.type] as (item: InputItem, reading: Reading, isLast: boolean) => void;
    read(item, reading, item === input.at(-1));
  }
  endTurn(reading);
  return reading.messages;
}

const textPart = (text: string): TextPart => ({ type: "text", text });

const unanswered = (callId: string): GatewayError =>
  new GatewayError(
    "invalid_request",
    `No tool call found for function call output with call_id ${callId.slice(0, 64)}: send the call before its output.`,
    { param: "input" },
  );
