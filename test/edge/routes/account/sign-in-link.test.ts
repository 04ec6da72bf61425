import { describe, expect, test, vi } from "vitest";
import { createTestApp, newCaller } from "../../support/app.ts";
import { makeLink, openBrowser } from "../../support/browser.ts";
import { minute } from "../../support/sign-in-code.ts";

vi.setConfig({ testTimeout: 30_000 });

describe("a one-time link", () => {
  test("signs its account in, once", async () => {
    const app = createTestApp();
    const { accountId } = await newCaller(1_000_000);
    const { link } = await makeLink(app, accountId);
    const statuses = await Promise.all(
      Array.from({ length: 5 }, async () => (await openBrowser(app).signIn({ link })).status),
    );
    expect(statuses.sort()).toEqual([200, 401, 401, 401, 401]);
  });

  test("opened once more leaves its session as it is", async () => {
    const app = createTestApp();
    const { accountId } = await newCaller(1_000_000);
    const { link } = await makeLink(app, accountId);
    const browser = openBrowser(app);
    expect((await browser.signIn({ link })).status).toBe(200);
    expect((await browser.signIn({ link })).status).toBe(401);
    expect(await browser.session()).toMatchObject({ signed_in: true });
  });

  test("is refused when it has expired, is unknown or is something else", async () => {
    let now = Date.now();
    const app = createTestApp({ now: () => now });
    const { accountId, apiKey } = await newCaller(0);
    const { link } = await makeLink(app, accountId, minute, now);
    now += minute;
    const unknown = link.slice(0, -6) + link.slice(-6).split("").reverse().join("");
    for (const tried of [link, unknown, apiKey, "", "svc_ln_"])
      expect((await openBrowser(app).signIn({ link: tried })).status).toBe(401);
  });

  test("is for an account that is there", async () => {
    expect(await makeLink(createTestApp(), "acct_nobody")).toMatchObject({ added: false });
  });
});
