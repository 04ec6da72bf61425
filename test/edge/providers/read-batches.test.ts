import { expect, test } from "vitest";
import type { StreamStage } from "../../../edge/dialects/provider/dialect.ts";
import { geminiDialect } from "../../../edge/dialects/provider/gemini/dialect.ts";
import { createStreamReader } from "../../../edge/dialects/provider/openai/read-answer.ts";
import { readStreamBatches } from "../../../edge/providers/read-batches.ts";
import type { ChatEvent } from "../../../shared/chat.ts";
import { alpha } from "../support/provider-call.ts";

const frame = (index: number, delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index, delta, finish_reason: finish }] })}\n\n`;

test("an answer is open again where another choice begins after one has finished", async () => {
  const frames = [
    frame(0, { content: "one" }),
    frame(0, {}, "stop"),
    frame(1, { content: "two" }),
    frame(1, {}, "stop"),
    "data: [DONE]\n\n",
  ];
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = frames.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(encoder.encode(next));
    },
  });
  const stages: StreamStage[] = [];
  const answer = readStreamBatches(body, createStreamReader(), {
    route: alpha,
    observer: { observe: () => {}, ended: () => {}, dropped: () => {} },
    watchdog: {
      touched: () => {},
      held: () => {},
      reached: (stage) => void stages.push(stage),
      stop: () => {},
    },
    expiry: () => undefined,
  });
  const kinds: string[] = [];
  for await (const events of answer) kinds.push(...events.map(({ type }) => type));
  expect(kinds.filter((kind) => kind === "finish")).toHaveLength(2);
  expect(stages).toEqual(["finished", "open", "finished", "ended"]);
});

test("an answer that ends in a lost call says so, also where its connection stays open", async () => {
  const last = {
    candidates: [{ content: { parts: [] }, finishReason: "MALFORMED_FUNCTION_CALL", index: 0 }],
  };
  const frames = [`data: ${JSON.stringify(last)}\n\n`];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = frames.shift();
      if (next === undefined) controller.error(new Error("cut by the watchdog"));
      else controller.enqueue(new TextEncoder().encode(next));
    },
  });
  const answer = readStreamBatches(body, geminiDialect.createStreamReader(), {
    route: { ...alpha, provider: "gamma" },
    observer: { observe: () => {}, ended: () => {}, dropped: () => {} },
    watchdog: { touched: () => {}, held: () => {}, reached: () => {}, stop: () => {} },
    expiry: () => "idle",
  });
  const events: ChatEvent[] = [];
  for await (const batch of answer) events.push(...batch);
  expect(events.at(-1)).toMatchObject({
    type: "error",
    code: "upstream_error",
    message: expect.stringContaining("MALFORMED_FUNCTION_CALL"),
  });
});

// github.com/maximhq/bifrost/issues/6784
test("comments keep an answer alive, but not one that has finished (failures 61)", async () => {
  const comment = ": heartbeat\n\n";
  const frames = [frame(0, { content: "one" }), comment, frame(0, {}, "stop"), comment, comment];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = frames.shift();
      if (next === undefined) controller.error(new Error("cut by the watchdog"));
      else controller.enqueue(new TextEncoder().encode(next));
    },
  });
  const signs: string[] = [];
  const answer = readStreamBatches(body, createStreamReader(), {
    route: alpha,
    observer: { observe: () => {}, ended: () => {}, dropped: () => {} },
    watchdog: {
      touched: () => void signs.push("touched"),
      held: () => {},
      reached: (stage) => void signs.push(stage),
      stop: () => {},
    },
    expiry: () => "idle",
  });
  const events: ChatEvent[] = [];
  for await (const batch of answer) events.push(...batch);
  expect(signs).toEqual(["touched", "touched", "touched", "finished"]);
  expect(events.at(-1)?.type).not.toBe("error");
});

test("a failure on the pool waits for a report as long as a whole answer for its end, and is told then", async () => {
  const stages: StreamStage[] = [];
  const failure = `data: ${JSON.stringify({ error: { code: 502, message: "the host broke" } })}\n\n`;
  const frames = [failure, ": still here\n\n", "data: {}\n\n"];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = frames.shift();
      if (next === undefined) controller.error(new Error("cut by the watchdog"));
      else controller.enqueue(new TextEncoder().encode(next));
    },
  });
  const observed: ChatEvent[] = [];
  const answer = readStreamBatches(body, createStreamReader(), {
    route: { ...alpha, provider: "router", keySource: "pool" },
    observer: { observe: (events) => void observed.push(...events), ended: () => {}, dropped: () => {} },
    watchdog: {
      touched: () => {},
      held: () => {},
      reached: (stage) => void stages.push(stage),
      stop: () => {},
    },
    expiry: () => "idle",
  });
  const events: ChatEvent[] = [];
  for await (const batch of answer) events.push(...batch);
  expect(events).toMatchObject([{ type: "error", code: "upstream_error" }]);
  expect(observed).toHaveLength(1);
  expect(stages).toEqual(["ended"]);
});

test("what stands outside the framing after a whole answer, which lacks its [DONE], is no failure", async () => {
  const text = `${frame(0, { content: "one" })}${frame(0, {}, "stop")}{"error":{"message":"late"}}\n`;
  const answer = readStreamBatches(new Blob([text]).stream(), createStreamReader(), {
    route: alpha,
    observer: { observe: () => {}, ended: () => {}, dropped: () => {} },
    watchdog: { touched: () => {}, held: () => {}, reached: () => {}, stop: () => {} },
    expiry: () => undefined,
  });
  const kinds: string[] = [];
  for await (const events of answer) kinds.push(...events.map(({ type }) => type));
  expect(kinds).toContain("finish");
  expect(kinds).not.toContain("error");
});
