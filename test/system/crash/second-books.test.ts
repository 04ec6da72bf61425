// The ledger against the aggregator's own bill, while each process is killed (kill -9) in the middle of requests. After
// recovery no acknowledged charge is lost, no hold outlives its request, and what was charged covers the bill except for
// what docs/storage.md says that it may leave out.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sweep } from "../../../edge/scheduled.ts";
import { addExcuses, costOf, type Excuses, excuse, sumOf } from "../../support/aggregator-bill.ts";
import { type BillingProvider, billByName } from "../../support/billing-provider.ts";
import { type Caller, type Gateway, hello, startGateway } from "../../support/gateway.ts";

const clients = 12;
const creditMicro = 100_000_000;
/** Older than any request may live: what the sweep takes for abandoned. */
const laterMs = 16 * 60_000;
/** Time for so many whole answers on a busy machine. */
const patience = { timeout: 60_000, interval: 100 };

let gateway: Gateway;
let billing: BillingProvider;
beforeAll(async () => {
  gateway = await startGateway();
  const longest = 90;
  billing = billByName(gateway.provider, (name) => {
    const number = Number.parseInt(name.slice(-4), 16);
    return { words: 5 + (number % longest), thought: number % 3 === 0 ? number % 50 : 0 };
  });
});
afterAll(() => gateway?.stop());

type Kind = { body: object; leavesAfterWords?: number };
const kinds: readonly Kind[] = [
  { body: {} },
  { body: { stream: true } },
  { body: { n: 2 } },
  { body: { stream: true, svc: { max_llm_calls: 2 } } },
  { body: { stream: true, n: 2 }, leavesAfterWords: 30 },
  { body: { stream: true }, leavesAfterWords: 10 },
];

type Attempt = { name: string; startedAtMs: number; endedAtMs: number; complete: boolean; credits?: number };

async function ask(caller: Caller, index: number): Promise<Attempt> {
  const name = `ask-${randomUUID()}`;
  const { body, leavesAfterWords } = kinds[index % kinds.length]!;
  const startedAtMs = Date.now();
  const ended = (complete: boolean, credits?: number): Attempt => ({
    ...{ name, startedAtMs, endedAtMs: Date.now(), complete },
    ...(credits !== undefined && { credits }),
  });
  const leaving = new AbortController();
  const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(30_000)]);
  const messages = [{ role: "user", content: `${name}: find me a flight to Oslo` }];
  try {
    const response = await caller.chat(
      { ...hello, max_tokens: 400, ...body, messages },
      { headers: { "x-request-id": name }, signal },
    );
    let text = "";
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      text += piece;
      if (leavesAfterWords !== undefined && text.split('word"').length > leavesAfterWords) leaving.abort();
    }
    const header = response.headers.get("x-svc-credits-charged");
    if (header !== null) return ended(response.status === 200, Number(header));
    const told = /"credits_charged":([\d.e-]+)[^\n]*\n\ndata: \[DONE\]\n\n$/.exec(text)?.[1];
    return told === undefined ? ended(false) : ended(true, Number(told));
  } catch {
    return ended(false);
  }
}

/** Clients that ask without pause while a part is killed, and until it serves again. */
async function playRound(caller: Caller, part: "edge" | "sqld" | "gpu-worker") {
  const attempts: Attempt[] = [];
  let asking = true;
  const client = async (_: unknown, first: number) => {
    for (let index = first; asking; index++) {
      const made = await ask(caller, index);
      attempts.push(made);
      if (!made.complete) await sleep(50);
    }
  };
  const all = Promise.all(Array.from({ length: clients }, client));
  const whole = (since: number) =>
    attempts.filter(({ complete, startedAtMs }) => complete && startedAtMs > since).length;
  await expect.poll(() => whole(0), patience).toBeGreaterThan(clients);
  const killedAtMs = Date.now();
  await gateway.service.kill(part);
  await expect.poll(() => whole(killedAtMs), patience).toBeGreaterThan(clients);
  asking = false;
  await all;
  return { attempts, killedAtMs };
}

test.each(["edge", "sqld", "gpu-worker"] as const)(
  "kill -9 of %s: what was charged covers the aggregator's bill",
  async (part) => {
    const caller = await gateway.newCaller(creditMicro);
    const { attempts, killedAtMs } = await playRound(caller, part);
    await expect
      .poll(() => gateway.checkLedger().catch(() => undefined), patience)
      .toMatchObject({ ok: true });
    const wasOpen = ({ startedAtMs, endedAtMs }: Attempt) =>
      startedAtMs <= killedAtMs && endedAtMs >= killedAtMs;
    // Only what died with a part is left for the sweep.
    if (part === "gpu-worker") await caller.untilSettled();
    else await caller.untilSettled(8_000).catch(() => {});
    await expect
      .poll(async () => (await caller.account())!.openHolds, patience)
      .toBeLessThanOrEqual(attempts.filter(wasOpen).length);
    const { openHolds } = (await caller.account())!;
    const later = () => Date.now() + laterMs;
    await sweep({ database: gateway.libsql, fetch, now: later });

    const rows = await caller.ledger();
    const byName = new Map(rows.map((row) => [row.requestId, row]));
    const charged = new Set<string>();
    let excuses: Excuses = {};
    let diedMicro = 0;
    for (const attempt of attempts) {
      const { name, complete, credits } = attempt;
      const row = byName.get(name);
      if (complete) {
        expect(row, name).toMatchObject({ kind: "charge", outcome: "completed" });
        expect(-row!.amountMicro, name).toBe(Math.round(credits! * 1_000_000));
      }
      const lines = billing.linesOf(name);
      const cost = sumOf(lines.map(costOf));
      if (row === undefined && part !== "gpu-worker" && (wasOpen(attempt) || part === "sqld")) {
        // Its edge died less than 30 s after it began, or the database was away when it ended.
        diedMicro += cost;
        continue;
      }
      const whole = row?.outcome === "completed";
      const known = lines.map((line) => ({ ...line, reported: line.reported && whole }));
      const own = known.map((line) => excuse(line, { whole, prices: line.prices })).reduce(addExcuses, {});
      excuses = addExcuses(excuses, own);
      const owed = Math.floor((cost - sumOf(Object.values(own))) * 1.25);
      const details = JSON.stringify({ attempt, lines, row, own });
      expect(-(row?.amountMicro ?? 0), details).toBeGreaterThanOrEqual(owed);
      if (row?.kind === "charge") charged.add(name);
    }
    const sum = rows.reduce((total, { amountMicro }) => total + amountMicro, 0);
    expect(await caller.account()).toMatchObject({ openHolds: 0, balanceMicro: sum, availableMicro: sum });
    expect(await gateway.checkLedger()).toMatchObject({ ok: true });
    const completed = attempts.filter(({ complete }) => complete).length;
    console.log(
      `${part}: ${attempts.length} requests, ${completed} whole, ${charged.size} charged, ${openHolds} swept, ` +
        `${diedMicro} micro-dollars died with it, left out ${JSON.stringify(excuses)}`,
    );
  },
  240_000,
);
