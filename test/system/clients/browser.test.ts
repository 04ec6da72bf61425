// A page's own `fetch` on another origin, reading server-sent events: in Debian's chromium where the machine
// has it; else from Node with the browser's rules applied by hand, and the names of the tests say so.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Caller, type Gateway, payers, startGateway } from "../../support/gateway.ts";
import type { Loopback } from "../../support/loopback.ts";
import { readSseData } from "../../support/read-sse-data.ts";
import { type Browser, findChromium, servePages, startChromium } from "./chromium.ts";
import { fetchByHand, fetchInPage, type PageAnswer, type PageRequest } from "./page-fetch.ts";

const executable = findChromium();
const model = payers.find(({ name }) => name === "pool")!.model;
const words = Array.from({ length: 12 }, (_, index) => `word${index} 世界`).join(" ");

let gateway: Gateway;
let account: Caller;
/** Serves the only origin that the service allows in this test. */
let pages: Loopback;
let browser: Browser | undefined;
beforeAll(async () => {
  pages = await servePages();
  gateway = await startGateway({ CORS_ORIGINS: pages.url });
  account = await gateway.newCaller(10_000_000);
  browser = executable === undefined ? undefined : await startChromium(executable);
});
beforeEach(() => gateway.provider.reset());
afterAll(async () => {
  await browser?.stop();
  await gateway?.stop();
  await pages?.stop();
});

async function ask(fields: Partial<PageRequest> = {}, from = pages.url): Promise<PageAnswer> {
  const request = {
    url: `${gateway.baseUrl}/chat/completions`,
    apiKey: account.apiKey,
    body: { model, stream: true, messages: [{ role: "user", content: "Hi" }] },
    leaveAt: "",
    ...fields,
  };
  if (browser === undefined) return fetchByHand(from, request);
  const page = await browser.open(from);
  try {
    return await page.evaluate(fetchInPage, request);
  } finally {
    await page.close();
  }
}

type Chunk = { choices: { delta: { content?: string } }[]; svc?: { action_sequence: string[] } };

describe(executable ? "a page in Chromium" : "a page's fetch by hand, for want of a Chromium", () => {
  test("reads a stream: the plan first, the words one by one, [DONE]", async () => {
    gateway.provider.respond("router", { text: words });
    const answer = await ask();
    expect(answer.status).toBe(200);
    expect(answer.requestId).toMatch(/\S/);
    const events = readSseData(answer.text);
    expect(events.at(-1)).toBe("[DONE]");
    const chunks = events.slice(0, -1).map((data) => JSON.parse(data) as Chunk);
    expect(chunks[0]?.svc?.action_sequence.length).toBeGreaterThan(0);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe(words);
  });

  test("may read an error's body and its request id", async () => {
    const answer = await ask({ apiKey: "svc_sk_live_wrong" });
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.text).error.code).toBe("invalid_api_key");
    expect(answer.requestId).toMatch(/\S/);
  });

  test("reads words while the rest is not yet written, and ends the provider's call when it leaves", async () => {
    gateway.provider.respond("router", { text: words, hangAfter: 6 });
    expect((await ask({ leaveAt: "word1" })).text).toContain("word1");
    await gateway.provider.waitFor(({ closedEarly }) => closedEarly);
    await account.untilSettled();
  });

  test("on an origin that is not allowed gets nothing, and no provider is called", async () => {
    expect(await ask({}, pages.url.replace("127.0.0.1", "localhost"))).toMatchObject({ status: 0, text: "" });
    expect(gateway.provider.chats()).toEqual([]);
  });
});
