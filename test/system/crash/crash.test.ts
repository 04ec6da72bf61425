// `kill -9` of a part in the middle of running streams: what was acknowledged is in the ledger, what was not
// is given back by the sweep, and the next request is answered.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sweep } from "../../../edge/scheduled.ts";
import { type Caller, type Gateway, hello, startGateway } from "../../support/gateway.ts";

const atOnce = 24;
const creditMicro = 100_000_000;
/** Older than any request may live: what the sweep takes for abandoned. */
const laterMs = 16 * 60_000;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  gateway.provider.respond("router", {
    text: "one two three four five six seven eight",
    frameDelayMs: 40,
  });
});
afterAll(() => gateway?.stop());

type Attempt = {
  startedAtMs: number;
  requestId: string;
  status: number;
  credits: string | null;
  complete: boolean;
};

async function attempt(caller: Caller, stream: boolean): Promise<Attempt> {
  const requestId = randomUUID();
  const startedAtMs = Date.now();
  try {
    const response = await caller.chat(
      { ...hello, stream },
      { headers: { "x-request-id": requestId }, signal: AbortSignal.timeout(20_000) },
    );
    const { status } = response;
    const credits = response.headers.get("x-svc-credits-charged");
    const text = await response.text();
    const complete = status === 200 && (!stream || text.endsWith("data: [DONE]\n\n"));
    return { startedAtMs, requestId, status, credits, complete };
  } catch {
    // The connection broke: nothing was acknowledged.
    return { startedAtMs, requestId, status: 0, credits: null, complete: false };
  }
}

/** Clients that ask again and again until `stop`, half of them for streams. */
function keepAsking(caller: Caller): { attempts: Attempt[]; stop: () => Promise<void> } {
  const attempts: Attempt[] = [];
  let asking = true;
  const client = async (_: unknown, index: number) => {
    while (asking) {
      const made = await attempt(caller, index % 2 === 0);
      attempts.push(made);
      // A short pause, as a client would make, while the service is away.
      if (!made.complete) await sleep(50);
    }
  };
  const clients = Promise.all(Array.from({ length: atOnce }, client));
  const stop = async () => {
    asking = false;
    await clients;
  };
  return { attempts, stop };
}

/** A checkpoint loads in two seconds on a free machine, in twenty on a busy one. */
const patience = { timeout: 60_000 };

/** Statuses a caller may see while a part is away; 0 is a broken connection. Never a 500. */
const expectedStatuses = new Set([0, 200, 502, 503]);

test.each(["edge", "sqld", "gpu-worker"] as const)(
  "kill -9 of %s under load: healed, no acknowledged charge lost, open holds given back",
  async (part) => {
    const caller = await gateway.newCaller(creditMicro);
    const { attempts, stop } = keepAsking(caller);
    await expect
      .poll(() => attempts.filter(({ complete }) => complete).length, patience)
      .toBeGreaterThan(atOnce);
    const before = await gateway.service.pidOf(part);
    const killedAtMs = Date.now();
    await gateway.service.kill(part);
    const healed = () =>
      attempts.filter(({ startedAtMs, complete }) => complete && startedAtMs > killedAtMs + 500);
    await expect.poll(() => healed().length, patience).toBeGreaterThan(atOnce);
    await stop();

    // The record of the new process is written beside the requests that it already serves.
    await expect.poll(() => gateway.service.pidOf(part)).not.toBeOneOf([before, undefined]);
    expect(await attempt(caller, true)).toMatchObject({ complete: true });
    expect(attempts.filter(({ status }) => !expectedStatuses.has(status))).toEqual([]);
    expect(await gateway.checkLedger()).toMatchObject({ ok: true });
    const charges = new Map((await caller.charges()).map((charge) => [charge.requestId, charge]));
    const acknowledged = attempts.filter(({ complete }) => complete);
    for (const { requestId, credits } of acknowledged) {
      const charge = charges.get(requestId);
      expect(charge, requestId).toMatchObject({ outcome: "completed" });
      if (credits !== null) expect(-charge!.amountMicro).toBe(Math.round(Number(credits) * 1_000_000));
    }

    // Settlements of clients who saw their connection break may still be on their way.
    await caller.untilSettled(3_000).catch(() => {});
    const { openHolds } = (await caller.account())!;
    const { releasedHolds } = await sweep({
      database: gateway.libsql,
      fetch,
      now: () => Date.now() + laterMs,
    });
    expect(releasedHolds).toBeLessThanOrEqual(openHolds);
    const charged = (await caller.charges()).reduce((sum, { amountMicro }) => sum + amountMicro, 0);
    expect(await caller.account()).toMatchObject({
      balanceMicro: creditMicro + charged,
      availableMicro: creditMicro + charged,
      openHolds: 0,
    });
    expect(await gateway.checkLedger()).toMatchObject({ ok: true });
  },
  180_000,
);
