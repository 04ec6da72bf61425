import { sql } from "drizzle-orm";
import { describe, expect, it, test, vi } from "vitest";
import { reserve } from "../../../edge/billing/hold.ts";
import { type Settlement, settle } from "../../../edge/billing/ledger.ts";
import { addAccessToken, deleteExpiredAccessTokens } from "../../../edge/db/access-tokens.ts";
import { setSuspended } from "../../../edge/db/accounts.ts";
import { addApiKey, changeApiKey, type NewApiKey, revokeApiKey } from "../../../edge/db/api-keys.ts";
import { build, prepare } from "../../../edge/db/client.ts";
import { listApiKeys } from "../../../edge/db/list-api-keys.ts";
import { beginSessionByEmail, endSession } from "../../../edge/db/sessions.ts";
import { newAccount, openTestDatabase } from "../support/accounts.ts";

// A hundred at once on a busy machine.
vi.setConfig({ testTimeout: 60_000 });
const database = openTestDatabase();
const september = Date.UTC(2026, 8, 30, 23, 59, 59);
const october = Date.UTC(2026, 9, 1);

async function newKey(limits: Partial<NewApiKey> = {}, creditMicro = 1_000_000) {
  const { accountId } = await newAccount(database, creditMicro);
  const keyId = `key_${crypto.randomUUID()}`;
  await addApiKey(database, { keyId, accountId, name: "k", hash: crypto.randomUUID(), now: 1, ...limits });
  return { accountId, keyId };
}
type Owner = Awaited<ReturnType<typeof newKey>>;

async function newToken(
  { keyId }: Owner,
  maxMicro: number | null,
  expiresAt = october + 1e9,
  sessionId?: string,
) {
  const tokenId = `tok_${crypto.randomUUID()}`;
  const hash = crypto.randomUUID();
  await addAccessToken(database, {
    tokenId,
    keyId,
    sessionId,
    hash,
    endpoints: ["chat"],
    models: null,
    maxMicro,
    now: 1,
    expiresAt,
  });
  return tokenId;
}

const hold = (
  owner: Owner,
  amountMicro: number,
  more: { tokenId?: string; now?: number; holdId?: string } = {},
) =>
  reserve(database, {
    holdId: `hold_${crypto.randomUUID()}`,
    accountId: owner.accountId,
    apiKeyId: owner.keyId,
    amountMicro,
    now: october,
    ...more,
  });

async function charge(
  owner: Owner,
  chargeMicro: number,
  more: Partial<Settlement> & { tokenId?: string } = {},
) {
  const holdId = `hold_${crypto.randomUUID()}`;
  const { tokenId, ...row } = more;
  const reserved = await hold(owner, chargeMicro, {
    holdId,
    ...(tokenId !== undefined && { tokenId }),
    now: more.now ?? october,
  });
  if (!reserved.granted) return reserved;
  await settle(database, {
    holdId,
    accountId: owner.accountId,
    apiKeyId: owner.keyId,
    requestId: "r",
    chargeMicro,
    model: "svc-x1ac-base-gpt-4o",
    markup: 0,
    planningTokens: 1,
    outcome: "completed",
    now: october,
    ...row,
  });
  return reserved;
}

