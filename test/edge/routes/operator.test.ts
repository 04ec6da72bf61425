// The operator's endpoints in workerd: who is admitted, and what they change.
import { createExecutionContext } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";
import { setOperator } from "../../../edge/db/accounts.ts";
import { sumMetric } from "../../../edge/gpu-workers/inspect-worker.ts";
import { createTestApp, newCaller } from "../support/app.ts";
import { openBrowser, signedIn } from "../support/browser.ts";

vi.setConfig({ testTimeout: 30_000 });

async function openOperator() {
  const app = createTestApp();
  const { accountId, apiKey } = await newCaller(1_000_000, { manage: true });
  await setOperator(app.database, accountId, true);
  return { app, accountId, apiKey, browser: await signedIn(app, accountId) };
}

const endpoints = [
  ["GET", "/v1/operator/accounts", undefined],
  ["PATCH", "/v1/operator/accounts/acct_x", { suspended: true }],
  ["POST", "/v1/operator/accounts/acct_x/credits", { amount: 1 }],
  ["GET", "/v1/operator/books", undefined],
  ["GET", "/v1/operator/errors", undefined],
  ["GET", "/v1/operator/workers", undefined],
] as const;

describe("the operator's endpoints", () => {
  test.each(endpoints)("let in an operator's session only: %s %s", async (method, path, body) => {
    const { app, accountId, apiKey, browser } = await openOperator();
    const ask = (headers: Record<string, string>, from = openBrowser(app)) =>
      from.ask(path, { method, body, headers });
    expect((await ask({})).status).toBe(401);
    expect((await ask({ authorization: `Bearer ${apiKey}` })).status).toBe(401);
    expect((await ask({}, await signedIn(app))).status).toBe(403);
    expect((await ask({ origin: "https://evil.example" }, browser)).status).toBe(403);
    expect([200, 404]).toContain((await ask({}, browser)).status);
    await setOperator(app.database, accountId, false);
    expect((await ask({}, browser)).status).toBe(403);
  });

  test("find an account by a part of its address and by its id, whatever is a wildcard elsewhere", async () => {
    const { app, browser } = await openOperator();
    const { account_id: id, email } = await (await signedIn(app)).session();
    const found = async (search: string) => {
      const response = await browser.ask(`/v1/operator/accounts?${new URLSearchParams({ search })}`);
      return ((await response.json()) as { data: { account_id: string }[] }).data;
    };
    expect(await found(String(id))).toMatchObject([{ account_id: id, email, balance: 0, operator: false }]);
    expect(await found(String(email).slice(2, 30).toUpperCase())).toMatchObject([{ account_id: id }]);
    expect(await found("%@%_")).toEqual([]);
  });

  test("suspend an account at once and let it in again, but never the operator's own", async () => {
    const { app, accountId, browser } = await openOperator();
    const other = await newCaller(1_000_000);
    const change = (id: string, suspended: boolean) =>
      browser.ask(`/v1/operator/accounts/${id}`, { method: "PATCH", body: { suspended } });
    const asOther = () => app.send("/v1/models", { headers: { authorization: `Bearer ${other.apiKey}` } });
    expect(await (await change(other.accountId, true)).json()).toMatchObject({
      suspended_at: expect.any(String),
    });
    expect((await asOther()).status).toBe(403);
    expect(await (await change(other.accountId, false)).json()).toMatchObject({ suspended_at: null });
    expect((await asOther()).status).toBe(200);
    expect((await change(accountId, true)).status).toBe(400);
  });

  test("add credit through the ledger, which names who did", async () => {
    const { app, accountId, browser } = await openOperator();
    const other = await newCaller(1_000_000);
    const credit = (amount: unknown) =>
      browser.post(`/v1/operator/accounts/${other.accountId}/credits`, { amount });
    expect(await (await credit(2.5)).json()).toMatchObject({ balance: 3.5, available: 3.5 });
    for (const amount of [0, -1, "1", 0.0000001, 1e-10, null])
      expect((await credit(amount)).status).toBe(400);
    expect(await other.account()).toMatchObject({ balanceMicro: 3_500_000 });
    const line = app.logs.findLast(({ changed_account_id: id }) => id === other.accountId);
    expect(line).toMatchObject({ account_id: accountId });
  });

  test("refuse credit that would pass what a balance can hold, and add none of it", async () => {
    const { browser } = await openOperator();
    const almostAll = Number.MAX_SAFE_INTEGER - 999_999;
    const other = await newCaller(almostAll);
    const answer = await browser.post(`/v1/operator/accounts/${other.accountId}/credits`, { amount: 1 });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("more credit than an account can hold");
    expect(await other.account()).toMatchObject({ balanceMicro: almostAll });
  });

  test("credit a payment once, whose reference is no request of the account", async () => {
    const { app, browser } = await openOperator();
    const other = await newCaller(1_000_000);
    const credit = (body: object) => browser.post(`/v1/operator/accounts/${other.accountId}/credits`, body);
    const payment = { amount: 2, reference: "invoice-7" };
    for (const _time of [1, 2]) expect(await (await credit(payment)).json()).toMatchObject({ balance: 3 });
    expect((await credit({ ...payment, amount: 5 })).status).toBe(400);
    for (const reference of ["", "x".repeat(129), 7])
      expect((await credit({ amount: 2, reference })).status).toBe(400);
    expect(await other.account()).toMatchObject({ balanceMicro: 3_000_000 });
    const headers = { authorization: `Bearer ${other.apiKey}` };
    expect((await app.send("/v1/generation?id=invoice-7", { headers })).status).toBe(404);
  });

  test("show margins, of as many days as are asked for", async () => {
    const { browser } = await openOperator();
    expect(await (await browser.ask("/v1/operator/books?days=1")).json()).toMatchObject({
      ok: expect.any(Boolean),
      days: expect.any(Array),
    });
    for (const days of ["0", "367", "x"])
      expect((await browser.ask(`/v1/operator/books?days=${days}`)).status).toBe(400);
  });

  test("count what failed by kind, the most first, and say where it is a glimpse of one isolate", async () => {
    const { app, accountId, browser } = await openOperator();
    const read = async (response: Response) => (await response.json()) as Record<string, unknown>;
    const before = await read(await browser.ask("/v1/operator/errors"));
    expect(before).toMatchObject({ since: "1970-01-01T00:00:00.000Z", whole: true, data: [] });
    for (const path of ["/nothing", "/nowhere", "/v1/models"]) await app.send(path);
    expect(await read(await browser.ask("/v1/operator/errors"))).toMatchObject({
      requests: Number(before.requests) + 4,
      data: [
        { code: "not_found", status: 404, count: 2 },
        { code: "missing_api_key", status: 401, count: 1 },
      ],
    });
    const again = await signedIn(app, accountId);
    const onWorkers = new Request("https://127.0.0.1/v1/operator/errors", {
      headers: { cookie: again.cookie() },
      cf: { colo: "FRA" },
    } as RequestInit);
    const glimpse = await app.app.fetch(onWorkers, {}, createExecutionContext());
    expect(await read(glimpse)).toMatchObject({ whole: false });
  });
});

test("a figure is the sum of its metric's lines, of one label where one is asked for", () => {
  const text =
    '# HELP a\na{size="base",task="plan"} 3\na{size="large",task="plan"} 4\na{task="embed"} 5\nab{task="plan"} 9\nc 7\n';
  expect([sumMetric(text, "a"), sumMetric(text, "a", 'task="plan"'), sumMetric(text, "c")]).toEqual([
    12, 7, 7,
  ]);
  expect(sumMetric(text, "missing")).toBe(0);
});
