import { expect, test } from "vitest";
import type { StreamStage } from "../../../edge/dialects/provider/dialect.ts";
import { createChatStreamDecoder } from "../../../edge/dialects/provider/openai/read-stream.ts";
import { readStream } from "../../../edge/providers/read-answer.ts";
import type { Route } from "../../../edge/providers/registry.ts";

const route: Route = {
  provider: "alpha",
  model: "gpt-4o",
  key: "sk-proj-canary",
  keySource: "user",
  prices: undefined,
  contextWindow: 1_000,
  outputLimit: 100,
};
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
  const answer = readStream(body, createChatStreamDecoder(), {
    route,
    page: { observe: () => {}, ended: () => {} },
    watchdog: {
      started: () => {},
      touched: () => {},
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
