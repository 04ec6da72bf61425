// Hostile bodies and headers on every route: each gets an answer below 500, quickly, in its route's error layout.
// FUZZ_RUNS=10000 npx vitest run --project edge test/edge/routes/fuzz.test.ts
import fc from "fast-check";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { findFault, hostileRequest } from "../../support/hostile-requests.ts";
import {
  createTestApp,
  eventStream,
  newCaller,
  openaiStream,
  openaiUsage,
  type Sent,
} from "../support/app.ts";

function anthropicAnswer(stream: boolean): Response {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: null, usage };
  if (!stream)
    return Response.json({ ...message, content: [{ type: "text", text: "ok" }], stop_reason: "end_turn" });
  const events = [
    { type: "message_start", message: { ...message, content: [] } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "ok" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  return eventStream(text);
}

describe("a hostile request", () => {
  const runs = inject("fuzzRuns");
  const answer = ({ url, body }: Sent) => {
    if (/\/(models|key)$/.test(url)) return Response.json({});
    if (url.endsWith("/count_tokens")) return Response.json({ input_tokens: 3 });
    return url.includes("anthropic")
      ? anthropicAnswer(body.stream === true)
      : openaiStream(["ok"], openaiUsage(1, 1));
  };
  const timings = { queueMs: 0, modelMs: 0 };
  const rollout = { initialState: "s", steps: [], tokens: 2, timings };
  const embedding = { vectors: ["AACAPw==", "AACAPw=="], dimension: 1, tokens: 2, timings };
  let app: ReturnType<typeof createTestApp>;
  let apiKey: string;
  beforeAll(async () => {
    apiKey = (await newCaller(1_000_000_000_000)).apiKey;
    app = createTestApp({
      provider: [answer],
      embed: async () => embedding,
      rollout: async () => rollout,
    });
  });

  test(`is answered, and never by a failure of ours (${runs} runs)`, {
    timeout: 30_000 + runs * 100,
  }, async () => {
    const seen = new Map<number, number>();
    let slowestMs = 0;
    await fc.assert(
      fc.asyncProperty(hostileRequest, async (request) => {
        const { url, method, headers, body } = request;
        const sent = new Headers({ authorization: `Bearer ${apiKey}`, "content-type": "application/json" });
        for (const [name, value] of headers) sent.set(name, value);
        const startedAt = performance.now();
        const response = await app.send(url, { method, headers: sent, ...(body !== undefined && { body }) });
        const text = await response.text();
        slowestMs = Math.max(slowestMs, performance.now() - startedAt);
        seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
        const fault = findFault(request, { status: response.status, headers: response.headers, text });
        expect(fault, `${response.status} ${text}`).toBeUndefined();
        expect(({} as Record<string, unknown>).admin).toBeUndefined();
      }),
      { numRuns: runs, seed: inject("propertySeed") },
    );
    // A fuzzer that is refused at the door tests the door. The rarer refusals are only sure in a long run.
    const sure = runs >= 5_000 ? [200, 400, 401, 404, 405, 415, 422] : [200, 400, 404, 422];
    expect([...seen.keys()].sort()).toEqual(expect.arrayContaining(sure));
    // Far above what any takes (1 s of a full machine): what passes it hangs.
    expect(slowestMs).toBeLessThan(20_000);
    expect(JSON.stringify(app.logs)).not.toContain("internal_error");
  });
});
