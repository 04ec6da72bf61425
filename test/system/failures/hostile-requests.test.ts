// Hostile bodies and headers, some of many MB, against the whole service: each is answered quickly, never by an error of ours, and
// no process grows with what it is sent.
// FUZZ_RUNS=10000 npx vitest run --project alone test/system/failures/hostile-requests.test.ts
import { once } from "node:events";
import { type IncomingMessage, request as sendHttp } from "node:http";
import { text as readAll } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readResidentMib } from "../../bench/process-usage.ts";
import { type Caller, type Gateway, startGateway } from "../../support/gateway.ts";
import {
  findFault,
  type HostileAnswer,
  type HostileRequest,
  hostileRequest,
} from "../../support/hostile-requests.ts";
import { buildLargeRequest } from "../../support/large-requests.ts";

const runs = Number(process.env.FUZZ_RUNS ?? 400);
const seed = Number(process.env.PROPERTY_SEED ?? Date.now() % 1_000_000);
const atOnce = 8;
/** Far above what any request takes (5 s on a busy machine): one that takes longer hangs. */
const deadlineMs = 60_000;
/** One request in so many is large: in 400 each kind of large body stands once in each half. */
const largeEvery = 12;
/** Room for what no garbage collector has looked at yet, MiB. A short run sees only a leak that is gross. */
const spareMib = { sinceWarmUp: 160, sinceHalf: runs < 5_000 ? 160 : 64 };

let gateway: Gateway;
let caller: Caller;
beforeAll(async () => {
  gateway = await startGateway();
  caller = await gateway.newCaller(1_000_000_000_000);
});
afterAll(() => gateway?.stop());

function* writeTraffic(): Generator<HostileRequest> {
  const batch = 100;
  let requests: HostileRequest[] = [];
  for (let index = 0; index < runs; index++) {
    if (index % batch === 0) requests = fc.sample(hostileRequest, { numRuns: batch, seed: seed + index });
    const large = index / largeEvery;
    yield Number.isInteger(large) ? buildLargeRequest(large) : requests[index % batch]!;
  }
}

/**
 * By Node's own client, since fetch refuses some headers. Each has a connection of its own: a reset cannot come from the request before.
 */
async function send({ url, method, headers, body = "" }: HostileRequest): Promise<HostileAnswer> {
  const own = Object.fromEntries(headers);
  const request = sendHttp(gateway.service.url + url, {
    agent: false,
    method,
    headers: {
      authorization: `Bearer ${caller.apiKey}`,
      "content-type": "application/json",
      ...(own["transfer-encoding"] === undefined && { "content-length": Buffer.byteLength(body) }),
      ...own,
    },
    signal: AbortSignal.timeout(deadlineMs),
  });
  request.end(body);
  const [response]: [IncomingMessage] = (await once(request, "response")) as never;
  const received = new Headers(
    Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
  );
  return { status: response.statusCode!, headers: received, text: await readAll(response) };
}

/** A busy machine's world model may ask to be asked again (503, nothing begun, nothing charged). */
async function sendAgain(request: HostileRequest): Promise<HostileAnswer> {
  for (const deadline = Date.now() + deadlineMs; ; ) {
    const answer = await send(request);
    if (!answer.text.includes("world_model_unavailable") || Date.now() > deadline) return answer;
    await sleep(1_000);
  }
}

/** The supervisor is the relay too. A part that was restarted has another process id. */
const readPids = () =>
  Promise.all(
    (["supervisor", "edge", "gpu-worker", "sqld"] as const).map(async (part) => ({
      part,
      pid: (await gateway.service.pidOf(part))!,
    })),
  );

/** Enough of a request to find it again among those of its seed. */
const describeFault = ({ method, url, headers, body }: HostileRequest, fault: string) =>
  `${fault}: ${method} ${url} ${JSON.stringify(headers)} ${body?.length} ${body?.slice(0, 200)}`;

test(`${runs} hostile requests are answered, and no part of the service keeps them`, {
  timeout: 60_000 + runs * 200,
}, async () => {
  const pids = await readPids();
  let answered = 0;
  let slowestMs = 0;
  const statuses = new Map<number, number>();
  const faults: string[] = [];
  /** Peak resident memory of each part, MiB, by quarter of the run. */
  const peaks = pids.map((part) => ({ ...part, mib: [0, 0, 0, 0] as [number, number, number, number] }));
  const sampling = setInterval(() => {
    const quarter = Math.min(3, Math.floor((4 * answered) / runs));
    for (const { pid, mib } of peaks)
      mib[quarter] = Math.max(mib[quarter]!, Math.round(readResidentMib(pid)));
  }, 20);

  const traffic = writeTraffic();
  const client = async () => {
    for (const request of traffic) {
      const startedAt = performance.now();
      const answer = await sendAgain(request).catch((error: unknown) => ({ error }));
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
      if ("error" in answer) faults.push(describeFault(request, `no answer (${answer.error})`));
      else {
        const fault = findFault(request, answer);
        if (fault)
          faults.push(describeFault(request, `${fault} (${answer.status} ${answer.text.slice(0, 300)})`));
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      }
      answered++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client)).finally(() => clearInterval(sampling));
  const memory = peaks.map(({ part, mib }) => `${part} ${mib.join("/")}`).join(", ");
  console.log(`seed ${seed}, slowest ${Math.round(slowestMs)} ms, peak MiB by quarter: ${memory}`, statuses);

  expect(faults).toEqual([]);
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 404, 405, 413, 422]));
  for (const { part, mib } of peaks) {
    const [warmUp, half, third, end] = mib;
    expect(end - half, `${part}, from half to end`).toBeLessThan(spareMib.sinceHalf);
    // The first quarter of a short run is too short to warm up.
    if (runs >= 5_000) expect(Math.max(half, third, end) - warmUp, part).toBeLessThan(spareMib.sinceWarmUp);
  }
  expect(await readPids()).toEqual(pids);
  await caller.untilSettled();
  expect(await gateway.checkLedger()).toMatchObject({ ok: true });
});