describe("a key's monthly budget", () => {
  it("100 at once on a budget for exactly 7 gives exactly 7, and money that is there stays untouched", async () => {
    const owner = await newKey({ monthlyBudgetMicro: 7_999 });
    const results = await Promise.all(Array.from({ length: 100 }, () => hold(owner, 1_000)));
    expect(results.filter(({ granted }) => granted)).toHaveLength(7);
    expect(results.filter(({ granted }) => !granted)).toHaveLength(93);
    expect(results).toContainEqual({ granted: false, limit: "budget", availableMicro: 999 });
  });

  it("100 at once that settle at once never charge past it", async () => {
    const owner = await newKey({ monthlyBudgetMicro: 12_345 });
    const results = await Promise.all(Array.from({ length: 100 }, (_, index) => charge(owner, 500 + index)));
    const [listed] = await listApiKeys(database, { ...owner, now: october });
    expect(listed!.spentThisMonthMicro).toBeLessThanOrEqual(12_345);
    expect(listed!.spentThisMonthMicro).toBeGreaterThan(12_345 - 600);
    expect(results.some(({ granted }) => !granted)).toBe(true);
  });

  it("is whole again in the next month (UTC), and open holds of the last still count", async () => {
    const owner = await newKey({ monthlyBudgetMicro: 1_000 });
    await charge(owner, 700, { now: september });
    expect(await hold(owner, 301, { now: september })).toMatchObject({ granted: false, limit: "budget" });
    expect(await hold(owner, 300, { now: september })).toEqual({ granted: true });
    expect(await hold(owner, 701)).toEqual({ granted: false, limit: "budget", availableMicro: 700 });
    expect(await hold(owner, 700)).toEqual({ granted: true });
  });

  it("is that key's alone", async () => {
    const owner = await newKey({ monthlyBudgetMicro: 10 });
    const other = { ...owner, keyId: `key_${crypto.randomUUID()}` };
    await addApiKey(database, { ...other, name: "other", hash: crypto.randomUUID(), now: 1 });
    await charge(other, 500);
    expect(await hold(owner, 10)).toEqual({ granted: true });
  });

  it("of nothing refuses all that costs", async () => {
    const owner = await newKey({ monthlyBudgetMicro: 0 });
    expect(await hold(owner, 1)).toEqual({ granted: false, limit: "budget", availableMicro: 0 });
    expect(await hold(owner, 0)).toEqual({ granted: true });
  });

  it("leaves nothing, and never less, where it was lowered below what open holds take", async () => {
    const owner = await newKey({ monthlyBudgetMicro: 1_000 });
    expect(await hold(owner, 800)).toEqual({ granted: true });
    await changeApiKey(database, owner, { monthlyBudgetMicro: 500 });
    expect(await hold(owner, 1)).toEqual({ granted: false, limit: "budget", availableMicro: 0 });
  });

  it("is not blamed where the account has less", async () => {
    const owner = await newKey({ monthlyBudgetMicro: 50 }, 20);
    expect(await hold(owner, 60)).toEqual({ granted: false, limit: "credit", availableMicro: 20 });
  });
});

describe("a key that ended", () => {
  it.each([
    ["revoked", (owner: Owner) => revokeApiKey(database, owner.keyId, october - 1)],
    ["expired", async () => {}],
  ])("reserves nothing from that moment on: %s", async (how, end) => {
    const owner = await newKey(how === "expired" ? { expiresAt: october } : {});
    expect(await hold(owner, 1, { now: october - 1 })).toEqual({ granted: true });
    await end(owner);
    expect(await hold(owner, 1)).toEqual({ granted: false, limit: "key", availableMicro: 0 });
  });
});

test("an account that was suspended meanwhile reserves nothing, and is told so", async () => {
  const owner = await newKey();
  await setSuspended(database, owner.accountId, october);
  expect(await hold(owner, 1)).toEqual({ granted: false, limit: "account", availableMicro: 0 });
});

describe("a token's cap", () => {
  it("100 at once on a cap for exactly 9 gives exactly 9", async () => {
    const owner = await newKey();
    const tokenId = await newToken(owner, 9_500);
    const results = await Promise.all(Array.from({ length: 100 }, () => hold(owner, 1_000, { tokenId })));
    expect(results.filter(({ granted }) => granted)).toHaveLength(9);
    expect(results).toContainEqual({ granted: false, limit: "cap", availableMicro: 500 });
    expect(await hold(owner, 1_000)).toEqual({ granted: true });
  });

  it("counts what was charged, and gives back what was held and not used", async () => {
    const owner = await newKey();
    const tokenId = await newToken(owner, 1_000);
    await charge(owner, 400, { tokenId });
    expect(await hold(owner, 601, { tokenId })).toEqual({
      granted: false,
      limit: "cap",
      availableMicro: 600,
    });
    expect(await hold(owner, 600, { tokenId })).toEqual({ granted: true });
  });

  it("is within the budget of its key, and one token's spending is not another's", async () => {
    const owner = await newKey({ monthlyBudgetMicro: 500 });
    const [one, two] = [await newToken(owner, 400), await newToken(owner, 400)];
    await charge(owner, 400, { tokenId: one });
    expect(await hold(owner, 101, { tokenId: two })).toMatchObject({ granted: false, limit: "budget" });
    expect(await hold(owner, 100, { tokenId: two })).toEqual({ granted: true });
  });

  it("ends with the token's time, and a forgotten token's request still settles", async () => {
    const owner = await newKey();
    const tokenId = await newToken(owner, 1_000, october + 1);
    const holdId = `hold_${crypto.randomUUID()}`;
    expect(await hold(owner, 10, { tokenId, holdId })).toEqual({ granted: true });
    expect(await hold(owner, 10, { tokenId, now: october + 1 })).toMatchObject({ granted: false });
    await deleteExpiredAccessTokens(database, october + 1);
    const late = { accountId: owner.accountId, apiKeyId: owner.keyId, requestId: "r", model: "m", markup: 0 };
    await settle(database, {
      ...late,
      holdId,
      chargeMicro: 7,
      planningTokens: 0,
      outcome: "completed",
      now: october + 2,
    });
    expect(await listApiKeys(database, { ...owner, now: october })).toMatchObject([
      { spentThisMonthMicro: 7 },
    ]);
  });
});

