// Mixed load with aborts and provider faults while each process is killed in turn: after every round the books
// are right, and nothing a caller or an operator was told is missing. Short here; the long run is
//   CRASH_ROUNDS=5 CRASH_SECONDS=60 CRASH_CLIENTS=200 npx vitest run --project alone test/system/money/crash-rounds.test.ts
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addCredit } from "../../../edge/db/accounts.ts";
import { sweep } from "../../../edge/scheduled.ts";
import { providerKinds } from "../../../shared/providers.ts";
import type { FakeScript } from "../../support/fake-provider.ts";
import { type Caller, type Gateway, hello, ownKeys, startGateway } from "../../support/gateway.ts";

const setting = (name: string, fallback: number) => Number(process.env[name] ?? fallback);
const rounds = setting("CRASH_ROUNDS", 1);
const roundMs = setting("CRASH_SECONDS", 6) * 1_000;
const clients = setting("CRASH_CLIENTS", 40);
/** How long a client waits for an answer that does not come. */
const patienceMs = Math.max(5_000, roundMs / 3);
const parts = ["edge", "sqld", "gpu-worker"] as const;
const creditMicro = 1_000_000_000;
const topUpMicro = 1_234;
/** Older than any request may live: what the sweep takes for abandoned. */
const laterMs = 16 * 60_000;

/** One in ten of a provider's answers is a fault. */
const faults: FakeScript[] = [
  { status: 500 },
  { status: 429 },
  { text: "half of an ans", cutAfter: 2 },
  { text: "silence", hangAfter: 2 },
  { json: { nonsense: true } },
];
const answer: FakeScript = { text: "one two three four five six", frameDelayMs: 5 };
let asked = 0;
const respond = (): FakeScript => {
  asked += 1;
  return asked % 10 === 0 ? faults[(asked / 10) % faults.length]! : answer;
};

let gateway: Gateway;
let callers: Caller[];
beforeAll(async () => {
  gateway = await startGateway();
  for (const kind of providerKinds) gateway.provider.respond(kind, respond);
  callers = await Promise.all(Array.from({ length: 4 + clients / 10 }, () => gateway.newCaller(creditMicro)));
  const { status } = await post(callers[0]!, "/v1/account/llm-keys", { alpha_key: "sk-vault" });
  expect(status).toBe(200);
});
afterAll(() => gateway?.stop());

const post = (caller: Caller, path: string, body: object, init: RequestInit = {}) =>
  fetch(gateway.service.url + path, {
    ...init,
    method: "POST",
    headers: {
      authorization: `Bearer ${caller.apiKey}`,
      "content-type": "application/json",
      ...init.headers,
    },
    body: JSON.stringify(body),
  });

/** What a caller was told of one request; `complete` if it has the whole answer. */
type Told = {
  caller: Caller;
  requestId: string;
  status: number;
  credits: string | null;
  complete: boolean;
  replayed: boolean;
};

type Kind = (index: number) => { path: string; body: object; headers?: Record<string, string> };
const chat = (body: object, headers?: Record<string, string>) => ({
  path: "/v1/chat/completions",
  body: { ...hello, ...body },
  ...(headers && { headers }),
});
/** Twelve requests in a row, twice the six kinds below, are of one caller. */
const pairOf = (index: number) => Math.floor(index / 12);
const kinds: Kind[] = [
  () => chat({}),
  () => chat({ stream: true }),
  (index) => {
    const { model, headers } = ownKeys[index % ownKeys.length]!;
    return chat({ model, stream: index % 3 === 0 }, headers);
  },
  // Each key is used twice by its caller, the second time after all other callers' turns: by then the first request has ended, was
  // killed, or still runs.
  (index) => {
    const again = Math.floor(index / 6) % 2 === 1;
    const key = pairOf(index) - (again ? callers.length : 0);
    return chat({ stream: key % 3 === 0 }, { "idempotency-key": `key-${key}` });
  },
  () => ({ path: "/v1/embeddings", body: { model: "svc-x1ac-base", input: ["a text", "another"] } }),
  () => ({ path: "/v1/messages", body: { ...hello, stream: true } }),
];

async function askOnce(index: number): Promise<Told> {
  const caller = callers[pairOf(index) % callers.length]!;
  const requestId = randomUUID();
  const { path, body, headers } = kinds[index % kinds.length]!(index);
  const leavesMs = index % 10 === 3 ? 5 + ((index * 7) % 60) : patienceMs;
  const told = { caller, requestId, credits: null, complete: false, replayed: false };
  try {
    const response = await post(caller, path, body, {
      headers: { ...headers, "x-request-id": requestId },
      signal: AbortSignal.timeout(leavesMs),
    });
    const { status } = response;
    const text = await response.text();
    const streamed = response.headers.get("content-type")?.startsWith("text/event-stream");
    return {
      ...told,
      status,
      credits: response.headers.get("x-svc-credits-charged"),
      complete:
        status === 200 && (!streamed || /data: \[DONE\]\n\n$|event: message_stop\n.*\n\n$/.test(text)),
      replayed: response.headers.has("idempotent-replayed"),
    };
  } catch {
    return { ...told, status: 0 };
  }
}

