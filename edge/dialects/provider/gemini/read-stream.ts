/**
 * The generateContent stream as hub events. The wire has no end mark: an answer is whole when its
 * finish reason has come by the time the bytes end, and only then is it said to be finished (some
 * models repeat the reason in every chunk).
 */
import type { ChatEvent } from "../../../../shared/chat.ts";
import { createJsonReader } from "../../repeated-json.ts";
import type { SseEvent, StreamDecoder } from "../dialect.ts";
import {
  type CandidateState,
  createCandidateState,
  decodeCandidate,
  finishCandidate,
} from "./read-choice.ts";
import { readUsage } from "./read-end.ts";
import { readErrorEvent } from "./read-error.ts";
import { GenerateContentResponse } from "./schema.ts";

const unreadable: ChatEvent = {
  type: "error",
  code: "upstream_error",
  message: "The provider sent a part of the answer that cannot be read.",
};

const truncated: ChatEvent = {
  type: "error",
  code: "upstream_truncated",
  message: "The provider closed the stream before the answer was complete.",
};

/** Characters of the answer's id that go into the ids of its calls (OpenAI takes 40 in all). */
const callIdChars = 28;

/** What differs from chunk to chunk while a text grows; the schema takes any string and any finite number there. */
const changing = [
  ["candidates", 0, "content", "parts", 0, "text"],
  ["usageMetadata", "candidatesTokenCount"],
  ["usageMetadata", "thoughtsTokenCount"],
  ["usageMetadata", "totalTokenCount"],
] as const;

const check = (chunk: unknown): GenerateContentResponse | undefined =>
  GenerateContentResponse.safeParse(chunk).data;

export type ContentDecoder = StreamDecoder & { decodeChunk(chunk: unknown): ChatEvent[] };

/** A decoder for one stream; `decodeChunk` takes a chunk that is parsed already. */
export function createContentDecoder(salt = ""): ContentDecoder {
  const candidates = new Map<number, CandidateState>();
  const read = createJsonReader(changing, check);
  let started = false;
  let done = false;
  let callCount = 0;
  let responseId = "";

  const start = ({
    responseId: id,
    modelVersion: model,
    createTime,
  }: GenerateContentResponse): ChatEvent[] => {
    if (started) return [];
    started = true;
    responseId = (id || salt).replaceAll(/[^a-zA-Z0-9_-]/g, "").slice(0, callIdChars);
    const created = Math.floor(Date.parse(createTime ?? "") / 1000);
    return [
      {
        type: "start",
        ...(id ? { id } : {}),
        ...(model ? { model } : {}),
        ...(Number.isFinite(created) ? { created } : {}),
      },
    ];
  };

  const openCandidate = (choice: number): CandidateState => {
    let state = candidates.get(choice);
    if (state === undefined) {
      state = createCandidateState(choice);
      candidates.set(choice, state);
    }
    return state;
  };

  // Unique within a conversation, for agents take a repeated id for the call they have run already: the answer's id
  // (proxies leave it out, then the salt) and the number of the call in it.
  const createCallId = () => ["call", responseId, callCount++].filter((part) => part !== "").join("_");

  const decodeContent = (chunk: GenerateContentResponse | undefined): ChatEvent[] => {
    if (chunk === undefined) return [unreadable];
    const { error, candidates: parts, promptFeedback, usageMetadata } = chunk;
    if (error) return [readErrorEvent(error)];
    const events = start(chunk);
    for (const candidate of parts ?? []) {
      const state = openCandidate(candidate.index ?? 0);
      if (!decodeCandidate(state, candidate, createCallId, events)) return [...events, unreadable];
    }
    const { blockReason } = promptFeedback ?? {};
    if (blockReason && !blockReason.endsWith("_UNSPECIFIED") && candidates.size === 0) {
      const blocked = openCandidate(0);
      blocked.finishReason = blockReason;
      blocked.finishData = { promptFeedback };
      blocked.blocked = true;
    }
    const usage = usageMetadata ? readUsage(usageMetadata) : undefined;
    if (usage !== undefined) events.push({ type: "usage", usage });
    return events;
  };

  const decodeChecked = (chunk: GenerateContentResponse | undefined): ChatEvent[] => {
    const events = decodeContent(chunk);
    done = events.at(-1)?.type === "error";
    return events;
  };

  return {
    decodeChunk: (chunk) => (done ? [] : decodeChecked(check(chunk))),
    decode: ({ data }: SseEvent) => {
      if (done || data === "" || data === "[DONE]") return [];
      try {
        return decodeChecked(read(data));
      } catch {
        done = true;
        return [unreadable];
      }
    },
    close: () => {
      if (done) return [];
      done = true;
      const states = [...candidates.values()];
      if (states.length === 0 || states.some((state) => state.finishReason === undefined)) return [truncated];
      return states.flatMap((state) => finishCandidate(state, state.finishReason ?? ""));
    },
  };
}