describe("a token that ended", () => {
  const session = { now: october, newAccountId: "", creditMicro: 0, endsHash: null };
  const signIn = async (owner: Owner) => {
    const hash = crypto.randomUUID();
    const email = `${hash}@example.com`;
    const sessionId = `ses_${hash}`;
    const newAccountId = `acct_${hash}`;
    const made = {
      ...session,
      hash,
      email,
      sessionId,
      newAccountId,
      mailbox: email,
      expiresAt: october + 50,
    };
    await beginSessionByEmail(database, made);
    return { hash, tokenId: await newToken(owner, 1_000, october + 100, sessionId) };
  };

  it("reserves nothing from that moment on, and its key goes on: expired, forgotten, signed out, the session over", async () => {
    const owner = await newKey();
    const ended = { granted: false, limit: "token", availableMicro: 0 };
    const tokenId = await newToken(owner, 1_000, october + 1);
    expect(await hold(owner, 10, { tokenId })).toEqual({ granted: true });
    expect(await hold(owner, 10, { tokenId, now: october + 1 })).toEqual(ended);
    expect(await hold(owner, 10, { tokenId: "tok_forgotten" })).toEqual(ended);
    const [left, stayed] = [await signIn(owner), await signIn(owner)];
    expect(await hold(owner, 10, { tokenId: left.tokenId })).toEqual({ granted: true });
    await endSession(database, left.hash);
    expect(await hold(owner, 10, { tokenId: left.tokenId })).toEqual(ended);
    expect(await hold(owner, 10, { tokenId: stayed.tokenId, now: october + 49 })).toEqual({ granted: true });
    expect(await hold(owner, 10, { tokenId: stayed.tokenId, now: october + 50 })).toEqual(ended);
    expect(await hold(owner, 10)).toEqual({ granted: true });
  });
});

describe("the sums beside the ledger", () => {
  it("are the ledger's own, after random charges of random days, keys and models", async () => {
    const owner = await newKey();
    const other = { ...owner, keyId: `key_${crypto.randomUUID()}` };
    await addApiKey(database, { ...other, name: "other", hash: crypto.randomUUID(), now: 1 });
    const day = 86_400_000;
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        charge(index % 3 === 0 ? other : owner, (index * 37) % 211, {
          now: october + ((index * 7) % 45) * day + index,
          model: `svc-x1ac-base-m${index % 4}`,
          usage: {
            input: index,
            output: 2 * index,
            total: 3 * index,
            cachedInput: 0,
            cacheWrite: 0,
            reasoning: 0,
          },
        }),
      ),
    );
    const differences = prepare(
      build.all<Record<string, unknown>>(sql`
        WITH truth AS (
          SELECT date(created_at / 1000, 'unixepoch') AS day, api_key_id, model, count(*) AS requests,
            sum(input_tokens) AS prompt, sum(output_tokens) AS completion, sum(planning_tokens) AS planning,
            -sum(amount_micro) AS spent
          FROM ledger WHERE account_id = ${owner.accountId} AND kind = 'charge' GROUP BY 1, 2, 3),
        kept AS (SELECT day, api_key_id, model, requests, prompt_tokens, completion_tokens, planning_tokens, spent_micro
          FROM usage_days WHERE account_id = ${owner.accountId})
        SELECT * FROM (SELECT * FROM truth EXCEPT SELECT * FROM kept)
        UNION ALL SELECT * FROM (SELECT * FROM kept EXCEPT SELECT * FROM truth)`),
    );
    expect(await database.execute(differences)).toEqual([]);
    const keys = await listApiKeys(database, { accountId: owner.accountId, now: october });
    const used = keys.filter(({ lastUsedAt }) => lastUsedAt !== null).map(({ keyId }) => keyId);
    expect(used.sort()).toEqual([owner.keyId, other.keyId].sort());
  });
});
