// The rollout and embeddings pages and the documents in Chromium, with the checkpoint of the repository.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { closeAfterEach, findAccessibilityFaults, openDetails, signIn, startScene } from "./console-page.ts";

let page: Page;
const { gateway, browser } = await startScene();
const { service } = gateway;
closeAfterEach(() => page);

test("a rollout planned toward a goal is a bar and a sentence for each step", async () => {
  page = await browser.open(`${service.url}/rollout`);
  await signIn(page, service.demoKey);
  await page.getByRole("button", { name: "Predict" }).click();
  await page.locator(".outcome").waitFor();
  const steps = await page.locator(".predictions > li").count();
  expect(steps).toBeGreaterThan(0);
  expect(await page.locator(".chart rect.bar").count()).toBe(steps);
  await page.evaluate(() => document.documentElement.setAttribute("data-theme", "light"));
  await page.emulateMedia({ forcedColors: "active", colorScheme: "dark" });
  const line = page.locator(".chart .line");
  expect(await line.evaluate((drawn) => getComputedStyle(drawn).stroke)).toBe("rgb(255, 255, 255)");
  await page.emulateMedia({ forcedColors: "none", colorScheme: "light" });
  expect(await findAccessibilityFaults(page)).toEqual([]);
});

test("a given sequence is put together by name among the 903, and predicted in its order", async () => {
  page = await browser.open(`${service.url}/rollout`);
  await signIn(page, service.demoKey);
  const field = page.getByRole("combobox", { name: "Add an action" });
  await page.getByPlaceholder("search 903 actions by name").waitFor();
  for (const name of ["search flight", "book flight"]) {
    await field.fill(name);
    await page.getByRole("listbox").getByRole("option").first().waitFor();
    await field.press("Enter");
  }
  await page.getByRole("button", { name: "Predict" }).click();
  await page.locator(".outcome").waitFor();
  expect(await page.locator(".predictions strong").allInnerTexts()).toEqual([
    "1. search flight",
    "2. book flight",
  ]);
  await page.getByRole("button", { name: "Remove search flight" }).click();
  expect(await page.getByRole("list", { name: "Given sequence" }).innerText()).toContain("1. book flight");
});

test.each([1280, 390])(
  "a rollout of one step at %d pixels: the chart's words are no larger than the page's",
  async (width) => {
    page = await browser.open(`${service.url}/rollout`, { width });
    await signIn(page, service.demoKey);
    await page.getByLabel("Steps").fill("1");
    await page.getByRole("button", { name: "Predict" }).click();
    const words = page.locator(".chart text.axis").first();
    await words.waitFor();
    const height = () => words.evaluate((text) => text.getBoundingClientRect().height);
    await expect.poll(height).toBeLessThan(18);
  },
);

test.each([1280, 390])("at %d pixels the map leaves its lines room to be read", async (width) => {
  page = await browser.open(`${service.url}/embeddings`, { width });
  await signIn(page, service.demoKey);
  const count = width === 390 ? 6 : 24;
  const line = (_: unknown, place: number) => `${place} where is the parcel that I sent on Friday`;
  await page.getByLabel("Texts").fill(Array.from({ length: count }, line).join("\n"));
  await page.getByRole("button", { name: `Compare ${count}` }).click();
  const text = page.locator(".map-text").first();
  await text.waitFor();
  const least = width === 390 ? 120 : 220;
  await expect.poll(() => text.evaluate((words) => words.clientWidth)).toBeGreaterThan(least);
});

test("what was typed is still there after a visit to another page, where people sign in", async () => {
  page = await browser.open(`${service.url}/rollout`);
  await page.getByLabel("Goal").fill("Order a taxi to the station");
  await page.getByRole("link", { name: "Embeddings" }).click();
  await page.getByLabel("Texts").fill("one\ntwo");
  await page.getByRole("link", { name: "Rollout" }).click();
  expect(await page.getByLabel("Goal").inputValue()).toBe("Order a taxi to the station");
  await page.getByRole("link", { name: "Embeddings" }).click();
  expect(await page.getByLabel("Texts").inputValue()).toBe("one\ntwo");
});

test("texts that mean the same are found to be most alike, on the map and in the table", async () => {
  page = await browser.open(`${service.url}/embeddings`);
  await signIn(page, service.demoKey);
  await page.getByRole("button", { name: "Compare 6" }).click();
  await page.locator(".map-words").waitFor();
  expect(await page.locator(".map-words").innerText()).toContain("Book a flight to Lisbon");
  expect(await page.locator(".map-cells .cell").count()).toBe(36);
  await openDetails(page);
  expect(await page.getByRole("row").count()).toBe(7);
  expect(await findAccessibilityFaults(page)).toEqual([]);
});

test("documents are found by their words, and each link of the page leads somewhere", async () => {
  page = await browser.open(`${service.url}/docs`);
  await page.getByLabel("Search the documents").fill("vault master key");
  await page.locator("#found a").first().waitFor();
  const links = await page.$$eval("a[href^='/']", (anchors) =>
    anchors.map((anchor) => (anchor as HTMLAnchorElement).href),
  );
  expect(links.length).toBeGreaterThan(10);
  const answers = await Promise.all(
    [...new Set(links)].map(async (link) => [link, (await fetch(link)).status] as const),
  );
  expect(answers.filter(([, status]) => status !== 200)).toEqual([]);
});
