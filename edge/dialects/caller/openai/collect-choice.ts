/**
 * One choice of an answer, collected from its events: the `message` of a chat completion, with the same fields as the deltas of a
 * stream.
 */
import type { ChatEvent, EventOf, ProviderData, ReasoningPart } from "../../../../shared/chat.ts";
import { readObject } from "../../json.ts";
import {
  type ReasoningDetail,
  type ThoughtSignature,
  type WireImage,
  writeDetail,
  writeImage,
  writeThoughtSignature,
} from "../../openai-extensions.ts";
import { createNotes, type Notes } from "../notes.ts";
import { type CustomTools, writeCustom } from "./write-calls.ts";
import { type WireFinishReason, writeFinishReason } from "./write-end.ts";

type FunctionCall = Partial<ThoughtSignature> & {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
};
type CustomCall = Partial<ThoughtSignature> & {
  id: string;
  type: "custom";
  custom: { name: string; input: string };
};
export type AnswerToolCall = FunctionCall | CustomCall;
export type AnswerMessage = {
  /** Providers' own fields about the answer, by provider. */
  extra_content?: Record<string, ProviderData>;
  role: "assistant";
  /** Null if the model wrote no text: it called tools, or refused. */
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

/** Joins the pieces of an OpenAI-only field of a stream: lists are appended, and so are audio data and transcripts. */
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

/** Adds in place: a new list for each of 64,000 tokens took five seconds. */
function addTo(list: unknown[] | null, value: unknown): unknown[] | null {
  if (!Array.isArray(value)) return list;
  const joined = list ?? [];
  for (const entry of value) joined.push(entry);
  return joined;
}

/** Notes of other providers and Gemini's signature of the text share one field. */
function joinExtra(
  notes: Record<string, ProviderData>,
  signature: ThoughtSignature | undefined,
): Pick<AnswerMessage, "extra_content"> {
  const google = { ...notes.google, ...signature?.extra_content.google };
  const all = Object.keys(google).length > 0 ? { ...notes, google } : notes;
  return Object.keys(all).length > 0 ? { extra_content: all } : {};
}

/** A choice while its events are added. */
type Collected = {
  content: string | null;
  refusal: string | null;
  /** Gemini's, of the text. */
  signature: ThoughtSignature | undefined;
  logprobs: Logprobs | null;
  finish: EventOf<"finish"> | undefined;
  reasoning: Map<number, ReasoningPart>;
  tools: Map<number, FunctionCall>;
  textBlocks: Set<number>;
  fields: ProviderData;
  images: WireImage[];
  notes: Notes;
};

const createCollected = (): Collected => ({
  content: null,
  refusal: null,
  signature: undefined,
  logprobs: null,
  finish: undefined,
  reasoning: new Map(),
  tools: new Map(),
  textBlocks: new Set(),
  fields: {},
  images: [],
  notes: createNotes(),
});

type Collectors = {
  [T in ChoiceEvent["type"]]: (choice: Collected, event: Extract<ChoiceEvent, { type: T }>) => void;
};

const collectors: Collectors = {
  "text-delta": (choice, { block, text }) => {
    choice.textBlocks.add(block);
    if (text !== "") choice.content = (choice.content ?? "") + text;
  },
  "refusal-delta": (choice, { text }) => {
    choice.refusal = (choice.refusal ?? "") + text;
  },
  "reasoning-delta": (choice, { block, text, providerData }) => {
    openReasoning(choice, block, providerData).text += text;
  },
  "redacted-reasoning": (choice, { block, data, providerData }) => {
    openReasoning(choice, block, providerData).redacted = data;
  },
  signature: (choice, { block, signature }) => {
    const call = choice.tools.get(block);
    if (call !== undefined) Object.assign(call, writeThoughtSignature(signature));
    else if (choice.textBlocks.has(block)) choice.signature = writeThoughtSignature(signature);
    else openReasoning(choice, block, undefined).signature = signature;
  },
  "tool-call-start": ({ tools }, { block, id, name }) => {
    tools.set(block, { id, type: "function", function: { name, arguments: "" } });
  },
  "tool-call-delta": ({ tools }, { block, arguments: text }) => {
    const call = tools.get(block);
    if (call !== undefined) call.function.arguments += text;
  },
  "tool-call-end": () => {},
  logprobs: (choice, { data }) => {
    choice.logprobs = {
      content: addTo(choice.logprobs?.content ?? null, data.content),
      refusal: addTo(choice.logprobs?.refusal ?? null, data.refusal),
    };
  },
  opaque: collectOpaque,
  finish: (choice, event) => {
    choice.finish ??= event;
  },
};

function openReasoning({ reasoning }: Collected, block: number, providerData: ProviderData | undefined) {
  const part = reasoning.get(block) ?? { type: "reasoning", text: "", ...(providerData && { providerData }) };
  reasoning.set(block, part);
  return part;
}

/** Opaque parts of our own dialect are fields of the message; of other dialects only pictures and notes have a place. */
function collectOpaque(choice: Collected, event: EventOf<"opaque">): void {
  const { dialect, data, image, annotation } = event;
  if (dialect === "openai") {
    for (const [name, value] of Object.entries(data))
      choice.fields = { ...choice.fields, [name]: joinField(choice.fields[name], value) };
    return;
  }
  if (image !== undefined) choice.images.push(writeImage(image, choice.images.length));
  if (annotation === true) choice.notes.add(dialect, data);
}

const none: CustomTools = new Map();

function writeCall(call: FunctionCall, customTools: CustomTools): AnswerToolCall {
  const { name, arguments: text } = call.function;
  const form = customTools.get(name);
  if (form === undefined) return text.trim() === "" ? { ...call, function: { name, arguments: "{}" } } : call;
  const { function: _function, ...rest } = call;
  return { ...rest, ...writeCustom(form, name, text) };
}

/** `events` are those of one choice, in order. */
export function collectChoice(
  index: number,
  events: readonly ChoiceEvent[],
  customTools: CustomTools = none,
): AnswerChoice {
  const choice = createCollected();
  for (const event of events) {
    const collect = collectors[event.type] as (choice: Collected, event: ChoiceEvent) => void;
    collect(choice, event);
  }
  const { content, refusal, logprobs, finish, tools, fields, images } = choice;
  const thoughts = [...choice.reasoning.values()];
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
      ...joinExtra(choice.notes.list(), choice.signature),
    },
    logprobs,
    finish_reason: writeFinishReason(finish?.reason ?? "other", tools.size > 0),
    native_finish_reason: finish?.raw ?? null,
  };
}
