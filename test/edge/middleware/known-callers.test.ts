// A key that was admitted lately is not looked up again: the statement that takes the hold compares what is remembered with the
// database, in one round trip. Revoking or changing a key, at any edge, takes effect on its next request.
// PROPERTY_RUNS=1000 npx vitest run --project edge test/edge/middleware/known-callers.test.ts
import { describe, expect, test } from "vitest";
import { setSuspended } from "../../../edge/db/accounts.ts";
import { changeApiKey, revokeApiKey } from "../../../edge/db/api-keys.ts";
import { deleteKeys } from "../../../edge/db/provider-keys.ts";
import { newCaller, testPlan } from "../support/app.ts";
import {
  type Caller,
  createEdge,
  database,
  hello,
  past,
  poolKey,
  storeKey,
} from "../support/counting-edge.ts";

describe("a known caller", () => {
  test("takes one round trip before the provider and one after it; the first request two", async () => {
    const caller = await newCaller(1_000_000);
    const { use } = createEdge();
    expect(await use(caller)).toMatchObject({ status: 200, trips: 3 });
    expect(await use(caller)).toMatchObject({ status: 200, trips: 2 });
    expect(await use(caller, { ...hello, stream: false, max_tokens: 21 })).toMatchObject({ trips: 2 });
  });

  test("is forgotten after ten minutes without a request", async () => {
    const caller = await newCaller(1_000_000);
    let now = Date.now();
    const { use } = createEdge({ now: () => now });
    await use(caller);
    now += 599_000;
    expect(await use(caller)).toMatchObject({ trips: 2 });
    now += 601_000;
    expect(await use(caller)).toMatchObject({ status: 200, trips: 3 });
  });

  test("has its plan made beside the hold within a minute, and after the hold later: nothing is asked for a stranger", async () => {
    const caller = await newCaller(1_000_000);
    let now = Date.now();
    const { use, plans } = createEdge({ now: () => now });
    await use(caller);
    await changeApiKey(database, caller, { monthlyBudgetMicro: 1 });
    now += 30_000;
    expect(await use(caller)).toMatchObject({ status: 402 });
    expect(plans.length).toBeGreaterThan(1);
    await changeApiKey(database, caller, { monthlyBudgetMicro: null });
    await use(caller);
    await revokeApiKey(database, caller.keyId, now);
    now += 61_000;
    const before = plans.length;
    expect(await use(caller)).toMatchObject({ status: 401 });
    expect(plans.length).toBe(before);
  });

  test("without credit has one plan begun for nothing in a minute, not one for each refusal", async () => {
    const caller = await newCaller(0);
    let now = Date.now();
    const { use, plans } = createEdge({ now: () => now });
    for (let count = 0; count < 5; count++) expect(await use(caller)).toMatchObject({ status: 402 });
    expect(plans).toHaveLength(1);
    now += 61_000;
    await use(caller);
    expect(plans).toHaveLength(2);
  });

  test("with an Idempotency-Key is read, since its claim comes before the hold", async () => {
    const caller = await newCaller(1_000_000);
    const { use } = createEdge();
    await use(caller);
    expect(await use(caller, hello, { "idempotency-key": "one" })).toMatchObject({ status: 200, trips: 5 });
    await revokeApiKey(database, caller.keyId, 1);
    expect(await use(caller, hello, { "idempotency-key": "one" })).toMatchObject({ status: 401 });
  });

  test("is turned away without a round trip while the database is slow and its account has many requests running", async () => {
    const caller = await newCaller(1_000_000);
    const { use, state, inFlight } = createEdge();
    await use(caller);
    for (let request = 0; request < 4; request++)
      inFlight.take([{ name: `account ${caller.accountId}`, limit: 0 }], Date.now());
    state.isSlow = true;
    expect(await use(caller)).toMatchObject({ status: 503, code: "billing_unavailable", trips: 0 });
    state.isSlow = false;
    expect(await use(caller)).toMatchObject({ status: 200, trips: 2 });
  });

  test("waits for one time-out of a database that is away, not for a second one that reads the account", async () => {
    const caller = await newCaller(1_000_000);
    const pauses = (): Promise<void> => Promise.resolve();
    const { use, state } = createEdge({ sleep: pauses });
    await use(caller);
    state.isAway = true;
    // The second releases the hold that may have been taken.
    expect(await use(caller)).toMatchObject({ status: 503, code: "billing_unavailable", trips: 2 });
  });

  test("over its bound in flight is turned away without a round trip", async () => {
    const caller = await newCaller(1_000_000);
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let calls = 0;
    const { use } = createEdge({
      maxInFlight: { perKey: 1, perAccount: 0 },
      plan: async () => {
        calls += 1;
        if (calls === 2) await finished;
        return testPlan;
      },
    });
    await use(caller);
    const slow = use(caller);
    expect(await use(caller)).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
    finish();
    expect(await slow).toMatchObject({ status: 200 });
  });
});

