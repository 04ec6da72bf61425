// A provider that writes fast and a reader that stops: the provider is slowed down instead of filling our memory, and the whole answer
// arrives when the reader goes on. In both dialects.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, ownKeys, startGateway } from "../../support/gateway.ts";

const mib = 1024 * 1024;
/** Sockets between provider and reader hold a few MiB of it. */
const floodMib = 96;
const warmMib = 2;
const pieceChars = 64 * 1024;
/** Of resident memory, MiB: what is in flight, and garbage that nobody has had to collect. */
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

/** The edge and the supervisor, whose relay stands before it. */
async function watched(): Promise<number[]> {
  const run = JSON.parse(await readFile(`${gateway.service.dataDir}/run.json`, "utf8"));
  return [run.pid, (await gateway.service.pidOf("edge"))!];
}

async function residentMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
}

async function cpuTicks(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** Until nobody has worked for a second: what can move has moved. */
async function untilStill(pids: number[]): Promise<void> {
  const read = async () => Promise.all(pids.map(cpuTicks));
  for (let before = await read(); ; ) {
    await sleep(1_000);
    const now = await read();
    if (now.every((ticks, index) => ticks - before[index]! <= 1)) return;
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
    // What the processes grow by while they get used to such answers is not what is asked.
    expect(await readText(await answer(warmMib), one)).toEqual(whole(warmMib));

    const pids = await watched();
    const before = await Promise.all(pids.map(residentMib));
    const response = await answer(floodMib);
    await untilStill(pids);
    const held = await Promise.all(pids.map(residentMib));
    for (const [index, memory] of held.entries()) expect(memory - before[index]!).toBeLessThan(roomMib);
    expect(await readText(response, one)).toEqual(whole(floodMib));
  },
  240_000,
);
