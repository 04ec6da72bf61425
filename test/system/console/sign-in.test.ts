// Signing in to the console in Chromium against the whole service: by the code in the service's log, by the printed link.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page, Request } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { hello } from "../../support/gateway.ts";
import { root } from "../../support/service.ts";
import {
  closeAfterEach,
  expectFits,
  findAccessibilityFaults,
  openDetails,
  runToEnd,
  startScene,
  untilLoaded,
} from "./console-page.ts";

let page: Page;
/** All that this page asked for. */
let asked: Request[];
const { gateway, browser } = await startScene({ SIGN_UP_CREDITS: "2.5" });
beforeEach(() => gateway.provider.reset());
closeAfterEach(() => page);

async function open(path: string): Promise<void> {
  page = await browser.open(`${gateway.service.url}/docs`);
  await page.context().clearCookies();
  asked = [];
  page.on("request", (request) => asked.push(request));
  await page.goto(`${gateway.service.url}${path}`);
  await page.locator("#main > *").first().waitFor();
}

/** Without the fragment: the driver reports it, but the browser does not send it. */
const addressOf = (request: Request): string => request.url().split("#")[0]!;
const askedAt = (path: string) => asked.filter((request) => addressOf(request).endsWith(path));

/** The newest code for an address, as an operator reads it in the log. */
function readCode(email: string): string {
  const lines = gateway.service.stderr().split("\n").concat(gateway.service.stdout().split("\n"));
  const line = lines.findLast((text) => text.includes("sign_in_code") && text.includes(email));
  return /"code":"(\d{6})"/.exec(line ?? "")?.[1] ?? "none";
}
/** Waits for the code: the service's log comes through a pipe, which may be slower than the answer. */
const untilCode = (email: string) => expect.poll(() => readCode(email)).not.toBe("none");

async function enterAddress(email: string): Promise<void> {
  await page.getByLabel("E-mail address").fill(email);
  await page.getByRole("button", { name: "Send code" }).click();
  await page.getByLabel("Code", { exact: true }).waitFor();
  await untilCode(email);
}

