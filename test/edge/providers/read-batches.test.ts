import { expect, test } from "vitest";
import type { StreamReader } from "../../../edge/dialects/provider/dialect.ts";
import { geminiDialect } from "../../../edge/dialects/provider/gemini/dialect.ts";
import { createStreamReader } from "../../../edge/dialects/provider/openai/read-answer.ts";
import { readStreamBatches } from "../../../edge/providers/read-batches.ts";
import type { Route } from "../../../edge/providers/resolve-route.ts";
import type { ChatEvent } from "../../../shared/chat.ts";
import { alpha } from "../support/provider-call.ts";

const frame = (index: number, delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index, delta, finish_reason: finish }] })}\n\n`;

/** Reads these frames, after which the connection is cut (by the watchdog) or closed. `signs`: what the watchdog is told. */
async function read(
  frames: readonly string[],
  {
    isCut = true,
    reader = createStreamReader(),
    route = alpha,
  }: Partial<{ isCut: boolean; reader: StreamReader; route: Route }> = {},
) {
  const left = [...frames];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = left.shift();
      if (next !== undefined) controller.enqueue(new TextEncoder().encode(next));
      else if (isCut) controller.error(new Error("cut by the watchdog"));
      else controller.close();
    },
  });
  const signs: string[] = [];
  const observed: ChatEvent[] = [];
  const events: ChatEvent[] = [];
  const batches = readStreamBatches(body, reader, {
    route,
    observer: { observe: (seen) => void observed.push(...seen), ended: () => {}, dropped: () => {} },
    watchdog: {
      touched: () => void signs.push("touched"),
      paused: () => {},
      resumed: () => {},
      reached: (stage) => void signs.push(stage),
      stop: () => {},
    },
    expiry: () => (isCut ? "idle" : undefined),
  });
  for await (const batch of batches) events.push(...batch);
  return { events, observed, signs };
}

test("an answer is open again where another choice begins after one has finished", async () => {
  const frames = [
    frame(0, { content: "one" }),
    frame(0, {}, "stop"),
    frame(1, { content: "two" }),
    frame(1, {}, "stop"),
    "data: [DONE]\n\n",
  ];
  const { events, signs } = await read(frames, { isCut: false });
  expect(events.filter(({ type }) => type === "finish")).toHaveLength(2);
  expect(signs.filter((sign) => sign !== "touched")).toEqual(["finished", "open", "finished", "ended"]);
});

test("an answer that ends in a lost call says so, also where its connection stays open", async () => {
  const last = {
    candidates: [{ content: { parts: [] }, finishReason: "MALFORMED_FUNCTION_CALL", index: 0 }],
  };
  const { events } = await read([`data: ${JSON.stringify(last)}\n\n`], {
    reader: geminiDialect.createStreamReader(),
    route: { ...alpha, provider: "gamma" },
  });
  expect(events.at(-1)).toMatchObject({
    type: "error",
    code: "upstream_error",
    message: expect.stringContaining("MALFORMED_FUNCTION_CALL"),
  });
});

// github.com/maximhq/bifrost/issues/6784
test("comments keep an answer alive, but not one that has finished (failures 61)", async () => {
  const comment = ": heartbeat\n\n";
  const { events, signs } = await read([
    frame(0, { content: "one" }),
    comment,
    frame(0, {}, "stop"),
    comment,
    comment,
  ]);
  expect(signs).toEqual(["touched", "touched", "touched", "finished"]);
  expect(events.at(-1)?.type).not.toBe("error");
});

test("a failure on the pool waits for a report as long as a whole answer for its end, and is told then", async () => {
  const failure = `data: ${JSON.stringify({ error: { code: 502, message: "the host broke" } })}\n\n`;
  const route: Route = { ...alpha, provider: "router", keySource: "pool" };
  const { events, observed, signs } = await read([failure, ": still here\n\n", "data: {}\n\n"], { route });
  expect(events).toMatchObject([{ type: "error", code: "upstream_error" }]);
  expect(observed).toHaveLength(1);
  expect(signs.filter((sign) => sign !== "touched")).toEqual(["ended"]);
});

test("what stands outside the framing after a whole answer, which lacks its [DONE], is no failure", async () => {
  const text = `${frame(0, { content: "one" })}${frame(0, {}, "stop")}{"error":{"message":"late"}}\n`;
  const kinds = (await read([text], { isCut: false })).events.map(({ type }) => type);
  expect(kinds).toContain("finish");
  expect(kinds).not.toContain("error");
});
