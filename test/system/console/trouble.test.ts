// What a person sees in Chromium when a session ends or the browser stands in the way.
import type { Locator, Page, Route } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import {
  closeAfterEach,
  expectOnScreen,
  findAccessibilityFaults,
  openDetails,
  runToEnd,
  signIn,
  signInByLink,
  startRun,
  startScene,
  untilLoaded,
} from "./console-page.ts";

let page: Page;
const { gateway, browser } = await startScene();
beforeEach(async () => {
  page = await browser.open(`${gateway.service.url}/sign-in`);
  await page.context().clearCookies();
  await page.reload();
});
closeAfterEach(() => page);

/** In a new account if none is given. @returns the account's id */
const beginSession = async (accountId?: string): Promise<string> =>
  signInByLink(page, gateway.database, accountId ?? (await gateway.newCaller(1_000_000)).accountId);

const main = () => page.locator("#main");
const header = () => page.locator("header");
/** Presses a button by key: what is still being loaded may move it away from a pointer. */
const press = (within: Locator | Page, name: string) => within.getByRole("button", { name }).press("Enter");
const fail = (status: number, body: string) => (route: Route) =>
  route.fulfill({ status, body, contentType: "application/json" });

describe("a session that has ended", () => {
  test("is said on the account page and where something is run, in words for people; the conversation stays for who signs in again", async () => {
    const accountId = await beginSession();
    await runToEnd(page);
    await page.context().clearCookies();
    await page.getByRole("link", { name: "Account" }).click();
    await main().getByText("Your session has ended. Sign in again.").waitFor();
    expect(await main().innerText()).not.toMatch(/Authorization|x-api-key/);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.getByRole("link", { name: "Playground" }).click();
    await page.getByLabel("Reply").fill("And back?");
    await press(page, "Send");
    await page.getByRole("alert").getByText("Sign in or paste an API key first.").waitFor();
    await header().getByRole("link", { name: "Sign in" }).click();
    await main().getByRole("heading", { name: "Sign in" }).waitFor();
    await beginSession(accountId);
    await page.getByRole("group", { name: "Answer" }).waitFor();
  });

  test("is said in the playground, even if the page still has a token of that session", async () => {
    await beginSession();
    // The page reads the balance after an answer. Read after the session's end, that alone would sign the page out before the run.
    const told = page.waitForResponse("**/v1/account/balance");
    await runToEnd(page);
    await told;
    await page.evaluate(() => fetch("/v1/account/session", { method: "DELETE" }));
    await startRun(page);
    await page.locator("[data-phase=failed]").waitFor();
    const alerts = await page.getByRole("alert").allInnerTexts();
    expect(new Set(alerts)).toEqual(new Set(["Your session has ended. Sign in again."]));
    await header().getByRole("link", { name: "Sign in" }).waitFor();
  });

  test("is not assumed after a 401 for another reason", async () => {
    await beginSession();
    await page.route(
      "**/v1/chat/completions",
      fail(401, '{"error":{"message":"Your stored key was refused."}}'),
    );
    await startRun(page);
    await page.getByText("Your stored key was refused.").waitFor();
    await header().getByRole("button", { name: "Sign out" }).waitFor();
  });
});

test("another tab that signs in to another account, or out, is followed: no tab shows one account and acts on another", async () => {
  const first = await beginSession();
  const other = page;
  await other.goto(`${gateway.service.url}/account`);
  await other.getByText(first).waitFor();
  page = await browser.open(`${gateway.service.url}/sign-in`);
  const second = await beginSession();
  await other.getByText(second).waitFor();
  await untilLoaded(other);
  await openDetails(other);
  await other.getByLabel("Name", { exact: true }).fill("of the second");
  await page.getByRole("button", { name: "Sign out" }).click();
  await other.getByText("Sign in or paste an API key to see an account").waitFor();
  await other.close();
  // Signing out loads the page anew.
  await header().getByRole("link", { name: "Sign in" }).waitFor();
});

