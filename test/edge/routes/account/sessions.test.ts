// Sessions: how they end, and what they may do.
import { sql } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";
import { build, prepare } from "../../../../edge/db/client.ts";
import { createTestApp, newCaller } from "../../support/app.ts";
import { cookieName, makeLink, openBrowser, signedIn } from "../../support/browser.ts";
import { askedFor } from "../../support/sign-in-code.ts";

vi.setConfig({ testTimeout: 30_000 });
const day = 86_400_000;

describe("a session", () => {
  test("is a cookie of this host only, out of scripts' reach, over https and loopback only", async () => {
    const { browser, email, id, code } = await askedFor();
    const [cookie] = (await browser.signIn({ id, email, code })).headers.getSetCookie();
    const [pair, ...attributes] = cookie!.split("; ");
    expect(pair).toMatch(new RegExp(`^${cookieName}=svc_ss_[0-9A-Za-z]{49}$`));
    expect(attributes.sort()).toEqual(["HttpOnly", "Max-Age=1209600", "Path=/", "SameSite=Strict", "Secure"]);
  });

  test("ends after two weeks, and says so", async () => {
    const { browser, email, id, code, pass } = await askedFor();
    await browser.signIn({ id, email, code });
    pass(14 * day - 1);
    expect((await browser.ask("/v1/account/balance")).status).toBe(200);
    pass(1);
    const late = await browser.ask("/v1/account/usage");
    expect(late.status).toBe(401);
    expect(await late.json()).toMatchObject({
      error: { message: expect.stringContaining("session has ended") },
    });
    expect(browser.cookie()).toBe("");
    expect(await browser.session()).toMatchObject({ signed_in: false });
  });

  test("ends when its owner signs out, at once and for its tokens too", async () => {
    const app = createTestApp();
    const { accountId } = await newCaller(1_000_000);
    const browser = await signedIn(app, accountId);
    const cookie = browser.cookie();
    const made = await browser.post("/v1/account/tokens", { endpoints: ["chat"] });
    const { token } = (await made.json()) as { token: string };
    const hello = {
      model: "svc-x1ac-base-gpt-4o",
      messages: [{ role: "user", content: "hi" }],
      max_tokens: 5,
    };
    expect((await app.chat(token, hello)).status).toBe(200);
    expect((await browser.signOut()).status).toBe(200);
    expect((await openBrowser(app).ask("/v1/account/balance", { headers: { cookie } })).status).toBe(401);
    expect((await app.chat(token, hello)).status).toBe(401);
  });

  test("ends when the same browser signs in anew", async () => {
    const app = createTestApp();
    const { accountId } = await newCaller(0);
    const browser = await signedIn(app, accountId);
    const first = browser.cookie();
    await browser.signIn({ link: (await makeLink(app, accountId)).link });
    expect(browser.cookie()).not.toBe(first);
    expect((await openBrowser(app).ask("/v1/account/balance", { headers: { cookie: first } })).status).toBe(
      401,
    );
    expect((await browser.ask("/v1/account/balance")).status).toBe(200);
  });

  test("of an account that is suspended is refused like its keys", async () => {
    const app = createTestApp();
    const { accountId } = await newCaller(0);
    const browser = await signedIn(app, accountId);
    await app.database.execute(
      prepare(build.run(sql`UPDATE accounts SET suspended_at = 1 WHERE id = ${accountId}`)),
    );
    expect((await browser.ask("/v1/account/balance")).status).toBe(403);
    expect((await browser.post("/v1/account/api-keys", { name: "x" })).status).toBe(403);
  });

  test("manages keys, and is none of them: it takes no place among the three, nor in their list", async () => {
    const app = createTestApp();
    const browser = await signedIn(app);
    for (const name of ["one", "two", "three"]) {
      const made = await browser.post("/v1/account/api-keys", { name });
      expect(made.status).toBe(201);
      const { api_key: apiKey } = (await made.json()) as { api_key: string };
      expect((await app.send("/v1/models", { headers: { "x-api-key": apiKey } })).status).toBe(200);
    }
    expect((await browser.post("/v1/account/api-keys", { name: "four" })).status).toBe(409);
    const { data } = (await (await browser.ask("/v1/account/api-keys")).json()) as {
      data: { id: string; name: string }[];
    };
    expect(data.map(({ name }) => name)).toEqual(["one", "two", "three"]);
    const { account_id } = await browser.session();
    const seat = String(account_id).replace("acct_", "console_");
    expect((await browser.ask(`/v1/account/api-keys/${seat}`, { method: "DELETE" })).status).toBe(404);
  });

  test("is charged through its tokens, within their cap, and its usage is the account's", async () => {
    const app = createTestApp();
    const { accountId, charges } = await newCaller(1_000_000);
    const browser = await signedIn(app, accountId);
    const make = async (more: object) => {
      const made = await browser.post("/v1/account/tokens", { endpoints: ["chat"], ...more });
      return ((await made.json()) as { token: string }).token;
    };
    const hello = {
      model: "svc-x1ac-base-gpt-4o",
      messages: [{ role: "user", content: "hi" }],
      max_tokens: 5,
    };
    const answer = await app.chat(await make({}), hello);
    expect(answer.status).toBe(200);
    await answer.text();
    await answer.settled();
    expect(await charges()).toMatchObject([{ apiKeyId: accountId.replace("acct_", "console_") }]);
    expect((await app.chat(await make({ max_credits: 0.000001 }), hello)).status).toBe(402);
    const usage = await (await browser.ask("/v1/account/usage?group_by=key")).json();
    expect(usage).toMatchObject({ data: [{ requests: 1 }] });
  });

  test.each([
    [
      "POST",
      "/v1/chat/completions",
      { model: "svc-x1ac-base-gpt-4o", messages: [{ role: "user", content: "x" }] },
    ],
    ["POST", "/v1/messages", {}],
    ["POST", "/v1/responses", {}],
    ["POST", "/v1/embeddings", {}],
    ["POST", "/v1/rollout", {}],
  ])("spends nothing by itself: %s %s wants a key or a token", async (method, path, body) => {
    const app = createTestApp();
    const browser = await signedIn(app);
    expect((await browser.ask(path, { method, body })).status).toBe(401);
  });
});
