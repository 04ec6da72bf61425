// Money through the real processes: parallel holds, and a ledger that is consistent after mixed load.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { providerKinds } from "../../../shared/providers.ts";
import type { FakeScript } from "../../support/fake-provider.ts";
import { type Caller, type Gateway, hello, ownKeys, startGateway } from "../../support/gateway.ts";

let gateway: Gateway;
beforeAll(async () => {
  // No limit on requests at once: the test is about the race for credit.
  gateway = await startGateway({ MAX_IN_FLIGHT_PER_KEY: "0", MAX_IN_FLIGHT_PER_ACCOUNT: "0" });
});
afterAll(() => gateway?.stop());
afterEach(() => gateway.provider.reset());

/** The hold that one `hello` needs, in micro-credits, as a refusal (402) names it. */
async function readRequiredMicro(): Promise<number> {
  const poor = await gateway.newCaller(1);
  const refused = await poor.chat(hello);
  expect(refused.status).toBe(402);
  const { error } = (await refused.json()) as { error: { required_credits: number } };
  return Math.round(error.required_credits * 1_000_000);
}

/** Balance is what was put in less what was charged, nothing is held, and the operator's check agrees. */
async function expectBooksClosed(caller: Caller, creditMicro: number): Promise<void> {
  const charges = await caller.charges();
  const chargedMicro = charges.reduce((sum, { amountMicro }) => sum + amountMicro, 0);
  const account = await caller.account();
  expect(account).toMatchObject({ balanceMicro: creditMicro + chargedMicro, openHolds: 0 });
  expect(account!.balanceMicro).toBeGreaterThanOrEqual(0);
  expect(await gateway.checkLedger()).toMatchObject({ ok: true });
}

describe("100 parallel requests on credit for exactly 7", () => {
  test("give 7 answers and 93 times 402 while all holds are open together (failures 7)", async () => {
    const creditMicro = 7 * (await readRequiredMicro());
    const caller = await gateway.newCaller(creditMicro);
    let open = () => {};
    const until = new Promise<void>((resolve) => {
      open = resolve;
    });
    gateway.provider.respond("router", { until });
    let refused = 0;
    const statuses = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const response = await caller.chat(hello);
        if (response.status === 402 && ++refused === 93) open();
        await response.arrayBuffer();
        return response.status;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(7);
    expect(statuses.filter((status) => status === 402)).toHaveLength(93);
    expect(gateway.provider.chats()).toHaveLength(7);
    expect(await caller.charges()).toHaveLength(7);
    await expectBooksClosed(caller, creditMicro);
  });

  test("are each paid or refused when the provider answers at once", async () => {
    const creditMicro = 7 * (await readRequiredMicro());
    const caller = await gateway.newCaller(creditMicro);
    const answers = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const response = await caller.chat(hello);
        await response.arrayBuffer();
        return { status: response.status, credits: Number(response.headers.get("x-svc-credits-charged")) };
      }),
    );
    const paid = answers.filter(({ status }) => status === 200);
    expect(paid.length).toBeGreaterThanOrEqual(7);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(100 - paid.length);
    const charges = await caller.charges();
    expect(charges).toHaveLength(paid.length);
    // What callers were told is what was taken.
    expect(Math.round(paid.reduce((sum, { credits }) => sum + credits, 0) * 1_000_000)).toBe(
      charges.reduce((sum, { amountMicro }) => sum - amountMicro, 0),
    );
    await expectBooksClosed(caller, creditMicro);
  });
});

type Case = {
  name: string;
  stream?: boolean;
  /** Index into `ownKeys`; absent: the pool. */
  own?: number;
  script?: FakeScript;
  /** The client leaves after up to so many milliseconds. */
  leaves?: number;
  statuses: number[];
};

