import { describe, expect, test } from "vitest";
import { reserve } from "../../../edge/billing/hold.ts";
import { noteProgress, releaseExpired } from "../../../edge/billing/sweep.ts";
import { DatabaseError } from "../../../edge/db/connection.ts";
import { admit, deleteExpiredHits, hitKeptMs } from "../../../edge/db/rate-hits.ts";
import { openTestDatabase } from "../support/accounts.ts";
import { createTestApp, newCaller, type TestAppOptions } from "../support/app.ts";

const token = "operators-token-0123456789";
const bearer = (value: string) => ({ authorization: `Bearer ${value}` });

async function scrape({
  metricsToken,
  headers = {},
  url = "http://127.0.0.1/metrics",
  cf,
  database = openTestDatabase(),
}: {
  metricsToken?: string;
  database?: TestAppOptions["database"];
  headers?: Record<string, string>;
  url?: string;
  cf?: object;
}) {
  const { app } = createTestApp({ database, ...(metricsToken !== undefined && { metricsToken }) });
  const request = new Request(url, { headers });
  if (cf !== undefined) Object.defineProperty(request, "cf", { value: cf });
  const waitUntil = () => {};
  const response = await app.fetch(request, {}, {
    waitUntil,
    passThroughOnException: waitUntil,
    props: {},
  } as never);
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
}

describe("GET /metrics without METRICS_TOKEN", () => {
  test.each(["http://127.0.0.1:8787/metrics", "http://localhost/metrics", "http://[::1]:1/metrics"])(
    "is for who asks this machine: %s",
    async (url) => {
      const { status, type, text } = await scrape({ url });
      expect([status, type]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
      expect(text).toContain('svc_edge_info{git_sha="abc"} 1');
    },
  );

  test.each([
    ["under another name", { url: "http://rebound.example/metrics" }],
    ["through a proxy", { headers: { via: "1.1 proxy" } }],
    ["from a page in the operator's browser", { headers: { origin: "https://evil.example" } }],
    ["by a browser at all", { headers: { "sec-fetch-site": "none" } }],
    ["on Cloudflare", { cf: { colo: "FRA" }, url: "https://127.0.0.1/metrics" }],
  ])("is not there for who asks %s", async (_name, asked) => {
    const { status, text } = await scrape(asked);
    expect([status, JSON.parse(text).error.code]).toEqual([404, "not_found"]);
  });
});

describe("GET /metrics with METRICS_TOKEN", () => {
  test("is for who has it, from anywhere", async () => {
    const { status } = await scrape({
      metricsToken: token,
      url: "https://svc.example/metrics",
      headers: bearer(token),
    });
    expect(status).toBe(200);
  });

  test.each([
    ["none", {}],
    ["another", bearer("operators-token-0123456788")],
    ["half of it", bearer(token.slice(0, 12))],
    ["it in another scheme", { authorization: `Basic ${token}` }],
  ])("is not for who has %s, on this machine either", async (_name, headers) => {
    const { status, text } = await scrape({
      metricsToken: token,
      headers: headers as Record<string, string>,
    });
    expect([status, JSON.parse(text).error.code]).toEqual([401, "invalid_api_key"]);
    expect(text).not.toContain(token);
  });

  test("is not there on Cloudflare, with it or without", async () => {
    const cf = { colo: "FRA" };
    expect((await scrape({ metricsToken: token, headers: bearer(token), cf })).status).toBe(404);
  });
});

describe("how late the sweep is", () => {
  const database = openTestDatabase();
  const readLate = async () =>
    Object.fromEntries(
      [...(await scrape({})).text.matchAll(/^svc_edge_sweep_late_seconds\{rows="(\w+)"\} (\S+)$/gm)].map(
        ([, rows, seconds]) => [rows, Number(seconds)],
      ),
    );
  const yearSeconds = 31_536_000;

  test("is told by its oldest row of each kind, a hold's by its last word, and is nothing once it ran", async () => {
    // Files of one worker share a database, so others may have left holds.
    const sweepHolds = () => releaseExpired(database, { now: Date.now() + 3_600_000 });
    await sweepHolds();
    const { accountId, keyId: apiKeyId } = await newCaller(100);
    const hold = { accountId, apiKeyId, amountMicro: 1, holdId: crypto.randomUUID() };
    await reserve(database, { ...hold, now: 1 });
    await admit(database, { bucket: hold.holdId, limit: 1, now: 1 });
    const late = await readLate();
    expect(Object.keys(late)).toEqual(["holds", "answers", "hits", "tokens", "sessions", "codes"]);
    expect(late).toMatchObject({ holds: expect.closeTo(Date.now() / 1000 - 900, -2) });
    expect(late.hits).toBeGreaterThan(50 * yearSeconds);
    const words = { requestId: "r", model: "m", executionLlm: "l", keySource: "pool", markup: 0.25 } as const;
    await noteProgress(database, { ...hold, ...words, chargeMicro: 0, now: Date.now() });
    expect((await readLate()).holds).toBeLessThan(50 * yearSeconds);
    await sweepHolds();
    await deleteExpiredHits(database, Date.now() - hitKeptMs);
    expect(await readLate()).toMatchObject({ holds: 0, hits: 0 });
  });

  test.each<[string, () => Promise<never>]>([
    ["is away", () => Promise.reject(new DatabaseError("UNREACHABLE", true, "away"))],
    ["hangs", () => new Promise(() => {})],
  ])(
    "is not told while the database %s, and the other figures are, within two seconds",
    async (_, execute) => {
      const begunAt = Date.now();
      const { status, text } = await scrape({ database: { ...database, execute } });
      expect(status).toBe(200);
      expect(text).toContain("svc_edge_info");
      expect(text).not.toContain("svc_edge_sweep_late_seconds{");
      expect(Date.now() - begunAt).toBeLessThan(2_000);
    },
  );
});
