// In Chromium: parts of a page that load late move nothing, messages are on the screen of a phone, and Tab goes down the page.
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { closeAfterEach, expectOnScreen, runToEnd, signIn, startRun, startScene } from "./console-page.ts";

let page: Page;
const { gateway, browser } = await startScene();
const caller = await gateway.newCaller(10_000_000);
closeAfterEach(() => page);

const phone = { width: 360, height: 740 };
const open = async (path: string, options?: Parameters<typeof browser.open>[1]) => {
  page = await browser.open(gateway.service.url + path, options);
};
const keyField = () => page.getByLabel("API key", { exact: true });
const main = () => page.locator("#main");

/** Holds back answers to `paths`. @returns a function that lets them through and removes every route of the page */
async function hold(paths: string): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(paths, async (route) => {
    await promise;
    await route.continue();
  });
  return async () => {
    resolve();
    await page.unrouteAll({ behavior: "wait" });
  };
}

/** An element's distance from the top of the page, rounded: lines of text have heights of fractions of a pixel. */
const topOf = (of: Locator): Promise<number> =>
  of.evaluate((element) => Math.round(element.getBoundingClientRect().top + scrollY));

describe("what loads late moves nothing:", () => {
  test.each(["/", "/rollout", "/embeddings"])("%s: the form comes with the ways to sign in", async (path) => {
    await open("/docs");
    const answer = await hold("**/v1/account/session");
    await page.goto(gateway.service.url + path);
    await main().getByText("Loading…").waitFor();
    expect(await main().locator("form").count()).toBe(0);
    await answer();
    await keyField().waitFor();
    expect(await main().locator("form").count()).toBe(2);
  });

  test.each(["nothing was used", "a request"])("usage, with %s, moves nothing below it", async (used) => {
    const { apiKey, chat, untilSettled } = await gateway.newCaller(1_000_000);
    if (used === "a request") {
      await (
        await chat({ model: "svc-x1ac-base-gpt-4o-mini", messages: [{ role: "user", content: "Hi" }] })
      ).text();
      await untilSettled();
    }
    await open("/account");
    const answer = await hold("**/v1/account/usage*");
    await signInWaiting(apiKey);
    const below = page.getByRole("heading", { name: "Look up a request" });
    const field = page.locator("select").first();
    const before = [await topOf(below), await field.boundingBox()];
    await answer();
    await page
      .locator(".usage")
      .getByText(/credits for 1 request|Nothing was used/)
      .waitFor();
    expect([await topOf(below), await field.boundingBox()]).toEqual(before);
  });

  test("the prices of the model, above Run", async () => {
    await open("/");
    const answer = await hold("**/v1/models/*");
    await signInWaiting(caller.apiKey);
    const runButton = page.getByRole("button", { name: "Run", exact: true });
    await page.getByText("The list of models").waitFor({ state: "detached" });
    const before = await topOf(runButton);
    await answer();
    await page.getByText("Credits per 1M tokens").waitFor();
    expect(await topOf(runButton)).toBe(before);
  });

  test("the credits, on a tablet: the header keeps its height", async () => {
    await open("/", { width: 768, height: 900 });
    await keyField().waitFor();
    const height = () => page.locator("header").evaluate((header) => header.clientHeight);
    const before = await height();
    await signIn(page, (await gateway.newCaller(1)).apiKey);
    await page.getByText("0.000001 credits").waitFor();
    expect(await height()).toBe(before);
  });
});

/** Signs in as signIn does, but does not wait for the parts that a test holds back. */
async function signInWaiting(apiKey: string): Promise<void> {
  await keyField().fill(apiKey);
  await keyField().press("Enter");
  await page.locator(".chip-credits").waitFor();
}

test("the navigation is the same on every page: its links stay where they are", async () => {
  await open("/");
  const links = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
  const places = () => links.evaluateAll((all) => all.map((link) => link.getBoundingClientRect().left));
  const before = await places();
  await links.filter({ hasText: "Embeddings" }).click();
  await page.getByRole("heading", { name: "Embeddings" }).waitFor();
  expect(await places()).toEqual(before);
});

test("while the scripts are on their way the page has its frame and says that it is loading", async () => {
  await open("/docs", phone);
  const scripts = await hold("**/console/main-*.js");
  await page.goto(gateway.service.url, { waitUntil: "commit" });
  await main().getByText("Loading…").waitFor();
  const first = page.getByRole("navigation", { name: "Pages" }).getByRole("link").first();
  const before = await first.boundingBox();
  await scripts();
  await keyField().waitFor();
  expect(await page.getByRole("banner").count()).toBe(1);
  await expect.poll(() => first.boundingBox()).toEqual(before);
});

