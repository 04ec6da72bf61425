/**
 * An answer in OpenAI's format, streamed or whole, as hub events. Reads what OpenAI and the servers that imitate it send (OpenRouter,
 * DeepSeek, Groq, xAI, Mistral, vLLM, …); a chunk that cannot be read becomes an `error` event. A choice ends with a finish
 * reason that comes without content and after the calls that it claims, with `[DONE]`, or with the stream if a reason has come before.
 */
import type { ChatEvent, ProviderData, Usage } from "../../../../shared/chat.ts";
import type { SseEvent } from "../../../stream/sse.ts";
import { parseJson, readLeniently, readNumber, readObject, readText } from "../../json.ts";
import { createJsonReader } from "../chunk-json.ts";
import { type ErrorEvent, type StreamReader, truncated, unreadable } from "../dialect.ts";
import { type ChoiceReader, createChoiceReader } from "./read-choice.ts";
import { readFailure, readUsage } from "./read-end.ts";
import { createErrorEvent, findError } from "./read-error.ts";
import { AnswerFacts, type Choice, Chunk, Completion } from "./schema.ts";

const missingCall: ErrorEvent = {
  type: "error",
  code: "upstream_error",
  message:
    "The provider says that the model called a tool, but sent no call that can be run; retry the request.",
};

/**
 * Fields that differ from chunk to chunk while an answer grows (for chunk-json.ts). Only strings that events copy may be
 * listed: an object that an event keeps (usage, logprobs) would be overwritten by the next chunk.
 */
const changing = [
  ["obfuscation"],
  ["choices", 0, "delta", "content"],
  ["choices", 0, "delta", "reasoning"],
  ["choices", 0, "delta", "reasoning_content"],
  ["choices", 0, "delta", "reasoning_details", 0, "text"],
  ["choices", 0, "delta", "tool_calls", 0, "function", "arguments"],
] as const;

const check = (chunk: unknown): Chunk | undefined => readLeniently(Chunk, chunk);

/** Facts about the whole answer that an OpenAI caller gets back. */
const factNames = ["service_tier", "system_fingerprint", "provider"] as const;

function readStart(chunk: Chunk): ChatEvent {
  const said = readLeniently(AnswerFacts, chunk) ?? {};
  const { id, model } = said;
  const created = readNumber(said.created);
  const facts = factNames.flatMap((name) => (said[name] ? [[name, said[name]]] : []));
  const providerData: ProviderData = Object.fromEntries(facts);
  return {
    type: "start",
    ...(id && { id }),
    ...(model && { model }),
    ...(created !== undefined && { created }),
    ...(facts.length > 0 && { providerData }),
  };
}

/** The usage report in a chunk, if it has one. */
const readReport = (chunk: Chunk | undefined): Usage | undefined =>
  readUsage(chunk?.usage ?? chunk?.x_groq?.usage ?? chunk?.choices?.[0]?.usage);

/** Ids for tool calls without one, at most 40 characters: the answer's own id makes them unique. */
const createIdSource = (answerId: unknown, salt: string, choice: number) => (ordinal: number) => {
  const letters = (readText(answerId) ?? salt).replace(/[^A-Za-z0-9]/g, "").slice(-24);
  return `call_${letters}_${choice}_${ordinal}`;
};

/** The error that a choice ends with, if any; else its finish reason is noted. */
function readEnd(entry: Choice, choice: ChoiceReader): ErrorEvent | undefined {
  const failure = readFailure(entry);
  const { finish_reason: raw, native_finish_reason: native } = entry;
  if (failure === undefined && raw) choice.noteFinish(raw, native || null);
  return failure;
}

/** What an event called error holds beside a chunk: words alone, or a page of a proxy, which is not passed on. */
const readWords = (data: string): unknown => (/^\s*</.test(data) ? undefined : (parseJson(data) ?? data));