/** Statuses a caller may see while a part is away or a provider is at fault; 0 is a broken connection. */
const expectedStatuses = new Set([0, 200, 409, 429, 502, 503, 504]);

const isComplete = ({ complete, replayed }: Told) => complete && !replayed;
const patienceToPlayMs = 60_000;

async function playRound(round: number): Promise<{ told: Told[]; toppedUp: number }> {
  const told: Told[] = [];
  const until = Date.now() + roundMs;
  /** A busy machine plays on until enough happened for the round to mean something. */
  const isOver = () =>
    Date.now() >= until + patienceToPlayMs ||
    (Date.now() >= until && told.filter(isComplete).length > clients);
  let next = round * 1_000_000;
  let toppedUp = 0;
  const client = async () => {
    while (!isOver()) {
      const one = await askOnce(next++);
      told.push(one);
      // A short pause, as a client would make, while the service is away.
      if (one.status === 0 || one.status === 503) await sleep(50);
    }
  };
  const topUp = async () => {
    for (; !isOver(); await sleep(100)) {
      const credit = {
        accountId: callers[1]!.accountId,
        amountMicro: topUpMicro,
        reason: "top-up",
        now: Date.now(),
      };
      // A top-up without an answer may have happened or not, so it is not counted: the test asks for at least the counted ones.
      if (await addCredit(gateway.database, credit).catch(() => false)) toppedUp += 1;
    }
  };
  const kill = async () => {
    for (const part of parts) {
      await sleep(roundMs / (parts.length + 1));
      await gateway.service.kill(part).catch(() => {});
    }
  };
  await Promise.all([...Array.from({ length: clients }, client), topUp(), kill()]);
  return { told, toppedUp };
}

test(
  `${rounds} x ${roundMs / 1_000} s, ${clients} clients, each part killed: the books are right and whole`,
  async () => {
    let toppedUp = 0;
    for (let round = 0; round < rounds; round++) {
      const played = await playRound(round);
      toppedUp += played.toppedUp;
      expect(played.told.filter(({ status }) => !expectedStatuses.has(status))).toEqual([]);
      await expect
        .poll(() => gateway.checkLedger().catch(() => undefined), { timeout: 60_000 })
        .toMatchObject({ ok: true });
      await Promise.all(callers.map((caller) => caller.untilSettled(3_000).catch(() => {})));

      const complete = played.told.filter(isComplete);
      const byCaller = new Map(
        await Promise.all(
          callers.map(
            async (caller) =>
              [caller, new Map((await caller.charges()).map((row) => [row.requestId, row]))] as const,
          ),
        ),
      );
      for (const { caller, requestId, credits } of complete) {
        const charge = byCaller.get(caller)!.get(requestId);
        expect(charge, requestId).toBeDefined();
        if (credits !== null)
          expect(-charge!.amountMicro, requestId).toBe(Math.round(Number(credits) * 1_000_000));
      }
      expect(complete.length).toBeGreaterThan(clients);
      const count = (fits: (one: Told) => boolean) => played.told.filter(fits).length;
      console.log(
        `round ${round + 1}: ${played.told.length} requests, ${complete.length} complete, ${count(({ status }) => status === 0)} broken or left, ` +
          `${count(({ status }) => status >= 500)} refused or failed, ${count(({ replayed }) => replayed)} replayed, ${played.toppedUp} top-ups`,
      );
    }

    await sweep({ database: gateway.libsql, fetch, now: () => Date.now() + laterMs });
    for (const caller of callers) {
      const rows = await caller.ledger();
      const sum = rows.reduce((total, { amountMicro }) => total + amountMicro, 0);
      const account = (await caller.account())!;
      expect(account).toMatchObject({ openHolds: 0, balanceMicro: sum, availableMicro: sum });
      const requests = rows.flatMap(({ kind, requestId }) => (kind === "charge" ? [requestId] : []));
      expect(new Set(requests).size).toBe(requests.length);
    }
    const added = (await callers[1]!.ledger()).filter(
      ({ kind, reason }) => kind === "credit" && reason === "top-up",
    );
    expect(added.length).toBeGreaterThanOrEqual(toppedUp);
    expect(await gateway.checkLedger()).toMatchObject({ ok: true });
  },
  rounds * (roundMs + 180_000),
);
