// What a person sees in Chromium when the service fails, is cut off, or is slow.
import type { Locator, Page, Route } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { readAccount, setOperator } from "../../../edge/db/accounts.ts";
import {
  closeAfterEach,
  findAccessibilityFaults,
  runToEnd,
  signIn,
  signInByLink,
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
const broken = fail(
  500,
  '{"error":{"message":"Something went wrong on our side; retry.","type":"api_error"}}',
);

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
