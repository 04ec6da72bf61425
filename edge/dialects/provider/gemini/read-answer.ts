/**
 * An answer of generateContent, streamed or whole, as hub events. The wire has no end mark: an answer is complete if its finish reason has
 * come before the bytes end. Its finish is written only then, as some models repeat the reason in every chunk.
 */
import type { ChatEvent } from "../../../../shared/chat.ts";
import type { SseEvent } from "../../../stream/sse.ts";
import { createJsonReader } from "../chunk-json.ts";
import { type StreamReader, truncated, unreadable } from "../dialect.ts";
import { type CandidateState, createCandidateState, finishCandidate, readCandidate } from "./read-choice.ts";
import { readUsage } from "./read-end.ts";
import { readErrorEvent } from "./read-error.ts";
import { GenerateContentResponse } from "./schema.ts";

/** Characters of the answer's id that go into the ids of its calls (OpenAI takes 40 in all). */
const callIdChars = 28;

/**
 * Fields that differ from chunk to chunk while a text grows (for chunk-json.ts); the schema accepts any string and any finite
 * number there.
 */
const changing = [
  ["candidates", 0, "content", "parts", 0, "text"],
  ["usageMetadata", "candidatesTokenCount"],
  ["usageMetadata", "thoughtsTokenCount"],
  ["usageMetadata", "totalTokenCount"],
] as const;

/** An error may come in a list (github.com/maximhq/bifrost/issues/5188). */
const check = (chunk: unknown): GenerateContentResponse | undefined =>
  GenerateContentResponse.safeParse(Array.isArray(chunk) ? chunk[0] : chunk).data;

type ContentReader = StreamReader & { readChunk(chunk: unknown): ChatEvent[] };

/** An answer while it is read. */
type Answer = {
  candidates: Map<number, CandidateState>;
  started: boolean;
  /**
   * Makes our call ids unique, together with the call's number: agents take a repeated id for a call that they have already run.
   * It is the answer's own id, or the salt if a proxy has left that out.
   */
  responseId: string;
  callCount: number;
};

/** For one stream; `readChunk` takes a parsed chunk. */
export function createStreamReader(salt = ""): ContentReader {
  const answer: Answer = { candidates: new Map(), started: false, responseId: salt, callCount: 0 };
  const readJson = createJsonReader(changing, check);
  let done = false;

  const readChecked = (chunk: GenerateContentResponse | undefined): ChatEvent[] => {
    const events = chunk === undefined ? [unreadable] : readContent(answer, chunk);
    done = events.at(-1)?.type === "error";
    return events;
  };

  return {
    readChunk: (chunk) => (done ? [] : readChecked(check(chunk))),
    read: ({ data }: SseEvent) => {
      if (done || data === "" || data === "[DONE]") return [];
      try {
        return readChecked(readJson(data));
      } catch {
        done = true;
        return [unreadable];
      }
    },
    close: () => {
      if (done) return [];
      done = true;
      if (!isWhole(answer)) return [truncated];
      const events = [...answer.candidates.values()].flatMap((state) =>
        finishCandidate(state, state.finishReason ?? ""),
      );
      const failure = events.find(({ type }) => type === "error");
      return failure === undefined ? events : [...events.filter(({ type }) => type !== "error"), failure];
    },
    stage: () => (done ? "ended" : isWhole(answer) ? "finished" : "open"),
  };
}

/** Whether every candidate has a finish reason. */
const isWhole = ({ candidates }: Answer): boolean =>
  candidates.size > 0 && [...candidates.values()].every((state) => state.finishReason !== undefined);

function readContent(answer: Answer, chunk: GenerateContentResponse): ChatEvent[] {
  const { error, candidates, promptFeedback, usageMetadata } = chunk;
  if (error) return [readErrorEvent(error)];
  const events = start(answer, chunk);
  for (const candidate of candidates ?? []) {
    const state = openCandidate(answer, candidate.index ?? 0);
    if (!readCandidate(state, candidate, events)) return [...events, unreadable];
  }
  const { blockReason } = promptFeedback ?? {};
  if (blockReason && !blockReason.endsWith("_UNSPECIFIED") && answer.candidates.size === 0) {
    const blocked = openCandidate(answer, 0);
    blocked.finishReason = blockReason;
    blocked.finishData = { promptFeedback };
    blocked.blocked = true;
  }
  const usage = usageMetadata ? readUsage(usageMetadata) : undefined;
  if (usage !== undefined) events.push({ type: "usage", usage });
  return events;
}

function start(answer: Answer, chunk: GenerateContentResponse): ChatEvent[] {
  if (answer.started) return [];
  answer.started = true;
  const { responseId: id, modelVersion: model, createTime } = chunk;
  answer.responseId = (id || answer.responseId).replaceAll(/[^a-zA-Z0-9_-]/g, "").slice(0, callIdChars);
  const created = Math.floor(Date.parse(createTime ?? "") / 1000);
  return [
    {
      type: "start",
      ...(id ? { id } : {}),
      ...(model ? { model } : {}),
      ...(Number.isFinite(created) ? { created } : {}),
    },
  ];
}

function openCandidate(answer: Answer, choice: number): CandidateState {
  const state = answer.candidates.get(choice) ?? createCandidateState(choice, () => createCallId(answer));
  answer.candidates.set(choice, state);
  return state;
}

const createCallId = (answer: Answer): string =>
  ["call", answer.responseId, answer.callCount++].filter((part) => part !== "").join("_");

/**
 * A whole JSON reply as the events that a stream of it would give, deltas joined. Takes one response or an array of chunks (what
 * streamGenerateContent answers without `alt=sse`).
 */
export function readReply(body: unknown, salt?: string): ChatEvent[] {
  const reader = createStreamReader(salt);
  const chunks: unknown[] = Array.isArray(body) ? body : [body];
  const events = [...chunks.flatMap((chunk) => reader.readChunk(chunk)), ...reader.close()];
  const lastUsage = events.findLastIndex(({ type }) => type === "usage");
  return joinDeltas(events.filter(({ type }, position) => type !== "usage" || position === lastUsage));
}

function joinDeltas(events: ChatEvent[]): ChatEvent[] {
  const joined: ChatEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    const isDelta = event.type === "text-delta" || event.type === "reasoning-delta";
    if (isDelta && last?.type === event.type && last.choice === event.choice && last.block === event.block) {
      joined[joined.length - 1] = { ...last, text: last.text + event.text };
    } else joined.push(event);
  }
  return joined;
}
