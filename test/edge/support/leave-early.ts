/** A caller who leaves a stream of the aggregator before its usage report, and one who stays. */
import { expect } from "vitest";
import { accountHolder } from "../../../edge/admission/in-flight.ts";
import type { MemoryBudget } from "../../../edge/admission/memory-budget.ts";
import { buildCatalog } from "../../../edge/catalog/catalog.ts";
import { readRouterList } from "../../../edge/catalog/router-snapshot.ts";
import { createTestApp, newCaller, openaiStream, type Sent } from "./app.ts";

const modelName = "svc-x1ac-base-vendor/thinker";
export const hello = {
  model: modelName,
  messages: [{ role: "user", content: "hi" }],
  max_tokens: 4_000,
  stream: true,
};
export const generationId = "gen-1764547200-a/b";
export const defaultPricing = { prompt: "0.000002", completion: "0.00001" };
const startedAtMs = Date.UTC(2026, 10, 1);

export const catalogOf = (supported: string[], id = "vendor/thinker", pricing: object = defaultPricing) => {
  const list = readRouterList(
    {
      data: [id, "vendor/other"].map((each) => ({
        id: each,
        context_length: 100_000,
        pricing,
        supported_parameters: supported,
      })),
    },
    0,
  );
  if (!list.ok) throw new Error(list.reason);
  return async () => buildCatalog({ snapshot: list.snapshot, startedAtMs });
};
export const thinker = catalogOf(["max_tokens", "reasoning"]);

export const frame = (value: object) =>
  `data: ${JSON.stringify({ id: generationId, object: "chat.completion.chunk", created: 1, model: "m", ...value })}\n\n`;
export const words = frame({
  choices: [{ index: 0, delta: { role: "assistant", content: "four words are shown" } }],
});
export const finish = frame({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
/** 1,500 tokens of which five were shown. */
export const usage = {
  prompt_tokens: 11,
  completion_tokens: 1_500,
  total_tokens: 1_511,
  completion_tokens_details: { reasoning_tokens: 1_495 },
};

/** These frames, then silence until it is aborted. */
function hanging(
  frames: readonly string[],
  { signal }: Sent,
  headers: Record<string, string> = {},
): Response {
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = frames[at++];
      if (next !== undefined) return controller.enqueue(new TextEncoder().encode(next));
      return new Promise<void>((_, reject) => {
        if (signal?.aborted) reject(new Error("aborted"));
        else signal?.addEventListener("abort", () => reject(new Error("aborted")));
      });
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream", ...headers } });
}

type Options = {
  /** Of the request, beside `hello`. */
  body?: object;
  frames?: readonly string[];
  /** Answers to `GET /generation`, in turn; the last one stays. Told of the isolate's memory, and of the account's running requests. */
  generation?: ((memory: MemoryBudget, running: () => number) => Response | Promise<Response>)[];
  catalog?: ReturnType<typeof catalogOf>;
  headers?: Record<string, string>;
  /** Of the provider's answer. */
  answerHeaders?: Record<string, string>;
  deadlineMs?: number;
};

/** A stream that is left as soon as `until` was read of it. */
export async function leave(
  until: string | undefined,
  { frames = [words, finish], generation = [], ...rest }: Options = {},
) {
  const caller = await newCaller(100_000_000);
  const asked: { url: string; authorization: string | null }[] = [];
  const waits: number[] = [];
  const running = () => app.inFlight.count(accountHolder(caller.accountId), Date.now());
  const app = createTestApp({
    catalog: rest.catalog ?? thinker,
    requestLimits: rest.deadlineMs === undefined ? {} : { deadlineMs: rest.deadlineMs },
    provider: [
      (sent) => {
        if (!sent.url.includes("/generation")) return hanging(frames, sent, rest.answerHeaders);
        asked.push({ url: sent.url, authorization: sent.headers.get("authorization") });
        const answer = generation[Math.min(asked.length, generation.length) - 1];
        return (
          answer?.(app.memory, running) ?? Response.json({ error: { message: "not found" } }, { status: 404 })
        );
      },
    ],
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
    },
  });
  const leaving = new AbortController();
  const response = await app.chat(
    caller.apiKey,
    { ...hello, ...rest.body },
    rest.headers ?? {},
    leaving.signal,
  );
  const reader = response.body!.getReader();
  let text = "";
  while (until === undefined || !text.includes(until)) {
    const { done, value } = await reader.read();
    if (done) break;
    text += new TextDecoder().decode(value);
  }
  if (until !== undefined) leaving.abort();
  await reader.cancel().catch(() => {});
  await response.settled();
  const charges = await caller.charges();
  expect(charges).toHaveLength(1);
  expect((await caller.account())?.openHolds).toBe(0);
  expect(running()).toBe(0);
  return { asked, waits, charge: charges[0]!, memory: app.memory };
}

/** What a caller who stays pays for the same answer. */
export async function stay(body: object = {}, reported: object | null = usage, catalog = thinker) {
  const caller = await newCaller(100_000_000);
  const answer = () => openaiStream(["four words are shown"], reported ?? undefined);
  const app = createTestApp({ catalog, provider: [answer] });
  const response = await app.chat(caller.apiKey, { ...hello, ...body });
  await response.text();
  await response.settled();
  expect(app.sent).toHaveLength(1);
  return (await caller.charges())[0]!;
}