async function enterCode(code: string): Promise<void> {
  await page.getByLabel("Code", { exact: true }).fill(code);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

async function newLink(): Promise<string> {
  const admin = (...words: string[]) =>
    promisify(execFile)("npm", ["run", "--silent", "admin", "--", ...words, "--json"], {
      cwd: root,
      env: gateway.service.env,
    });
  const list = JSON.parse((await admin("account", "list")).stdout);
  const demo = list.accounts.find(({ email }: { email: string }) => email === "demo@localhost");
  return JSON.parse((await admin("account", "sign-in-link", "--account", demo.account_id)).stdout).path;
}

const printedLink = () =>
  /http:\/\/127\.0\.0\.1:\d+(\/sign-in#svc_ln_\w+)/.exec(gateway.service.stdout())![1]!;

describe("by the link that npm start prints", () => {
  test("the demo account is signed in, and its playground streams with no key anywhere in the page", async () => {
    const link = printedLink();
    await open(link);
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await page.locator(".chip", { hasText: "demo@localhost" }).waitFor();
    expect(page.url()).toBe(`${gateway.service.url}/`);
    await runToEnd(page);
    const secret = link.split("#")[1]!;
    expect(asked.map(addressOf).filter((address) => address.includes("svc_"))).toEqual([]);
    const chats = await Promise.all(askedAt("/v1/chat/completions").map((request) => request.allHeaders()));
    expect(chats.map(({ authorization }) => authorization)).toEqual([
      expect.stringMatching(/^Bearer svc_tk_\w{55}$/),
    ]);
    expect(await page.evaluate(() => [document.cookie, localStorage.length, sessionStorage.length])).toEqual([
      "",
      expect.any(Number),
      0,
    ]);
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain("svc_");
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({
      name: "__Host-svc_session",
      httpOnly: true,
      secure: true,
      sameSite: "Strict",
    });
    await page.goBack().catch(() => null);
    expect(page.url()).not.toContain(secret);
    await open(link);
    expect(await page.getByRole("alert").innerText()).toMatch(/link is not right, too old, or was used/);
  });

  test("a second request shares the page's token, and a link works that is opened on the sign-in page itself", async () => {
    await open("/sign-in");
    await page.goto(`${gateway.service.url}${await newLink()}`);
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await page.getByLabel("Compare with an answer without the plan").press("Space");
    await runToEnd(page, 2);
    expect(askedAt("/v1/account/tokens")).toHaveLength(1);
  });

  test.each([
    ["/", "Run", ".answer-text"],
    ["/rollout", "Predict", ".outcome"],
    ["/embeddings", "Compare 6", ".map-words"],
  ])(
    "%s has no form before it knows whether there is a session: who is in one is not told to sign in",
    async (path, button, result) => {
      await open(await newLink());
      await page.getByRole("button", { name: "Sign out" }).waitFor();
      const looked = Promise.withResolvers<void>();
      await page.route("**/v1/account/session", async (route) => {
        await looked.promise;
        await route.continue();
      });
      await page.goto(`${gateway.service.url}${path}`);
      await page.locator("#main").getByText("Loading…").waitFor();
      expect(await page.locator("#main form").count()).toBe(0);
      looked.resolve();
      await page.getByRole("button", { name: button, exact: true }).dblclick();
      await page.locator(result).first().waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
    },
  );
});

describe("by a code", () => {
  test("who signs in comes back to the page that they left, with what they had typed", async () => {
    await open("/embeddings");
    await page.getByLabel("Texts").fill("one\ntwo");
    await page.getByRole("link", { name: "Sign in", exact: true }).click();
    // This link changes the fragment of the sign-in page's address, which must not count as the page that was left.
    await page.getByRole("link", { name: "Skip to content" }).press("Enter");
    await enterAddress("back.again@example.com");
    await enterCode(readCode("back.again@example.com"));
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toBe("/embeddings");
    expect(await page.getByLabel("Texts").inputValue()).toBe("one\ntwo");
    // Signing out leaves nothing for the next person at this browser.
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in", exact: true }).waitFor();
    expect(await page.getByLabel("Texts").inputValue()).toContain("Book a flight");
  });

  test("the page mentions pasting an API key only before somebody has signed in", async () => {
    await open("/sign-in");
    const hint = page.getByText("An API key does as well");
    await hint.waitFor();
    await enterAddress("no.key@example.com");
    await enterCode(readCode("no.key@example.com"));
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await page.goto(`${gateway.service.url}/sign-in`);
    await page.getByText("You are signed in").waitFor();
    expect(await hint.count()).toBe(0);
  });

  test("a new address is signed in to an account of its own, keeps it over a reload, and signs out", async () => {
    const email = "new.person@example.com";
    await open("/");
    await page.getByRole("link", { name: "Sign in", exact: true }).click();
    await page.getByText("a code of six digits is printed in its terminal or log").waitFor();
    await enterAddress(email);
    expect(await page.locator("form").innerText()).toContain(`shows a code for ${email}`);
    const code = readCode(email);
    await enterCode(code === "000000" ? "000001" : "000000");
    expect(await page.getByRole("alert").innerText()).toMatch(/code is not right/);
    await enterCode(code);
    await page.getByText("2.50 credits").waitFor();
    await page.reload();
    await page.getByText("2.50 credits").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in", exact: true }).waitFor();
    await page.reload();
    await page.getByLabel("API key", { exact: true }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
  });

  test("its owner makes a key, shown once, which works until it is revoked", async () => {
    const email = "keys@example.com";
    await open("/sign-in");
    await enterAddress(email);
    await enterCode(readCode(email));
    await page.getByText("2.50 credits").waitFor();
    await page.getByRole("link", { name: "Account" }).click();
    await page.getByRole("heading", { name: "API keys" }).waitFor();
    await untilLoaded(page);
    await openDetails(page);
    await page.getByLabel("Name", { exact: true }).fill("laptop");
    await page.getByRole("button", { name: "Create key" }).press("Enter");
    const key = await page.locator(".made-key").innerText();
    // When a second key is refused the first one, which may not be copied yet, stays in view.
    await page.getByLabel("Name", { exact: true }).fill("second");
    await page.getByLabel("Models").fill("no-such-model");
    await page.getByRole("button", { name: "Create key" }).press("Enter");
    await page.getByRole("alert").waitFor();
    expect(await page.locator(".made-key").innerText()).toBe(key);
    const chat = () =>
      fetch(`${gateway.baseUrl}/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(hello),
      });
    expect((await chat()).status).toBe(200);
    await page.reload();
    await page.getByRole("button", { name: "Revoke laptop" }).press("Enter");
    expect(await page.locator("#main").innerText()).not.toContain(key);
    await page.getByRole("button", { name: "Really revoke laptop?" }).press("Enter");
    await page.getByRole("button", { name: "Revoke laptop" }).waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("API keys");
    expect((await chat()).status).toBe(401);
  });
});

describe("the sign-in page", () => {
  test.each(["light", "dark"] as const)(
    "has nothing that axe finds wrong, at either step: %s",
    async (theme) => {
      await open("/sign-in");
      await page.emulateMedia({ colorScheme: theme });
      await page.getByLabel("E-mail address").waitFor();
      expect(await findAccessibilityFaults(page)).toEqual([]);
      await enterAddress(`${theme}@example.com`);
      expect(await findAccessibilityFaults(page)).toEqual([]);
    },
  );

  test("works by keyboard alone and fits a phone", async () => {
    const email = "somebody.with.a.long.name.that.no.phone.shows.in.one.line@phone.example.com";
    await open("/sign-in");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByLabel("E-mail address").focus();
    await page.keyboard.type(email);
    await page.keyboard.press("Enter");
    await page.getByLabel("Code", { exact: true }).waitFor();
    await untilCode(email);
    await page.keyboard.type(readCode(email));
    await expectFits(page);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await page.getByRole("link", { name: "Account" }).click();
    await page.getByRole("region", { name: "Balance" }).getByText(email).waitFor();
    await untilLoaded(page);
    await expectFits(page);
  });
});
