/** One call to a provider whose answers are the test's. */
import type { CallContext } from "../../../edge/providers/call.ts";
import type { Route } from "../../../edge/providers/resolve-route.ts";
import { createSharedPace } from "../../../edge/stream/shared-pace.ts";
import type { ChatEvent } from "../../../shared/chat.ts";
import { saying } from "./chat-request.ts";

export const request = saying({ type: "text", text: "hi" });
export const alpha: Route = {
  provider: "alpha",
  model: "gpt-4o",
  key: "sk-proj-canary",
  keySource: "user",
  prices: undefined,
  contextWindow: 1_000,
  outputLimit: 100,
};
export const beta: Route = { ...alpha, provider: "beta", model: "claude-sonnet-4-5" };

export type Sent = { url: string; init: RequestInit };

/** A fetch that answers from a list and keeps what it was sent. */
export function fakeFetch(...answers: (Response | Error | ((sent: Sent) => Promise<Response>))[]) {
  const sent: Sent[] = [];
  const fetch = async (input: RequestInfo | URL, init: RequestInit = {}) => {
    const entry = { url: String(input), init };
    sent.push(entry);
    const answer = answers[Math.min(sent.length, answers.length) - 1]!;
    if (answer instanceof Error) throw answer;
    return typeof answer === "function" ? answer(entry) : answer;
  };
  return { sent, fetch: fetch as typeof globalThis.fetch };
}

export function contextOf(fetch: typeof globalThis.fetch, more: Partial<CallContext> = {}): CallContext {
  return {
    fetch,
    now: Date.now,
    sleep: async () => {},
    baseUrl: "https://provider.example/v1",
    limits: { firstByteMs: 1_000, idleMs: 1_000, totalMs: 5_000 },
    hasNext: false,
    sharedPace: createSharedPace(),
    sizeOf: (events) => events.length,
    signal: new AbortController().signal,
    salt: "",
    observeCall: () => ({ named: () => {}, observe: () => {}, ended: () => {}, dropped: () => {} }),
    ...more,
  };
}

export async function read(events: AsyncGenerator<ChatEvent[], void, void>): Promise<ChatEvent[]> {
  const all: ChatEvent[] = [];
  for await (const batch of events) all.push(...batch);
  return all;
}
