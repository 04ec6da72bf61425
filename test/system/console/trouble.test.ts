// What a person sees in Chromium when things go wrong around the page: a session that ends, a service that fails or is slow.
import type { Locator, Page, Route } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { createSignInSecret, hashApiKey } from "../../../edge/api-key.ts";
import { readAccount, setOperator } from "../../../edge/db/accounts.ts";
import { addSignInLink } from "../../../edge/db/sessions.ts";
import {
  closeAfterEach,
  expectOnScreen,
  findAccessibilityFaults,
  openDetails,
  runToEnd,
  signIn,
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

/** Begins a session by a one-time link, in a new account if none is given. @returns the account's id */
async function beginSession(accountId?: string): Promise<string> {
  const id = accountId ?? (await gateway.newCaller(1_000_000)).accountId;
  const link = createSignInSecret("link", crypto.getRandomValues(new Uint8Array(32)));
  const now = Date.now();
  await addSignInLink(gateway.database, {
    hash: await hashApiKey(link),
    accountId: id,
    now,
    expiresAt: now + 60_000,
  });
  await page.evaluate((hash) => {
    location.hash = hash;
  }, link);
  await page.locator(".chip-credits").waitFor();
  return id;
}

const main = () => page.locator("#main");
const header = () => page.locator("header");
/** Presses a button by key: what is still being loaded may move it away from a pointer. */
const press = (within: Locator | Page, name: string) => within.getByRole("button", { name }).press("Enter");
const fail = (status: number, body: string) => (route: Route) =>
  route.fulfill({ status, body, contentType: "application/json" });
const broken = fail(
  500,
  '{"error":{"message":"Something went wrong on our side; retry.","type":"api_error"}}',
);

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

test("a page that could not be loaded is loaded by a button, or when the browser is online again, and what was said stays", async () => {
  await beginSession();
  await runToEnd(page);
  await page.waitForLoadState("networkidle");
  const say = () => main().getByText("This page could not be loaded").waitFor();
  const focusedId = () => page.evaluate(() => document.activeElement?.id);

  await page.route("**/console/rollout-page-*.js", (route) => route.abort());
  await page.getByRole("link", { name: "Rollout" }).click();
  await say();
  expect(await findAccessibilityFaults(page)).toEqual([]);
  await main().getByRole("button", { name: "Try again" }).press("Enter");
  await say();
  await page.unrouteAll({ behavior: "wait" });
  await main().getByRole("button", { name: "Try again" }).press("Enter");
  await page.getByRole("button", { name: "Predict" }).waitFor();
  expect(await focusedId()).toBe("main");

  await page.context().setOffline(true);
  try {
    await page.getByRole("link", { name: "Embeddings" }).click();
    await say();
  } finally {
    await page.context().setOffline(false);
  }
  await page.getByRole("button", { name: "Compare" }).waitFor();
  expect(await focusedId()).toBe("main");
  await page.getByRole("link", { name: "Playground" }).click();
  await page.getByRole("group", { name: "Answer" }).waitFor();
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

describe("a service that fails", () => {
  test("is asked again by a button, and who is signed in stays so", async () => {
    await beginSession();
    for (const path of ["balance", "usage*", "api-keys"]) await page.route(`**/v1/account/${path}`, broken);
    await page.goto(`${gateway.service.url}/account`);
    await main().getByText("Something went wrong on our side").waitFor();
    expect(await main().getByLabel("API key", { exact: true }).count()).toBe(0);
    await header().getByRole("button", { name: "Sign out" }).waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.unroute("**/v1/account/balance");
    await press(main(), "Try again");
    await page.getByRole("heading", { name: "Usage" }).waitFor();
    await main().getByRole("button", { name: "Try again" }).nth(1).waitFor();
    await page.unroute("**/v1/account/usage*");
    await page.unroute("**/v1/account/api-keys");
    const keys = main().locator("section", { has: page.getByRole("heading", { name: "API keys" }) });
    await press(keys, "Try again");
    await keys.getByText("New API key").first().waitFor();
  });

  test("or cannot be reached is said on the sign-in page, which asks it again by a button", async () => {
    await page.route("**/v1/account/session", (route) => route.abort());
    await page.reload();
    await main().getByText("The service could not be reached").waitFor();
    await page.unroute("**/v1/account/session");
    await press(main(), "Try again");
    await page.getByLabel("E-mail address").waitFor();
  });

  test("to sign somebody out says that they are still signed in", async () => {
    await beginSession();
    await page.route("**/v1/account/session", broken);
    await page.getByRole("button", { name: "Sign out" }).click();
    await header().getByRole("alert").getByText("Still signed in").waitFor();
    await page.unroute("**/v1/account/session");
    await page.getByRole("button", { name: "Sign out" }).click();
    await header().getByRole("link", { name: "Sign in" }).waitFor();
  });

  test("to list its models still takes a name that is written, and lists them when the field is opened again", async () => {
    const caller = await gateway.newCaller(1_000_000);
    await page.route("**/v1/models", broken);
    await page.goto(gateway.service.url);
    await signIn(page, caller.apiKey);
    const field = page.getByRole("combobox", { name: "Model" });
    await page.getByText("a name can be written").waitFor();
    await field.fill("svc-x1ac-base-gpt-4o");
    await page.getByLabel("Goal").focus();
    expect(await field.inputValue()).toBe("svc-x1ac-base-gpt-4o");
    await runToEnd(page);
    await page.unroute("**/v1/models");
    await field.click();
    await field.fill("claude");
    await page.getByRole("listbox").getByRole("option").first().waitFor();
  });

  test("or cannot be reached is not taken for a lack of rights on the operator's page, nor for an API without a reference", async () => {
    await page.route("**/v1/account/session", broken);
    await page.goto(`${gateway.service.url}/operator`);
    await main().getByText("Something went wrong on our side").waitFor();
    expect(await main().innerText()).not.toContain("for operators");
    await page.unroute("**/v1/account/session");
    await press(main(), "Try again");
    await main().getByText("This page is for operators").waitFor();
    await page.route("**/openapi.json", (route) => route.abort());
    await page.goto(`${gateway.service.url}/docs/api`);
    await page.getByText("The reference could not be loaded").waitFor();
  });

  test("to answer when credits are added has added them once, although the operator sends the sum again", async () => {
    const id = await beginSession();
    await setOperator(gateway.database, id, true);
    await page.goto(`${gateway.service.url}/operator`);
    const row = page.getByRole("row", { name: id });
    const add = async () => {
      await press(row, "Add credits for");
      await press(row, "Add 2.00?");
    };
    const readBalance = async () => (await readAccount(gateway.database, id))?.balanceMicro;
    await row.getByRole("spinbutton").fill("2");
    await page.route("**/v1/operator/accounts?*", (route) => route.abort());
    await page.route("**/credits", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await add();
    await page.getByRole("alert").getByText("The service could not be reached").waitFor();
    expect(await readBalance()).toBe(3_000_000);
    await page.unrouteAll({ behavior: "wait" });
    await add();
    await page.getByText("got 2.00 credits.").waitFor();
    expect(await readBalance()).toBe(3_000_000);
    // Another sum is another payment.
    await row.getByRole("spinbutton").fill("2");
    await add();
    await row.getByText("5.00").first().waitFor();
  });

  test("to send the documents' index is said by the search, which asks again at the next letter", async () => {
    await page.route("**/console/docs-index.json", (route) => route.abort());
    await page.goto(`${gateway.service.url}/docs`);
    const field = page.getByLabel("Search the documents");
    await field.fill("vault");
    await page.getByText("The search could not be loaded").waitFor();
    await page.unroute("**/console/docs-index.json");
    await field.fill("vault key");
    await page.locator("#found a").first().waitFor();
  });

  test("behind a proxy that answers with a page of its own is said to fail, with the status", async () => {
    const caller = await gateway.newCaller(1_000_000);
    await page.goto(`${gateway.service.url}/rollout`);
    await signIn(page, caller.apiKey);
    await page.route("**/v1/rollout", fail(502, "<html>Bad gateway</html>"));
    await press(page, "Predict");
    await page.getByRole("alert").getByText("The service answered 502").waitFor();
  });
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

describe("a slow network", () => {
  test("shows a request's facts under its own id only: a second look-up is not sent before the first is answered", async () => {
    await beginSession();
    await page.goto(`${gateway.service.url}/account`);
    const looked: (string | null)[] = [];
    const answered = Promise.withResolvers<void>();
    await page.route("**/v1/generation*", async (route) => {
      looked.push(new URL(route.request().url()).searchParams.get("id"));
      await answered.promise;
      await route.continue();
    });
    const field = page.getByLabel("Id of the answer or the request");
    await field.fill("req_one");
    await field.press("Enter");
    await page.getByRole("button", { name: "Looking up…" }).waitFor();
    await field.fill("req_two");
    await field.press("Enter");
    answered.resolve();
    await page.getByRole("button", { name: "Look up", exact: true }).waitFor();
    await main().getByRole("alert").waitFor();
    expect(looked).toEqual(["req_one"]);
    await page.unrouteAll({ behavior: "wait" });
  });

  test("shows that something is under way, on each part of the account page", async () => {
    await beginSession();
    const [known, shown] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route("**/v1/account/**", async (route) => {
      await (/\/(session|balance)$/.test(route.request().url()) ? known : shown).promise;
      await route.continue();
    });
    await page.goto(`${gateway.service.url}/account`);
    await main().getByText("Loading…").first().waitFor();
    // Nobody knows yet: a person who is signed in is not asked to sign in.
    expect(await page.getByRole("link", { name: /^Sign in/ }).count()).toBe(0);
    expect(await main().getByLabel("API key", { exact: true }).count()).toBe(0);
    known.resolve();
    await page.getByRole("heading", { name: "API keys" }).waitFor();
    await expect.poll(() => main().getByText("Loading…").count()).toBe(4);
    shown.resolve();
    await untilLoaded(page);
    await page.unrouteAll({ behavior: "wait" });
  });

  test("shows that a newer answer is under way, also over an older one", async () => {
    await beginSession();
    await page.goto(`${gateway.service.url}/account`);
    await main().getByText("Nothing was used in these days").waitFor();
    await page.waitForLoadState("networkidle");
    const answered = Promise.withResolvers<void>();
    await page.route("**/v1/account/usage*", async (route) => {
      await answered.promise;
      await route.continue();
    });
    await main().locator("select").first().selectOption("model");
    await main().getByText("Loading…").waitFor();
    // It comes after 0.4 s of waiting, so it is opaque at once: the animation of a first load would hide it for 0.4 s more.
    expect(
      await main()
        .getByText("Loading…")
        .evaluate((said) => getComputedStyle(said).opacity),
    ).toBe("1");
    await main().getByText("Nothing was used in these days").waitFor();
    answered.resolve();
    await main().getByText("Loading…").waitFor({ state: "detached" });
    await page.unrouteAll({ behavior: "wait" });
  });
});

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