describe("on a phone", () => {
  test("the reason why a key is refused is on the screen, and the focus is in the key's field", async () => {
    await open("/", phone);
    await keyField().fill("svc_sk_live_wrong");
    await keyField().press("Enter");
    const refusal = page.getByRole("alert");
    await refusal.waitFor();
    await expectOnScreen(refusal);
    await expectOnScreen(keyField());
    await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toBe("key-field");
  });

  test.each([
    ["/rollout", "Predict", ".outcome"],
    ["/embeddings", /Compare/, ".map-lines"],
  ])("%s: the result is on the screen", async (path, button, result) => {
    await open(path, { width: 360, height: 500 });
    await signIn(page, caller.apiKey);
    await page.getByRole("button", { name: button }).press("Enter");
    await expectOnScreen(page.locator(result));
  });

  test("Tab goes down the page, from the recorded plan to what is below it", async () => {
    await open("/", phone);
    await keyField().waitFor();
    await page.getByRole("link", { name: "How to read a plan" }).focus();
    const bottoms: number[] = [];
    const last = page.getByRole("button", { name: "Python" });
    const isLast = () => last.evaluate((button) => button === document.activeElement);
    for (let more = true; more && bottoms.length < 40; more = !(await isLast())) {
      if (bottoms.length > 0) await page.keyboard.press("Tab");
      bottoms.push(
        await page.evaluate(() => document.activeElement!.getBoundingClientRect().bottom + scrollY),
      );
    }
    expect(await isLast()).toBe(true);
    // Elements side by side may differ by some pixels.
    expect(bottoms.filter((bottom, place) => bottom < (bottoms[place - 1] ?? 0) - 4)).toEqual([]);
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.querySelector("main :focus"))).toBeNull();
  });
});

test("the focus is not lost with the button that forgets the key", async () => {
  await open("/");
  await signIn(page, caller.apiKey);
  await page.getByRole("button", { name: "Forget key" }).press("Enter");
  await keyField().waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("main");
});

test("Ctrl+Enter sends a form of the world model once, however often it is pressed meanwhile", async () => {
  await open("/rollout");
  await signIn(page, caller.apiKey);
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/v1/rollout")) asked += 1;
  });
  const answer = await hold("**/v1/rollout");
  // Playwright tells nothing of a request that the browser sends while its route is taken away.
  const held = page.waitForRequest("**/v1/rollout");
  await page.getByLabel("Goal").press("Control+Enter");
  await held;
  await page.getByRole("button", { name: "Predicting…" }).waitFor();
  for (let times = 0; times < 2; times += 1) await page.keyboard.press("Control+Enter");
  await answer();
  await page.locator(".outcome").waitFor();
  expect(asked).toBe(1);
});

describe("the plan", () => {
  test("over many tools shows the chosen one first, then what comes later, and counts those that are left out", async () => {
    await open("/");
    await signIn(page, caller.apiKey);
    const others = Array.from({ length: 30 }, (_, place) => ({ name: `archive_folder_${place}` }));
    const flights = { name: "search_flights", description: "Search flights by destination and month" };
    const booking = { name: "book_flight", description: "Book a flight" };
    await page.locator("summary", { hasText: "Tools" }).press("Enter");
    await page.getByLabel("Tools as JSON").fill(JSON.stringify([...others, booking, flights]));
    await runToEnd(page);
    const names = await page.locator(".tool-choice li").allInnerTexts();
    expect(names[0]).toContain("search_flights");
    expect(names[1]).toBe("book_flight");
    expect(names).toHaveLength(13);
    expect(names.at(-1)).toBe("and 20 more");
  });

  test("that is followed over several LLM calls says how many there were", async () => {
    await open("/");
    await signIn(page, caller.apiKey);
    await page.getByRole("button", { name: "Tidy the kitchen" }).click();
    await page.locator("summary", { hasText: "Parameters" }).press("Enter");
    await page.getByLabel("LLM calls").fill("2");
    await runToEnd(page);
    await expect.poll(() => page.locator(".foot dl").innerText()).toMatch(/LLM calls\s+2/);
  });
});

test("a page that cannot reach the service says what to check", async () => {
  await open("/");
  await signIn(page, caller.apiKey);
  await page.context().setOffline(true);
  await startRun(page);
  // Read before the browser is online again: the page may then load what it could not.
  await page
    .getByRole("alert")
    .getByText("Check your connection")
    .waitFor()
    .finally(() => page.context().setOffline(false));
});
