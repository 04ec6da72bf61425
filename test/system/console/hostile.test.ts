// Text from an LLM, a tool, an error or a name is shown as text: it never runs, and nothing leaves the page.
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  expectAnswers,
  expectFits,
  openDetails,
  runToEnd,
  signIn,
  startRun,
  startScene,
  waitForPhase,
} from "./console-page.ts";
import { hostileTexts } from "./hostile-texts.ts";

const { gateway, browser } = await startScene();
let page: Page;
/** Addresses outside the service that the page asked for. */
let outside: string[];
let dialogs: number;
beforeEach(async () => {
  gateway.provider.reset();
  const caller = await gateway.newCaller(100_000_000);
  page = await browser.open(gateway.service.url);
  outside = [];
  dialogs = 0;
  page.on("request", (request) => {
    if (!request.url().startsWith(gateway.service.url)) outside.push(request.url());
  });
  page.on("dialog", (dialog) => {
    dialogs += 1;
    void dialog.dismiss();
  });
  await signIn(page, caller.apiKey);
});
afterEach(async () => {
  const hacked = await page.evaluate(() => "hacked" in window);
  expect({ hacked, outside, dialogs, violations: await page.evaluate(() => window.violations) }).toEqual({
    hacked: false,
    outside: [],
    dialogs: 0,
    violations: [],
  });
  await page.close();
});

/** Elements that would be in a box of text only if the text had been read as markup. */
const markup = "script, img, a, iframe, object, embed, form, style, link, svg, b, video, audio, base, meta";

const wellFormed = hostileTexts.map((text) => text.toWellFormed());

test("sixty hostile outputs are sixty texts, in the answer and in the reasoning", async () => {
  expect(hostileTexts.length).toBeGreaterThanOrEqual(60);
  const text = wellFormed.join("\n");
  gateway.provider.respond("router", { text, reasoning: text });
  await runToEnd(page);
  await openDetails(page);
  for (const name of ["Answer", "Reasoning"]) {
    const box = page.getByRole("group", { name, exact: true });
    // Each line is a block; a line beyond the longest block goes on in the next.
    await expect.poll(() => box.textContent()).toBe(text.replaceAll("\n", ""));
    expect(await box.locator(markup).count()).toBe(0);
  }
});

test("names and arguments of tools, and what is typed as their results, are text", async () => {
  const toolCalls = wellFormed
    .slice(0, 60)
    .map((text, place) => ({ id: `call_${place}`, name: `tool_${place}`, arguments: { text } }));
  gateway.provider.respond("router", [{ toolCalls }, { text: "Done." }]);
  await runToEnd(page);
  expect(await page.locator(".calls li").count()).toBe(60);
  expect(await page.locator(`.calls :is(${markup})`).count()).toBe(0);
  const fields = await page.locator(".continue textarea").all();
  for (const [place, field] of fields.slice(0, 12).entries()) await field.fill(wellFormed[place]!);
  await page.getByRole("button", { name: "Send results" }).press("Enter");
  await waitForPhase(page, "done", 2);
  expect(await page.locator(`.results :is(${markup})`).count()).toBe(0);
});

test("an error that quotes markup is text", async () => {
  const message = wellFormed.slice(0, 40).join(" ");
  gateway.provider.respond("router", { status: 400, json: { error: { message } } });
  await startRun(page);
  await waitForPhase(page, "failed");
  const alert = page.getByRole("alert");
  expect(await alert.innerText()).toContain(wellFormed[0]);
  expect(await alert.locator(markup).count()).toBe(0);
});

test("a goal is shown as it was typed, and no wider than the page", async () => {
  const goal = wellFormed.join(" ");
  await page.getByLabel("Goal").fill(goal);
  await page.getByLabel("State").fill(goal);
  await runToEnd(page);
  // A text area makes every line break a line feed.
  const shown = goal.replaceAll(/\r\n?/g, "\n");
  expect(await page.locator(".said-by-user").textContent()).toBe(`You: ${shown}`);
  expect(await page.locator(`.said-by-user :is(${markup})`).count()).toBe(0);
  await expectFits(page);
});

test("a line of a megabyte is shown whole and the page stays usable", async () => {
  const text = "y".repeat(1_000_000);
  gateway.provider.respond("router", { text, usage: { input: 20, output: 50 } });
  await runToEnd(page);
  await expectAnswers(page, text);
  const startedAt = Date.now();
  await page.getByLabel("Reply").fill("still here");
  expect(Date.now() - startedAt).toBeLessThan(5_000);
});