const slow: FakeScript = { text: "one two three four five six", frameDelayMs: 15 };
const cases: Case[] = [
  { name: "json", statuses: [200] },
  { name: "stream", stream: true, statuses: [200] },
  ...ownKeys.map(({ kind }, own) => ({ name: `own ${kind} json`, own, statuses: [200] })),
  ...ownKeys.map(({ kind }, own) => ({ name: `own ${kind} stream`, own, stream: true, statuses: [200] })),
  { name: "bad request", script: { status: 400 }, statuses: [400] },
  { name: "rate limit", script: { status: 429 }, stream: true, statuses: [429] },
  { name: "provider down", script: { status: 500 }, statuses: [502] },
  { name: "own rate limit", own: 1, script: { status: 429 }, statuses: [429] },
  { name: "broken stream", stream: true, script: { ...slow, cutAfter: 3 }, statuses: [200] },
  { name: "broken json", script: { ...slow, cutAfter: 3 }, statuses: [502] },
  {
    name: "nonsense usage",
    script: { usage: { input: -1_000_000, output: 1_000_000_000_000 } },
    statuses: [200],
  },
  { name: "leaves a stream", stream: true, script: slow, leaves: 160, statuses: [0, 200] },
  { name: "leaves json", script: slow, leaves: 160, statuses: [0, 200] },
  { name: "leaves its own key", own: 2, stream: true, script: slow, leaves: 160, statuses: [0, 200] },
];

type Sent = { status: number; requestId: string; credits: string | null; body: string };

describe("500 mixed requests", () => {
  const total = 500;
  const atOnce = 40;

  async function send(caller: Caller, index: number, attempt = 1): Promise<Sent> {
    const { name, stream = false, own, leaves } = cases[index % cases.length]!;
    const { model = hello.model, headers = {} } = own === undefined ? {} : ownKeys[own]!;
    const requestId = `mixed-${index}-${attempt}`;
    const messages = [{ role: "user", content: `case(${name})` }];
    // Spread over the whole life of a request: before, while and after the provider answers.
    const signal = leaves === undefined ? undefined : AbortSignal.timeout(1 + ((index * 37) % leaves));
    try {
      const response = await caller.chat(
        { model, messages, stream, max_tokens: 50 },
        { headers: { ...headers, "x-request-id": requestId }, ...(signal && { signal }) },
      );
      const credits = response.headers.get("x-svc-credits-charged");
      return { status: response.status, requestId, credits, body: await response.text() };
    } catch (error) {
      // A kept connection may end just as it is used again: like every HTTP client, it tries once more.
      if (leaves === undefined && attempt === 1) return send(caller, index, 2);
      return { status: 0, requestId, credits: null, body: String((error as Error).cause ?? error) };
    }
  }

  test("leave balance = sum of the ledger, one row for each hold, and no hold (failures 10)", async () => {
    const creditMicro = 100_000_000;
    const caller = await gateway.newCaller(creditMicro);
    for (const kind of providerKinds) {
      gateway.provider.respond(kind, ({ body }) => {
        const name = /case\(([^)]+)\)/.exec(JSON.stringify(body))?.[1];
        return cases.find((one) => one.name === name)!.script ?? {};
      });
    }
    const sent: Sent[] = [];
    let next = 0;
    const client = async () => {
      while (next < total) {
        const index = next++;
        sent[index] = await send(caller, index);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, client));
    const unexpected = sent.flatMap(({ status, body }, index) => {
      const { name, statuses } = cases[index % cases.length]!;
      return statuses.includes(status) ? [] : [`${name}: ${status} ${body.slice(0, 200)}`];
    });
    expect(unexpected).toEqual([]);

    await caller.untilSettled();
    const charges = await caller.charges();
    const byRequest = new Map(charges.map((charge) => [charge.requestId, charge]));
    expect(byRequest.size).toBe(charges.length);
    for (const { status, requestId, credits, body } of sent) {
      const charge = byRequest.get(requestId);
      // Whatever reached its end is in the ledger, at the price the caller was told.
      if (credits !== null) expect(-charge!.amountMicro).toBe(Math.round(Number(credits) * 1_000_000));
      if (body.endsWith("data: [DONE]\n\n")) expect(charge).toMatchObject({ outcome: "completed" });
      if (status >= 400 && status !== 502) expect(Math.abs(charge?.amountMicro ?? 0)).toBe(0);
    }
    await expectBooksClosed(caller, creditMicro);
  });
});
