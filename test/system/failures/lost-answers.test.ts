// The database takes a request's hold, and its answer is lost: the request ends, and must not keep its caller's credit.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readAccount } from "../../../edge/db/accounts.ts";
import { openDatabase } from "../../../edge/db/client.ts";
import { migrate } from "../../../scripts/migrate.ts";
import { type Sqld, startSqld } from "../../../scripts/self-host/sqld.ts";
import { type DelayingProxy, startDelayingProxy } from "../../support/delaying-proxy.ts";
import { type Gateway, hello, ownKeys, startGateway } from "../../support/gateway.ts";
import { least } from "../../support/least-ms.ts";

const [own] = ownKeys;
const credit = 1_000_000;

let directory: string;
let sqld: Sqld;
let proxy: DelayingProxy;
let gateway: Gateway;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-lost-"));
  sqld = await startSqld({ directory, port: 0 });
  await migrate(sqld.url);
  proxy = await startDelayingProxy(sqld.url, 0);
  gateway = await startGateway({ LIBSQL_URL: proxy.url });
});
afterAll(async () => {
  await gateway?.stop();
  await proxy?.stop();
  await sqld?.stop();
  await rm(directory, { recursive: true, force: true });
});

test("a hold whose answer was lost is a 503 after one time-out, and gives its credit back some seconds later (failures 9)", async () => {
  const caller = await gateway.newCaller(credit);
  const chat = () => caller.chat({ ...hello, model: own.model }, { headers: own.headers });
  const first = await chat();
  expect(first.status).toBe(200);
  await first.text();
  await caller.untilSettled();
  const settled = await caller.account();
  /** Past the proxy, so that its own answers are not lost. */
  const database = openDatabase({ url: sqld.url });
  const readHolds = async () => (await readAccount(database, caller.accountId))!.openHolds;
  // One time-out of 5 s: the account is not read after it, which would be a second one.
  const oneTimeOutMs = 9_000;
  const refuse = async () => {
    proxy.losesAnswersTo = "";
    const askedAt = performance.now();
    const refusing = chat();
    await expect.poll(readHolds).toBe(1);
    const refused = await refusing;
    const tookMs = performance.now() - askedAt;
    proxy.losesAnswersTo = undefined;
    expect([refused.status, await refused.json()]).toMatchObject([
      503,
      { error: { code: "billing_unavailable" } },
    ]);
    await expect.poll(caller.account, { timeout: 30_000, interval: 500 }).toEqual(settled);
    return tookMs;
  };
  expect(await least(oneTimeOutMs, refuse)).toBeLessThan(oneTimeOutMs);
  expect((await chat()).status).toBe(200);
}, 120_000);

/** Asks with a key again and again: it counts as in use (409) until its lost claim is given back, and then it is answered. */
async function untilUsable(chat: () => Promise<Response>): Promise<void> {
  const statuses = new Set<number>();
  await expect
    .poll(async () => statuses.add((await chat()).status).has(200), { timeout: 30_000, interval: 500 })
    .toBe(true);
  expect([409, 200]).toEqual(expect.arrayContaining([...statuses]));
}

test("a key whose claim was not answered can be used again some seconds later (failures 9)", async () => {
  const caller = await gateway.newCaller(credit);
  const headers = { ...own.headers, "idempotency-key": "lost" };
  const chat = () => caller.chat({ ...hello, model: own.model }, { headers });
  proxy.losesAnswersTo = "INSERT INTO stored_answers";
  expect((await chat()).status).toBe(503);
  proxy.losesAnswersTo = undefined;
  await untilUsable(chat);
}, 60_000);

test("a caller who leaves while its key is claimed can use that key again some seconds later (failures 9)", async () => {
  const caller = await gateway.newCaller(credit);
  const headers = { ...own.headers, "idempotency-key": "left" };
  const chat = (signal?: AbortSignal) => {
    return caller.chat({ ...hello, model: own.model }, { headers, ...(signal && { signal }) });
  };
  proxy.losesAnswersTo = "INSERT INTO stored_answers";
  const leaving = new AbortController();
  const lostBefore = proxy.lost;
  const left = expect(chat(leaving.signal)).rejects.toThrow();
  await expect.poll(() => proxy.lost).toBeGreaterThan(lostBefore);
  leaving.abort();
  await left;
  proxy.losesAnswersTo = undefined;
  await untilUsable(chat);
}, 60_000);
