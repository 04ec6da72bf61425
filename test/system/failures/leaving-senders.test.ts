// One request sends the SQL statements of several (edge/db/shared-stream.ts). Its client may leave before its turn, while it sends for
// the others, or afterwards: they must not notice. What becomes of the queue when a waiting request has gone is tested in
// test/edge/db/shared-stream.test.ts, because here it depends on the moment whether workerd ends such a request.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../../scripts/migrate.ts";
import { type Sqld, startSqld } from "../../../scripts/self-host/sqld.ts";
import { type DelayingProxy, startDelayingProxy } from "../../support/delaying-proxy.ts";
import { type Caller, type Gateway, hello, ownKeys, startGateway } from "../../support/gateway.ts";
import { least } from "../../support/least-ms.ts";

/** Of each direction: a round trip takes a fifth of a second, long enough to leave in the middle of it. */
const delayMs = 100;
const [own] = ownKeys;

let directory: string;
let sqld: Sqld;
let distance: DelayingProxy;
let gateway: Gateway;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-senders-"));
  sqld = await startSqld({ directory, port: 0 });
  await migrate(sqld.url);
  distance = await startDelayingProxy(sqld.url, delayMs);
  gateway = await startGateway({ LIBSQL_URL: distance.url });
});
afterAll(async () => {
  await gateway?.stop();
  await distance?.stop();
  await sqld?.stop();
  await rm(directory, { recursive: true, force: true });
});

const chat = (caller: Caller, signal?: AbortSignal) =>
  caller.chat({ ...hello, model: own.model }, { headers: own.headers, ...(signal && { signal }) });
/** A write that ends with its client: a chat's go on until it is settled. */
const createToken = ({ apiKey }: Caller, signal: AbortSignal) =>
  fetch(`${gateway.baseUrl}/account/tokens`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: "{}",
    signal,
  });

async function askAndLeave(caller: Caller, afterMs: number): Promise<void> {
  const leaving = new AbortController();
  setTimeout(() => leaving.abort(), afterMs);
  const ask = afterMs % 80 === 20 ? chat : createToken;
  await ask(caller, leaving.signal).catch(() => undefined);
}

/** Half of the clients leave, half stay. @returns the time of the slowest answer to one that stayed, milliseconds */
async function playRounds(caller: Caller): Promise<number> {
  let slowestMs = 0;
  for (let round = 0; round < 6; round++) {
    const answers: Promise<void>[] = [];
    for (let index = 0; index < 12; index++) {
      // Leaves after 20 to 460 ms, so in each phase of a hold that waits for its turn, then travels.
      if (index % 2 === 0) answers.push(askAndLeave(caller, 20 + ((index * 7 + round * 5) % 12) * 40));
      else {
        const startedAt = performance.now();
        answers.push(
          chat(caller).then(async (response) => {
            expect(response.status).toBe(200);
            await response.text();
            slowestMs = Math.max(slowestMs, performance.now() - startedAt);
          }),
        );
      }
      await sleep(15);
    }
    await Promise.all(answers);
  }
  return slowestMs;
}

test("who stays is answered though the senders of their statements leave, and every hold ends", async () => {
  const caller = await gateway.newCaller(10_000_000);
  await (await chat(caller)).text();
  // A lookup, a hold and a charge, each behind another's round trip, and planning: not the five seconds of a lost statement.
  const quickMs = 4_000;
  expect(await least(quickMs, () => playRounds(caller))).toBeLessThan(quickMs);
  await caller.untilSettled();
  expect(await gateway.checkLedger()).toMatchObject({ ok: true });
}, 120_000);
