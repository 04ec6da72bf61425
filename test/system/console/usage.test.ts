// Usage on the account page, in Chromium against the whole service.
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { closeAfterEach, openDetails, runToEnd, signIn, startScene } from "./console-page.ts";

let page: Page;
const { gateway, browser } = await startScene();
beforeEach(() => gateway.provider.reset());
closeAfterEach(() => page);

describe("usage", () => {
  test("is a chart and a table by day, model and key, and a CSV file", async () => {
    const caller = await gateway.newCaller(10_000_000);
    page = await browser.open(gateway.service.url);
    await signIn(page, caller.apiKey);
    gateway.provider.respond("router", { usage: { input: 100, output: 40, costUsd: 0.002 } });
    await runToEnd(page);
    await caller.untilSettled();
    await page.getByRole("link", { name: "Account" }).click();
    const table = page.getByRole("region", { name: "Usage as a table" });
    const sum = page.getByText("credits for 1 request");
    await sum.waitFor();
    await openDetails(page);
    await table.waitFor();
    expect(await sum.innerText()).toMatch(/^0\.00\d+ credits for 1 request, 100 tokens in, 40 out$/);
    const today = new Date().toISOString().slice(0, 10);
    expect(await table.getByRole("row").last().innerText()).toContain(today);
    const chart = page.getByRole("img", { name: /Credits a day/ });
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => chart.evaluate((drawn) => drawn.getBoundingClientRect().right)).toBeLessThan(390);
    await page.setViewportSize({ width: 1280, height: 900 });
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download CSV" }).click(),
    ]);
    const csv = await readFile(await download.path(), "utf8");
    // By the byte order mark in front Excel knows that it is UTF-8.
    expect(csv.split("\r\n")[0]).toBe(
      "\uFEFFday,requests,prompt_tokens,completion_tokens,planning_tokens,credits",
    );
    expect(csv).toMatch(new RegExp(`^${today},1,`, "m"));
    await page.getByRole("combobox", { name: "By" }).selectOption("model");
    await page.getByRole("list", { name: "Credits" }).waitFor();
    expect(await table.getByRole("rowheader").allInnerTexts()).toEqual(["svc-x1ac-base-gpt-4o-mini"]);
  });

  test("of ten thousand models is a table of those that cost most, not a page that stands still", async () => {
    page = await browser.open(gateway.service.url);
    await page.route("**/v1/account/usage?*", (route) => {
      const row = { requests: 1, prompt_tokens: 2, completion_tokens: 3, planning_tokens: 4 };
      const data = Array.from({ length: 10_000 }, (_, index) => ({
        ...row,
        group: `m${index}`,
        credits: index,
      }));
      const body = { from: "2026-11-01", to: "2026-11-02", group_by: "model", data };
      return route.fulfill({ json: body });
    });
    await signIn(page, gateway.service.demoKey);
    await page.getByRole("link", { name: "Account" }).click();
    await page.getByText("of 10,000: the CSV file has all").waitFor();
    const names = await page
      .getByRole("region", { name: "Usage as a table" })
      .getByRole("rowheader")
      .allInnerTexts();
    expect([names.length, names[0], names.at(-1)]).toEqual([100, "m9999", "m9900"]);
  });

  test("is a sentence if nothing was used", async () => {
    const caller = await gateway.newCaller(1_000_000);
    page = await browser.open(`${gateway.service.url}/account`);
    await signIn(page, caller.apiKey);
    await page.getByText("Nothing was used in these days").waitFor();
  });
});
