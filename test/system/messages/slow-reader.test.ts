// A provider that writes fast and a reader that stops: the provider is slowed down instead of filling our memory, and the whole answer
// arrives when the reader goes on. In both dialects.
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readCpuSeconds, readResidentMib } from "../../bench/process-usage.ts";
import { type Gateway, ownKeys, startGateway } from "../../support/gateway.ts";

const mib = 1024 * 1024;
/** Size of the answer. The sockets between provider and reader buffer a few MiB of it. */
const floodMib = 96;
const warmMib = 2;
const pieceChars = 64 * 1024;
/** How much resident memory may grow, MiB: by what is in flight, and by garbage that is not collected yet. */
const roomMib = 48;

let gateway: Gateway;
let apiKey: string;
beforeAll(async () => {
  gateway = await startGateway();
  apiKey = (await gateway.newCaller(100_000_000)).apiKey;
});
afterAll(() => gateway?.stop());

const sse = (data: object, event?: string) =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
const piece = "flood ".repeat(pieceChars).slice(0, pieceChars);
const flood = (frame: string, sizeMib: number) =>
  Array.from({ length: (sizeMib * mib) / pieceChars }, () => frame);

const anthropicFrames = (sizeMib: number) => {
  const named = (event: { type: string } & Record<string, unknown>) => sse(event, event.type);
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [],
    usage: { input_tokens: 1 },
  };
  return [
    named({ type: "message_start", message }),
    named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    ...flood(
      named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: piece } }),
      sizeMib,
    ),
    named({ type: "content_block_stop", index: 0 }),
    named({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } }),
    named({ type: "message_stop" }),
  ];
};
const openaiFrames = (sizeMib: number) => [
  ...flood(sse({ id: "c", choices: [{ index: 0, delta: { content: piece } }] }), sizeMib),
  sse({ id: "c", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
  "data: [DONE]\n\n",
];

type Event = { delta?: { text?: string }; choices?: { delta?: { content?: string } }[] };
const cases = [
  {
    path: "/v1/messages",
    kind: "beta",
    frames: anthropicFrames,
    end: "message_stop",
    textOf: ({ delta }: Event) => delta?.text,
  },
  {
    path: "/v1/chat/completions",
    kind: "alpha",
    frames: openaiFrames,
    end: "[DONE]",
    textOf: ({ choices }: Event) => choices?.[0]?.delta?.content,
  },
] as const;

type Case = (typeof cases)[number];

async function open({ path, kind }: Case): Promise<IncomingMessage> {
  const { model, headers } = ownKeys.find((own) => own.kind === kind)!;
  const sending = request(new URL(path, gateway.service.url), {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
  });
  const messages = [{ role: "user", content: "Flood me" }];
  sending.end(JSON.stringify({ model, messages, stream: true, max_tokens: 4_096 }));
  const [response] = (await once(sending, "response")) as [IncomingMessage];
  return response;
}

/** The processes through which an answer passes: the edge, and the supervisor with the relay in front of it. */
const readPids = async (): Promise<number[]> =>
  Promise.all((["supervisor", "edge"] as const).map(async (part) => (await gateway.service.pidOf(part))!));

/** An idle process uses less than this in a second: at most one tick of the kernel's clock, a hundredth of a second. */
const idleSeconds = 0.015;

/** Waits for a second in which no process works: all of the answer that can move has moved. */
async function untilStill(pids: number[]): Promise<void> {
  for (let before = pids.map(readCpuSeconds); ; ) {
    await sleep(1_000);
    const now = pids.map(readCpuSeconds);
    if (now.every((seconds, index) => seconds - before[index]! < idleSeconds)) return;
    before = now;
  }
}

async function readText(response: IncomingMessage, { textOf, end }: Case) {
  let pending = "";
  let chars = 0;
  let ended = false;
  const decoder = new TextDecoder();
  for await (const bytes of response) {
    const events = (pending + decoder.decode(bytes as Buffer, { stream: true })).split("\n\n");
    pending = events.pop()!;
    for (const event of events) {
      ended ||= event.endsWith(end) || event.includes(`"type":"${end}"`);
      const data = event.slice(event.indexOf("data: ") + 6);
      if (!data.startsWith("{")) continue;
      const text = textOf(JSON.parse(data) as Event) ?? "";
      if (text !== "" && text !== piece) throw new Error("a piece of the answer is not what was sent");
      chars += text.length;
    }
  }
  return { chars, ended };
}

test.each(cases.map((one) => [one.path, one] as const))(
  "%s: 96 MiB wait for a reader that stops, and all of it arrives",
  async (_path, one) => {
    const answer = async (sizeMib: number) => {
      gateway.provider.respond(one.kind, { frames: one.frames(sizeMib) });
      const response = await open(one);
      expect(response.statusCode).toBe(200);
      return response.pause();
    };
    const whole = (sizeMib: number) => ({ chars: sizeMib * mib, ended: true });
    // A small answer first: what the processes grow by while they warm up is not measured.
    expect(await readText(await answer(warmMib), one)).toEqual(whole(warmMib));

    const pids = await readPids();
    const before = pids.map(readResidentMib);
    const response = await answer(floodMib);
    await untilStill(pids);
    const held = pids.map(readResidentMib);
    for (const [index, memory] of held.entries()) expect(memory - before[index]!).toBeLessThan(roomMib);
    expect(await readText(response, one)).toEqual(whole(floodMib));
  },
  240_000,
);