describe("a conversation", () => {
  const answer = (of: Page) => of.getByRole("group", { name: "Answer" });

  test("is gone from every tab of a session that is signed out, and stays in one with a key of its own", async () => {
    const { apiKey } = await gateway.newCaller(1_000_000);
    const [withKey, other] = [await browser.open(gateway.service.url), page];
    await signIn(withKey, apiKey);
    await beginSession();
    for (const tab of [withKey, other]) await runToEnd(tab);
    page = await browser.open(`${gateway.service.url}/account`);
    await page.getByRole("button", { name: "Sign out" }).click();
    await other.getByText("A recorded example").waitFor();
    expect(await answer(other).count()).toBe(0);
    expect(await answer(withKey).count()).toBe(1);
    await Promise.all([withKey.close(), other.close()]);
  });

  test("is gone, too, from a tab that noticed the end of the session before it was signed out", async () => {
    await beginSession();
    const other = page;
    await runToEnd(other);
    // Once it shows the balance, this page asks nothing more of the account. A refusal would end the session here as well.
    page = await browser.open(`${gateway.service.url}/rollout`);
    await header().getByText("credits").waitFor();
    await page.context().clearCookies();
    await other.getByRole("link", { name: "Account" }).click();
    await other.locator("#main").getByText("Your session has ended. Sign in again.").waitFor();
    // The page says the same before and after it is loaded anew, so the test waits for the event.
    const loadedAnew = other.waitForEvent("load");
    await page.getByRole("button", { name: "Sign out" }).click();
    await loadedAnew;
    await other.getByRole("link", { name: "Playground" }).click();
    await other.getByText("A recorded example").waitFor();
    expect(await answer(other).count()).toBe(0);
    await other.close();
  });

  test("is gone when somebody else signs in after the session has ended", async () => {
    await beginSession();
    await runToEnd(page);
    await page.context().clearCookies();
    await page.getByRole("link", { name: "Account" }).click();
    await main().getByText("Your session has ended. Sign in again.").waitFor();
    await header().getByRole("link", { name: "Sign in" }).click();
    await main().getByRole("heading", { name: "Sign in" }).waitFor();
    await beginSession();
    await page.getByText("A recorded example").waitFor();
    expect(await answer(page).count()).toBe(0);
  });
});

test("a text that cannot be a key is called that, not a service that cannot be reached", async () => {
  await page.goto(gateway.service.url);
  const field = page.getByLabel("API key", { exact: true });
  for (const odd of ["svc_sk_live_MfNr…", "svc_sk_live_a b"]) {
    await field.fill(odd);
    await field.press("Enter");
    await page.getByRole("alert").getByText("This is no API key").waitFor();
  }
  await signIn(page, ` ${(await gateway.newCaller(1)).apiKey}\n`);
});

test("a browser without a clipboard, as each is over http, says so", async () => {
  await page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  await page.goto(gateway.service.url);
  // Awaited from before the press: the words are shown for two seconds.
  const said = page.getByRole("button", { name: "The browser did not allow it" }).waitFor();
  await press(page, "curl");
  await said;
});

test("a connection that is cut in the middle of an answer is said to be cut", async () => {
  await beginSession();
  await page.evaluate(() => {
    const ask = window.fetch;
    window.fetch = async (...call) => {
      const { body, headers } = await ask(...call);
      if (!String(call[0]).endsWith("/v1/chat/completions")) return new Response(body, { headers });
      const reader = body!.getReader();
      let chunks = 0;
      const cut = async (to: ReadableStreamDefaultController<Uint8Array>) => {
        if (chunks++ < 2) to.enqueue((await reader.read()).value!);
        else to.error(new TypeError("network error"));
      };
      return new Response(new ReadableStream({ pull: cut }), { headers });
    };
  });
  await startRun(page);
  await page.locator("[data-phase=failed]").waitFor();
  expect(await page.getByRole("alert").innerText()).toBe(
    "The connection was cut before the answer was complete. What was produced until then is charged.",
  );
});

test("a browser that may store nothing, in which Firefox has no channel between tabs either, takes a key", async () => {
  await page.addInitScript(() => {
    window.BroadcastChannel = class {
      constructor() {
        throw new DOMException("The operation is insecure.", "SecurityError");
      }
    } as never;
  });
  await page.goto(gateway.service.url);
  await signIn(page, (await gateway.newCaller(1_000_000)).apiKey);
  await page.getByRole("button", { name: "Forget key" }).click();
  await page.goto(`${gateway.service.url}/sign-in`);
  await beginSession();
  await page.getByRole("button", { name: "Sign out" }).click();
  await header().getByRole("link", { name: "Sign in" }).waitFor();
});

test.each([
  ["/", "Run"],
  ["/rollout", "Predict"],
  ["/embeddings", "Compare 6"],
])(
  "%s without credits: the refusal is on a phone's screen, and leads to the account",
  async (path, button) => {
    const caller = await gateway.newCaller(1);
    page = await browser.open(gateway.service.url + path, { width: 390, height: 844 });
    await signIn(page, caller.apiKey);
    if (path === "/") await page.getByText("Credits per 1M tokens").waitFor();
    await press(page, button);
    const refusal = page.getByRole("alert");
    await refusal.getByText("Not enough credits").waitFor();
    await expectOnScreen(refusal);
    await refusal.getByRole("link").press("Enter");
    await page.getByRole("heading", { name: "Provider keys" }).waitFor();
  },
);

test("a code that cannot be one is not sent: five tries are all there are", async () => {
  await page.getByLabel("E-mail address").fill("new@example.com");
  await page.getByRole("button", { name: "Send code" }).click();
  const field = page.getByLabel("Code", { exact: true });
  await field.fill("12");
  let sent = 0;
  page.on("request", () => {
    sent += 1;
  });
  await field.press("Enter");
  expect(await field.evaluate((input: HTMLInputElement) => input.validity.patternMismatch)).toBe(true);
  await field.fill(" 123 456 ");
  expect(await field.evaluate((input: HTMLInputElement) => input.validity.valid)).toBe(true);
  expect(sent).toBe(0);
});
