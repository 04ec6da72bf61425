import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { addApiKey } from "../../../../edge/db/api-keys.ts";
import { build, prepare } from "../../../../edge/db/client.ts";
import { maxUsageRows } from "../../../../edge/db/usage.ts";
import { createTestApp, newCaller, openaiStream, openaiUsage } from "../../support/app.ts";

const path = "/v1/account/usage";
const hello = { messages: [{ role: "user", content: "find me a flight to Oslo" }], max_tokens: 50 };
const [gpt, mini] = ["svc-x1ac-base-gpt-4o", "svc-x1ac-base-gpt-4o-mini"];

type Usage = { from: string; to: string; group_by: string; data: Record<string, number | string>[] };

async function start() {
  let now = Date.UTC(2026, 10, 20, 23, 59, 59, 999);
  const app = createTestApp({
    now: () => now,
    provider: [() => openaiStream(["Hello"], openaiUsage(12, 2))],
  });
  const caller = await newCaller(1_000_000);
  const read = async (query: string) => {
    const response = await app.send(`${path}${query}`, {
      headers: { authorization: `Bearer ${caller.apiKey}` },
    });
    return { status: response.status, body: await response.json<Usage>() };
  };
  const chat = async (model: string, key = caller.apiKey) => {
    const response = await app.chat(key, { ...hello, model });
    await response.text();
    await response.settled();
    return Number(response.headers.get("x-svc-credits-charged"));
  };
  return { app, caller, read, chat, tick: (ms: number) => (now += ms) };
}

const round = (credits: number) => Number(credits.toFixed(6));

describe("an account's usage", () => {
  test("is what its requests used and cost, by day in UTC, by model, by key", async () => {
    const { app, caller, read, chat, tick } = await start();
    const first = await chat(gpt);
    tick(1);
    const second = await chat(gpt);
    const third = await chat(mini);
    const other = await newCaller(0);
    const key = { keyId: `key_${crypto.randomUUID()}`, hash: crypto.randomUUID(), name: "2", now: 1 };
    await addApiKey(app.database, { ...key, accountId: caller.accountId });
    await chat(gpt, other.apiKey);

    const row = (group: string, requests: number, credits: number) => ({
      group,
      requests,
      prompt_tokens: 12 * requests,
      completion_tokens: 2 * requests,
      planning_tokens: 20 * requests,
      credits: round(credits),
    });
    expect((await read("")).body).toEqual({
      object: "list",
      from: "2026-10-23",
      to: "2026-11-21",
      group_by: "day",
      data: [row("2026-11-20", 1, first), row("2026-11-21", 2, second + third)],
    });
    expect((await read("?group_by=model&from=2026-11-20")).body.data).toEqual([
      row(gpt, 2, first + second),
      row(mini, 1, third),
    ]);
    expect((await read("?group_by=model&from=2026-11-21&to=2026-11-21")).body.data).toEqual([
      row(gpt, 1, second),
      row(mini, 1, third),
    ]);
    expect((await read("?group_by=key")).body.data).toEqual([row(caller.keyId, 3, first + second + third)]);
    const charged = (await caller.charges()).reduce((sum, { amountMicro }) => sum - amountMicro, 0);
    expect(Math.round((first + second + third) * 1_000_000)).toBe(charged);
  });

  test("is nothing where nothing was used", async () => {
    const { read } = await start();
    expect((await read("?from=2020-01-01&to=2020-01-02")).body).toMatchObject({ group_by: "day", data: [] });
  });

  test.each([
    "?from=2026-02-30",
    "?from=yesterday",
    "?from=2026-11-02&to=2026-11-01",
    "?from=2020-01-01&to=2026-01-01",
    "?group_by=hour",
    "?groupby=day",
  ])("refuses %s", async (query) => {
    const { read } = await start();
    expect(await read(query)).toMatchObject({
      status: 400,
      body: { error: { type: "invalid_request_error", code: "invalid_request" } },
    });
  });

  test.each(["yesterday", "2026-11-21T12:00:00Z"])("says how a day is written, to %s", async (day) => {
    const { read } = await start();
    expect((await read(`?from=${day}`)).body).toMatchObject({
      error: { message: expect.stringContaining("from: must be a day such as 2026-11-30") },
    });
  });

  test("says that a name it does not know stands in the query: there is no body", async () => {
    const { read } = await start();
    expect((await read("?form=2026-11-01")).body).toMatchObject({
      error: { message: 'Change this and send it again: query: Unrecognized key: "form"' },
    });
  });
});

test("is read as far as twenty thousand sums, and refused beyond", async () => {
  const { app, caller, read } = await start();
  const fill = (count: number, day: string) =>
    app.database.execute(
      prepare(
        build.run(sql`
          WITH RECURSIVE at (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM at WHERE n < ${count})
          INSERT INTO usage_days SELECT ${caller.accountId}, ${day}, ${caller.keyId}, 'm' || n, 1, 2, 3, 4, 5 FROM at`),
      ),
    );
  await fill(maxUsageRows, "2026-11-19");
  const query = "?from=2026-11-19&to=2026-11-20";
  const { status, body } = await read(query);
  expect([status, body.data[0]]).toMatchObject([200, { group: "2026-11-19", requests: maxUsageRows }]);
  await fill(1, "2026-11-20");
  for (const groupBy of ["day", "model", "key"]) {
    const refused = await read(`${query}&group_by=${groupBy}`);
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
  }
  expect((await read("?from=2026-11-20&to=2026-11-20")).body.data).toMatchObject([{ requests: 1 }]);
});

test("usage is told for a leap year's days, and not for one more", async () => {
  const { apiKey } = await newCaller(0);
  const { send } = createTestApp();
  const read = async (from: string, to: string) =>
    (await send(`${path}?from=${from}&to=${to}`, { headers: { "x-api-key": apiKey } })).status;
  expect(await read("2024-01-01", "2024-12-31")).toBe(200);
  expect(await read("2024-01-01", "2025-01-01")).toBe(400);
});
