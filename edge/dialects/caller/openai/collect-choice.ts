/**
 * One choice of an answer, put together from its events: the `message` of a chat completion. The same
 * fields a stream of it would carry, joined.
 */
import type { ChatEvent, ProviderData, ReasoningPart } from "../../../../shared/chat.ts";
import { unwrapInput } from "../../custom-tools.ts";
import { readObject } from "../../json.ts";
import type { ReasoningDetail } from "../../openai-extensions.ts";
import {
  type Seal,
  type WireImage,
  writeDetail,
  writeImage,
  writeNote,
  writeSeal,
} from "../../openai-extensions.ts";
import { type WireFinishReason, writeFinishReason } from "./write-end.ts";

type FunctionCall = Partial<Seal> & {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
};
type CustomCall = Partial<Seal> & { id: string; type: "custom"; custom: { name: string; input: string } };
export type AnswerToolCall = FunctionCall | CustomCall;
/** Each provider's own words about its answer, by whose they are. */
export type ExtraContent = Record<string, ProviderData>;
export type AnswerMessage = {
  extra_content?: ExtraContent;
  role: "assistant";
  /** Null where the model wrote no text: tools called, or refused. */
  content: string | null;
  refusal: string | null;
  reasoning_content?: string;
  reasoning_details?: ReasoningDetail[];
  tool_calls?: AnswerToolCall[];
  images?: WireImage[];
};
type Logprobs = { content: unknown[] | null; refusal: unknown[] | null };
export type AnswerChoice = {
  index: number;
  message: AnswerMessage;
  logprobs: Logprobs | null;
  finish_reason: WireFinishReason;
  native_finish_reason: string | null;
};

type ChoiceEvent = Extract<ChatEvent, { choice: number }>;

/** Joins what a stream of an OpenAI-only field gives in pieces: lists grow, audio data and transcript too. */
function joinField(before: unknown, value: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(value)) return [...before, ...value];
  const left = readObject(before);
  const right = readObject(value);
  if (left === undefined || right === undefined) return value;
  const grown = ["data", "transcript"].flatMap((key) =>
    typeof left[key] === "string" && typeof right[key] === "string" ? [[key, left[key] + right[key]]] : [],
  );
  return { ...left, ...right, ...Object.fromEntries(grown) };
}

const joinLists = (before: unknown[] | null, value: unknown): unknown[] | null =>
  Array.isArray(value) ? [...(before ?? []), ...value] : before;

/** Notes of other providers and Gemini's seal of the text share one field. */
function joinExtra(
  notes: Record<string, ProviderData>,
  seal: Seal | undefined,
): { extra_content?: ExtraContent } {
  const google = { ...notes.google, ...seal?.extra_content.google };
  const all = Object.keys(google).length > 0 ? { ...notes, google } : notes;
  return Object.keys(all).length > 0 ? { extra_content: all } : {};
}

const none: ReadonlySet<string> = new Set();

/** A call as its tool was given: free text where that is what the tool takes. */
function writeCall(call: FunctionCall, customTools: ReadonlySet<string>): AnswerToolCall {
  const { name, arguments: text } = call.function;
  if (!customTools.has(name))
    return text.trim() === "" ? { ...call, function: { name, arguments: "{}" } } : call;
  const { function: _function, ...rest } = call;
  return { ...rest, type: "custom", custom: { name, input: unwrapInput(text) } };
}

/** `events` are one choice's, in order. */
export function joinChoice(
  index: number,
  events: readonly ChoiceEvent[],
  customTools: ReadonlySet<string> = none,
): AnswerChoice {
  let content: string | null = null;
  let refusal: string | null = null;
  let seal: Seal | undefined;
  let logprobs = null as Logprobs | null;
  let finish: Extract<ChatEvent, { type: "finish" }> | undefined;
  const reasoning = new Map<number, ReasoningPart>();
  const tools = new Map<number, FunctionCall>();
  const textBlocks = new Set<number>();
  let fields: ProviderData = {};
  const images: WireImage[] = [];
  const notes: Record<string, ProviderData> = {};

  const openReasoning = (block: number, providerData: ProviderData | undefined): ReasoningPart => {
    const part = reasoning.get(block) ?? {
      type: "reasoning",
      text: "",
      ...(providerData && { providerData }),
    };
    reasoning.set(block, part);
    return part;
  };
  const placeSignature = (block: number, signature: string) => {
    const call = tools.get(block);
    if (call !== undefined) Object.assign(call, writeSeal(signature));
    else if (textBlocks.has(block)) seal = writeSeal(signature);
    else openReasoning(block, undefined).signature = signature;
  };

  for (const event of events) {
    switch (event.type) {
      case "text-delta":
        textBlocks.add(event.block);
        if (event.text !== "") content = (content ?? "") + event.text;
        break;
      case "refusal-delta":
        refusal = (refusal ?? "") + event.text;
        break;
      case "reasoning-delta":
        openReasoning(event.block, event.providerData).text += event.text;
        break;
      case "redacted-reasoning":
        openReasoning(event.block, event.providerData).redacted = event.data;
        break;
      case "signature":
        placeSignature(event.block, event.signature);
        break;
      case "tool-call-start":
        tools.set(event.block, {
          id: event.id,
          type: "function",
          function: { name: event.name, arguments: "" },
        });
        break;
      case "tool-call-delta": {
        const call = tools.get(event.block);
        if (call !== undefined) call.function.arguments += event.arguments;
        break;
      }
      case "logprobs":
        logprobs = {
          content: joinLists(logprobs?.content ?? null, event.data.content),
          refusal: joinLists(logprobs?.refusal ?? null, event.data.refusal),
        };
        break;
      case "opaque":
        if (event.dialect !== "openai") {
          if (event.image !== undefined) images.push(writeImage(event.image, images.length));
          if (event.annotation === true) {
            for (const [name, data] of Object.entries(writeNote(event.dialect, event.data)))
              notes[name] = { ...notes[name], ...data };
          }
          break;
        }
        for (const [name, value] of Object.entries(event.data)) {
          fields = { ...fields, [name]: joinField(fields[name], value) };
        }
        break;
      case "finish":
        finish ??= event;
        break;
    }
  }

  const thoughts = [...reasoning.values()];
  const thought = thoughts.map(({ text }) => text).join("");
  const silent = content === null && tools.size === 0 && refusal === null;
  return {
    index,
    message: {
      ...fields,
      role: "assistant",
      content: silent ? "" : content,
      refusal,
      ...(thought !== "" && { reasoning_content: thought }),
      ...(thoughts.length > 0 && { reasoning_details: thoughts.map(writeDetail) }),
      ...(tools.size > 0 && { tool_calls: [...tools.values()].map((call) => writeCall(call, customTools)) }),
      ...(images.length > 0 && { images }),
      ...joinExtra(notes, seal),
    },
    logprobs,
    finish_reason: writeFinishReason(finish?.reason ?? "other", tools.size > 0),
    native_finish_reason: finish?.raw ?? null,
  };
}
