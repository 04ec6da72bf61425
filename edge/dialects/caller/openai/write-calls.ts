/**
 * Tool calls in the chunks of a streamed chat completion: a start, then pieces of arguments; a custom tool's free text is written
 * once, when it is complete.
 */
import type { ChatEvent, EventOf } from "../../../../shared/chat.ts";
import { unwrapInput } from "../../custom-tools.ts";
import { writeThoughtSignature } from "../../openai-extensions.ts";

/** The part of a chunk after the delta's own fields. */
export const chunkEnd = '},"finish_reason":null}]}\n\n';

/** How calls of custom tools are written: in their own form, or for Cursor as those of a function whose arguments are the text. */
export type CustomForm = "custom" | "function";
/** The custom tools by name. */
export type CustomTools = ReadonlyMap<string, CustomForm>;

/** `text`: the arguments as the hub has them. */
export const writeCustom = (form: CustomForm, name: string, text: string) =>
  form === "custom"
    ? { type: form, custom: { name, input: unwrapInput(text) } }
    : { type: form, function: { name, arguments: unwrapInput(text) } };

/**
 * A call of a custom tool. Its text is inside JSON and readable only when that is complete, so text and signature are written at the
 * end.
 */
type CustomCall = {
  id: string;
  name: string;
  form: CustomForm;
  text: string;
  signature?: string | undefined;
};

/**
 * `index` counts the calls in order of their start; clients collect the pieces by it. `written`: arguments, or a custom tool's text, were
 * sent.
 */
type OpenCall = { index: number; written: boolean; custom?: CustomCall };

/** The state of a choice that its tool calls use. */
export type CallState = {
  /** The part of a chunk before the delta's own fields. */
  head: string;
  /** The calls by their blocks. */
  tools: Map<number, OpenCall>;
};

/** A chunk with these fields in its delta. */
export const writeChunk = (state: CallState, fields: object): string =>
  `${state.head}${JSON.stringify(fields).slice(1, -1)}${chunkEnd}`;

/** `count`: events that were read ahead, which are then written. */
export type Ahead = { count: number; text: string; signature?: string };

/**
 * Arguments and signature that follow a call's start in the same batch, to go into one chunk: clients look for a signature beside the name.
 */
export function lookAhead(
  events: readonly ChatEvent[],
  at: number,
  { choice, block }: EventOf<"tool-call-start">,
): Ahead {
  const ahead: Ahead = { count: 0, text: "" };
  for (const event of events.slice(at + 1)) {
    const ours = (event.type === "tool-call-delta" || event.type === "signature") && event.choice === choice;
    if (!ours || event.block !== block) break;
    if (event.type === "tool-call-delta") ahead.text += event.arguments;
    else ahead.signature = event.signature;
    ahead.count += 1;
  }
  return ahead;
}

export function writeToolStart(state: CallState, event: EventOf<"tool-call-start">, ahead: Ahead): string {
  const index = state.tools.size;
  state.tools.set(event.block, { index, written: ahead.text !== "" });
  const call = {
    index,
    id: event.id,
    type: "function",
    function: { name: event.name, arguments: ahead.text },
    ...(ahead.signature !== undefined && writeThoughtSignature(ahead.signature)),
  };
  return writeChunk(state, { tool_calls: [call] });
}

export function writeArguments(state: CallState, block: number, text: string): string {
  const call = state.tools.get(block);
  if (call === undefined || text === "") return "";
  if (call.custom !== undefined) {
    call.custom.text += text;
    return "";
  }
  call.written = true;
  return `${state.head}"tool_calls":[{"index":${call.index},"function":{"arguments":${JSON.stringify(text)}}}]${chunkEnd}`;
}

/** A signature that comes after the call's start. Typed clients refuse a piece of a function call without `function`. */
export function writeLateSignature(state: CallState, call: OpenCall, signature: string): string {
  const { index, written, custom } = call;
  if (custom !== undefined && !written) {
    custom.signature = signature;
    return "";
  }
  const piece = custom?.form !== "custom" ? { function: { arguments: "" } } : {};
  return writeChunk(state, { tool_calls: [{ index, ...piece, ...writeThoughtSignature(signature) }] });
}

export function startCustomCall(
  state: CallState,
  { block, id, name }: EventOf<"tool-call-start">,
  form: CustomForm,
  ahead: Ahead,
) {
  const custom = { id, name, form, text: ahead.text, signature: ahead.signature };
  state.tools.set(block, { index: state.tools.size, written: false, custom });
  return "";
}

export function writeToolEnd(state: CallState, block: number): string {
  const call = state.tools.get(block);
  if (call === undefined) return "";
  const { index, written, custom } = call;
  if (custom === undefined) return written ? "" : writeArguments(state, block, "{}");
  call.written = true;
  const { id, name, form, text, signature } = custom;
  const signed = signature === undefined ? {} : writeThoughtSignature(signature);
  return writeChunk(state, {
    tool_calls: [{ index, id, ...writeCustom(form, name, text), ...signed }],
  });
}