type Change = {
  what: string;
  change: (caller: Caller) => Promise<unknown>;
  meets: { status: number; code?: string; key?: string };
};

const changes: Change[] = [
  {
    what: "its key was revoked",
    change: ({ keyId }) => revokeApiKey(database, keyId, past),
    meets: { status: 401, code: "invalid_api_key" },
  },
  {
    what: "its key has expired",
    change: (caller) => changeApiKey(database, caller, { expiresAt: past }),
    meets: { status: 401, code: "invalid_api_key" },
  },
  {
    what: "its account was suspended",
    change: ({ accountId }) => setSuspended(database, accountId, past),
    meets: { status: 403, code: "account_suspended" },
  },
  {
    what: "its key got a budget that is spent",
    change: (caller) => changeApiKey(database, caller, { monthlyBudgetMicro: 1 }),
    meets: { status: 402 },
  },
  {
    what: "its key is for other models now",
    change: (caller) => changeApiKey(database, caller, { models: ["svc-x1ac-base-gpt-4o-mini"] }),
    meets: { status: 403, code: "permission_denied" },
  },
  {
    what: "its provider key was deleted",
    change: ({ accountId }) => deleteKeys(database, { accountId }),
    meets: { status: 200, key: poolKey },
  },
  {
    what: "its provider key was replaced",
    change: (caller) => storeKey(caller, "sk-new"),
    meets: { status: 200, key: "Bearer sk-new" },
  },
];

describe("a caller who is remembered", () => {
  test.each(changes)("$what: on the next request of every edge", async ({ change, meets }) => {
    const caller = await newCaller(1_000_000);
    await storeKey(caller, "sk-old");
    const edges = [createEdge(), createEdge()];
    for (const { use } of edges) {
      expect(await use(caller)).toMatchObject({ status: 200, key: "Bearer sk-old" });
      expect(await use(caller)).toMatchObject({ status: 200, trips: 2 });
    }
    await change(caller);
    for (const { use } of edges) expect(await use(caller)).toMatchObject(meets);
  });

  test("whose key was revoked is told so before what else is wrong with the request", async () => {
    const caller = await newCaller(1_000_000);
    const { use } = createEdge();
    await use(caller);
    const wrong = { ...hello, max_tokens: -1 };
    expect(await use(caller, wrong)).toMatchObject({ status: 422 });
    await revokeApiKey(database, caller.keyId, past);
    expect(await use(caller, wrong)).toMatchObject({ status: 401, code: "invalid_api_key" });
  });

  test("may use a model at once that its key was just allowed, and a provider key that was just stored", async () => {
    const caller = await newCaller(1_000_000, { models: ["svc-x1ac-base-gpt-4o-mini"] });
    const { use } = createEdge({ pool: { on: false } });
    const mini = { ...hello, model: "svc-x1ac-base-gpt-4o-mini" };
    expect(await use(caller, mini)).toMatchObject({ status: 401, code: null });
    await storeKey(caller, "sk-1");
    expect(await use(caller, mini)).toMatchObject({ status: 200 });
    expect(await use(caller)).toMatchObject({ status: 403 });
    await changeApiKey(database, caller, { models: ["svc-x1ac-base-gpt-4o"] });
    expect(await use(caller)).toMatchObject({ status: 200, key: "Bearer sk-1" });
  });
});