/** What a stream and a whole reply have in common: choices by index, one start, usage, the first error. */
function createAnswerReader(salt = "") {
  const choices = new Map<number, ChoiceReader>();
  let started = false;

  const findChoice = (index: number, chunk: Chunk): ChoiceReader => {
    let choice = choices.get(index);
    if (choice === undefined) {
      choice = createChoiceReader(index, createIdSource(chunk.id, salt, index));
      choices.set(index, choice);
    }
    return choice;
  };

  return {
    read(chunk: Chunk, whole: boolean): ChatEvent[] {
      const entries = chunk.choices ?? [];
      const events: ChatEvent[] = [];
      const first = entries[0] ?? undefined;
      const usage = readReport(chunk);
      if (!started && (first !== undefined || usage !== undefined)) {
        started = true;
        events.push(readStart(chunk));
      }
      const general = findError(chunk);
      const moderation = readObject(chunk.moderation);
      if (moderation !== undefined) events.push({ type: "start", providerData: { moderation } });
      let error = general === undefined ? undefined : createErrorEvent(general);
      for (const entry of entries) {
        if (entry === null) continue;
        const index = entry.index ?? 0;
        const choice = findChoice(index, chunk);
        const saidBefore = events.length;
        if (entry.delta) choice.read(entry.delta, whole, events);
        const logprobs = readObject(entry.logprobs);
        if (logprobs !== undefined && !choice.hasEnded() && (logprobs.content ?? logprobs.refusal)) {
          events.push({ type: "logprobs", choice: index, data: logprobs });
        }
        // If an error comes with choices, they hold the text before it and no real ending.
        error ??= readEnd(entry, choice);
        // Some servers repeat the reason with every chunk, or send it with the last thought: a reason beside content ends nothing
        // yet. A reason without content ends the choice, so that nobody waits for the usage report after it.
        if (error === undefined && events.length === saidBefore && choice.isWhole()) choice.end(events);
      }
      if (usage !== undefined) events.push({ type: "usage", usage });
      if (error !== undefined) events.push(error);
      return events;
    },
    /** Ends all choices, also those without a finish reason. An answer is an error if no choice of it is usable. */
    end(): ChatEvent[] {
      const all = [...choices.values()];
      if (all.length === 0) return [truncated];
      if (!all.some((choice) => choice.isUsable())) return [missingCall];
      const events: ChatEvent[] = [];
      for (const choice of all) choice.end(events);
      return events;
    },
    isComplete: () => choices.size > 0 && [...choices.values()].every((choice) => choice.isFinished()),
  };
}

export function createStreamReader(salt?: string): StreamReader {
  const answer = createAnswerReader(salt);
  const readJson = createJsonReader(changing, check);
  let ended = false;
  let failed = false;

  const readChunk = (data: string): Chunk | undefined => {
    try {
      return readJson(data);
    } catch {
      // No JSON.
      return undefined;
    }
  };
  const readData = ({ event, data }: SseEvent): ChatEvent[] => {
    if (data.trim() === "[DONE]") {
      ended = true;
      return answer.end();
    }
    const chunk = readChunk(data);
    if (event === "error" && (chunk === undefined || findError(chunk) === undefined))
      return [createErrorEvent(chunk ?? readWords(data))];
    if (chunk === undefined) return [unreadable];
    return answer.read(chunk, false);
  };

  const readLate = ({ data }: SseEvent): ChatEvent[] => {
    const usage = failed ? readReport(readChunk(data)) : undefined;
    return usage === undefined ? [] : [{ type: "usage", usage }];
  };

  return {
    read(message) {
      // Some servers send empty events to keep the connection alive.
      if (message.data.trim() === "") return [];
      if (ended) return readLate(message);
      const events = readData(message);
      failed = events.at(-1)?.type === "error";
      ended ||= failed;
      return events;
    },
    close() {
      if (ended) return [];
      ended = true;
      return answer.isComplete() ? answer.end() : [truncated];
    },
    stage: () => (ended ? "ended" : answer.isComplete() ? "finished" : "open"),
  };
}

/** A whole JSON reply: each choice's message read as one delta, then the usage, then each finish. */
export function readReply(body: unknown, salt?: string): ChatEvent[] {
  const reply = readLeniently(Completion, body);
  if (reply === undefined) return [unreadable];
  const answer = createAnswerReader(salt);
  const choices = reply.choices?.map((choice) => choice && { ...choice, delta: choice.message });
  const events = answer.read({ ...reply, choices }, true);
  if (events.at(-1)?.type === "error") return events;
  return choices?.some((choice) => choice !== null) ? [...events, ...answer.end()] : [...events, unreadable];
}
