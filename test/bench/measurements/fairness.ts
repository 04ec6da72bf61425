/**
 * What one account's load does to another's chat: eight embeddings of 100 long texts kept in flight, and 300
 * streams of one key. One caller of its own account asks beside them. Only by name: `--only fairness`.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import type { Measurement } from "../measurement.ts";
import type { Effort, Result, Row } from "../result.ts";
import { admin } from "../rig/admin.ts";
import { serviceCall } from "../rig/calls.ts";
import type { MeasuredService, Rig } from "../rig/rig.ts";
import { percentile } from "../statistics.ts";

const chat = "/v1/chat/completions";
const heavyRequests = 8;
/** About 1,400 tokens each. */
const texts = Array.from({ length: 100 }, (_, index) =>
  `the quiet hotel near the river ${index} `.repeat(175),
);
const heavyStreams = 300;
/** Pause between two requests of the caller beside the load. */
const pauseMs = 20;

type Answered = { status: number; ms: number; retryAfterSeconds: number };
type Send = (body: string, path: string, key: string) => Promise<Answered>;

async function createAccount(service: MeasuredService, name: string): Promise<string> {
  const email = `${name}@example.com`;
  const { account_id: id } = await admin(service, "account", "create", "--email", email, "--credits", "100");
  return (await admin(service, "key", "create", "--account", id, "--name", name)).api_key;
}

function createSend(url: string): { send: Send; close(): Promise<void> } {
  const dispatcher = new Agent({ connections: 1_024, pipelining: 1, bodyTimeout: 0, headersTimeout: 0 });
  const send: Send = async (body, path, key) => {
    const startedAt = performance.now();
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
    const answer = await dispatcher.request({ origin: url, path, method: "POST", headers, body });
    for await (const _ of answer.body);
    const retryAfterSeconds = Number(answer.headers["retry-after"] ?? 0);
    return { status: answer.statusCode, ms: performance.now() - startedAt, retryAfterSeconds };
  };
  return { send, close: () => dispatcher.destroy() };
}

/** Asks again and again, `count` at a time, until `stop` is aborted. With `waits`, after a refusal for as long as its Retry-After says. */
function keepAsking(count: number, ask: () => Promise<Answered>, waits: boolean, stop: AbortSignal) {
  const answers: Answered[] = [];
  const one = async () => {
    while (!stop.aborted) {
      const answer = await ask();
      if (!stop.aborted) answers.push(answer);
      const refused = answer.status !== 200;
      if (refused && waits)
        await sleep(answer.retryAfterSeconds * 1000, undefined, { signal: stop }).catch(() => {});
    }
  };
  const done = Promise.all(Array.from({ length: count }, one));
  return { answers, done };
}

function describeRow(label: string, light: readonly Answered[], heavy: readonly Answered[]): Row {
  const ms = light.map((one) => one.ms);
  const refused = heavy.filter(({ status }) => status !== 200);
  return {
    label,
    figures: {
      asked: light.length,
      failed: light.filter(({ status }) => status !== 200).length,
      p50: percentile(ms, 0.5),
      p90: percentile(ms, 0.9),
      heavyDone: heavy.length - refused.length,
      heavyRefused: refused.length,
      slowestRefusal: Math.max(0, ...refused.map((one) => one.ms)),
    },
  };
}

/** What asks beside the one caller: `count` at a time. */
type Load = { label: string; count: number; waits: boolean; ask: () => Promise<Answered> };

function listLoads(service: MeasuredService, send: Send, key: string): Load[] {
  const embedBody = JSON.stringify({ model: "svc-x1ac-base", input: texts });
  const embed = () => send(embedBody, "/v1/embeddings", key);
  const [steady, paced] = (["steady", "paced"] as const).map((answer) => {
    const { body } = serviceCall(service, { stream: true, answer });
    return () => send(body(), chat, key);
  });
  return [
    { label: "quiet", count: 0, waits: true, ask: embed },
    { label: "8 long embeddings, told to wait", count: heavyRequests, waits: true, ask: embed },
    { label: "8 long embeddings, asked again at once", count: heavyRequests, waits: false, ask: embed },
    { label: "quiet again", count: 0, waits: true, ask: embed },
    { label: "300 streams of one key, ten seconds each", count: heavyStreams, waits: true, ask: steady! },
    { label: "the same, a quarter of a second each", count: heavyStreams, waits: true, ask: paced! },
  ];
}

/** The answers that the one caller gets in `seconds` beside the load, as a row. */
async function measureBeside(load: Load, askLight: () => Promise<Answered>, seconds: number): Promise<Row> {
  const stop = new AbortController();
  const heavy = keepAsking(load.count, load.ask, load.waits, stop.signal);
  await sleep(load.count > 0 ? 1_000 : 0);
  const light: Answered[] = [];
  for (const endAt = performance.now() + seconds * 1000; performance.now() < endAt; ) {
    light.push(await askLight());
    await sleep(pauseMs);
  }
  stop.abort();
  const row = describeRow(load.label, light, heavy.answers);
  await heavy.done;
  return row;
}

async function measure(rig: Rig, effort: Effort): Promise<Result> {
  const service = await rig.service("world-model");
  const [heavyKey, lightKey] = [await createAccount(service, "heavy"), await createAccount(service, "light")];
  const { send, close } = createSend(service.url);
  const short = serviceCall(service, { stream: false, answer: "short" });
  const askLight = () => send(short.body(), chat, lightKey);
  const rows: Row[] = [];
  try {
    for (let count = 0; count < 20; count++) await askLight();
    for (const load of listLoads(service, send, heavyKey))
      rows.push(await measureBeside(load, askLight, effort.seconds));
  } finally {
    await close();
  }
  return {
    columns: [
      { key: "asked", heading: "chats", digits: 0 },
      { key: "failed", heading: "not 200", digits: 0 },
      { key: "p50", heading: "p50 ms", digits: 1 },
      { key: "p90", heading: "p90 ms", digits: 1 },
      { key: "heavyDone", heading: "load: answered", digits: 0 },
      { key: "heavyRefused", heading: "refused", digits: 0 },
      { key: "slowestRefusal", heading: "slowest refusal ms", digits: 0 },
    ],
    rows,
    notes: [
      "Chats of one caller of one account; the load is another account's. The bars: p90 at most 8 times quiet or 1.5 s",
      "beside embeddings, p50 at most twice quiet beside streams, refusals within a second.",
    ],
  };
}

export const fairness: Measurement = {
  name: "fairness",
  title: "One account's load, another's chat",
  run: measure,
};
