// A conversation in the playground, in Chromium against the whole service, with the fake provider as the LLM.
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import {
  closeAfterEach,
  expectAnswers,
  findAccessibilityFaults,
  type OpenOptions,
  runToEnd,
  signIn,
  startRun,
  startScene,
  waitForPhase,
} from "./console-page.ts";

let page: Page;
const { gateway, browser } = await startScene();
const caller = await gateway.newCaller(10_000_000);
beforeEach(() => gateway.provider.reset());
closeAfterEach(() => page);

/** Presses a button by key, as startRun does. */
const press = (name: string) => page.getByRole("button", { name, exact: true }).press("Enter");

/** Waits for the model's prices, the last to be loaded after signing in. They stand above Run and would move it. */
const untilPriced = () => page.getByText("Credits per 1M tokens").waitFor();
const { chats } = gateway.provider;
const lastMessages = () =>
  (chats().at(-1)!.body as { messages: { role: string; content: unknown }[] }).messages;

async function open(options?: OpenOptions): Promise<void> {
  page = await browser.open(gateway.service.url, options);
}
async function openSignedIn(options?: OpenOptions): Promise<void> {
  await open(options);
  await signIn(page, caller.apiKey);
}

describe("a conversation", () => {
  test("a first step that is marked as a guess does not look sure, and why comes before the steps", async () => {
    await openSignedIn({ width: 375, height: 740 });
    const svc = {
      action_sequence: ["greet_user"],
      confidence_labels: ["High"],
      predicted_state_changes: [39],
      overall_confidence: 0.98,
      brain_signal: { action_type: "greet_user", confidence: 0.98, abstention: "unsure" },
    };
    const chunks = [
      { choices: [{ delta: { role: "assistant", content: "" } }], svc },
      { choices: [{ delta: { content: "Hello" } }] },
    ];
    const body = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"];
    await page.route("**/v1/chat/completions", (route) =>
      route.fulfill({
        headers: { "content-type": "text/event-stream", "x-request-id": "req_0" },
        body: body.map((data) => `data: ${data}\n\n`).join(""),
      }),
    );
    await page.getByLabel("Goal").fill("hi");
    await runToEnd(page);
    expect(await page.locator(".confidence-low").innerText()).toMatch(/^High.* 98%, doubted$/s);
    const words = await page.locator(".plan").innerText();
    const places = ["Unsure of the first step", "two readers disagree", "greet user"].map((one) =>
      words.indexOf(one),
    );
    expect(places.toSorted((a, b) => a - b)).toEqual(places);
    expect(places).not.toContain(-1);
    // On a phone the footer's row has two lines: both begin at the left.
    const leftOf = async (name: string) =>
      (await page.locator(".foot").getByText(name).boundingBox())?.x ?? 0;
    expect(await leftOf("Look up request")).toBeLessThan((await leftOf("Copy answer")) + 2);
    // The dot of a plan that came with the last word is drawn in full.
    expect(await page.locator(".timeline").evaluate((line) => getComputedStyle(line).overflow)).toBe(
      "visible",
    );
    expect(await findAccessibilityFaults(page)).toEqual([]);
  });

  test("has a timeline also if the plan comes after the first word, as it may when it is kept from the LLM", async () => {
    await openSignedIn();
    await page.route("**/v1/chat/completions", async (route) => {
      const late = { svc: { action_sequence: ["search_flights"] }, choices: [] };
      const chunks = [{ choices: [{ delta: { content: "One" } }] }, late].map((chunk) =>
        JSON.stringify(chunk),
      );
      const body = [...chunks, "[DONE]"].map((data) => `data: ${data}\n\n`).join("");
      await route.fulfill({ contentType: "text/event-stream", body });
    });
    // All chunks come at once here: each look at this clock moves it on by 10 ms.
    await page.evaluate(() => {
      let now = 0;
      performance.now = () => {
        now += 10;
        return now;
      };
    });
    await runToEnd(page);
    const widths = await page
      .locator(".timeline rect")
      .evaluateAll((parts) => parts.map((part) => Number.parseFloat(part.getAttribute("width")!)));
    expect(Math.min(...widths)).toBeGreaterThanOrEqual(0);
    expect(widths.reduce((sum, width) => sum + width, 0)).toBeCloseTo(100, 5);
  });

  test("with and without the plan, side by side: only one LLM is told", async () => {
    await openSignedIn();
    await page.getByLabel("Compare with an answer").press("Space");
    await runToEnd(page, 2);
    const told = chats().map(({ body }) => JSON.stringify(body).includes("[svc plan]"));
    expect(told.sort()).toEqual([false, true]);
    expect(await page.locator('.conversation[data-plan="on"] .plan').count()).toBe(1);
    expect(await page.locator('.conversation[data-plan="off"]').innerText()).toContain("kept from the LLM");
  });

  test("goes on over tool results typed by hand, and over a reply", async () => {
    const call = { name: "search_flights", arguments: { destination: "Lisbon" } };
    gateway.provider.respond("router", [
      { toolCalls: [call] },
      { text: "TAP at 89 euros." },
      { text: "Booked." },
    ]);
    await openSignedIn();
    await runToEnd(page);
    expect(await page.locator(".calls").innerText()).toContain('{"destination":"Lisbon"}');
    await page.getByLabel("Result of search_flights").fill("TAP 89 EUR");
    await press("Send result");
    await waitForPhase(page, "done", 2);
    expect(
      lastMessages().some(
        ({ role, content }) => role === "tool" && JSON.stringify(content).includes("TAP 89 EUR"),
      ),
    ).toBe(true);
    await page.getByLabel("Reply").fill("Book it");
    await page.getByLabel("Reply").press("Control+Enter");
    await waitForPhase(page, "done", 3);
    const roles = lastMessages().map(({ role }) => role);
    expect(roles).toEqual(["system", "user", "assistant", "tool", "assistant", "user"]);
    await expectAnswers(page, "TAP at 89 euros.", "Booked.");
  });

  test("stops within a second, provider and all, and can be tried again", async () => {
    gateway.provider.respond("router", [
      { text: "One two three four five", frameDelayMs: 50, hangAfter: 4 },
      { text: "Now whole." },
    ]);
    await openSignedIn();
    await startRun(page);
    await page.getByRole("group", { name: "Answer" }).waitFor();
    // Counted from the press itself: a driver on a busy machine takes its time to get there.
    const stoppedAt = await page.getByRole("button", { name: "Stop" }).evaluate((stop: HTMLElement) => {
      const now = Date.now();
      stop.click();
      return now;
    });
    await waitForPhase(page, "stopped");
    const sent = await gateway.provider.waitFor(({ closedEarly }) => closedEarly);
    expect(sent.closedAtMs! - stoppedAt).toBeLessThan(1_000);
    await press("Try again");
    await waitForPhase(page, "done");
    await expectAnswers(page, "Now whole.");
  });

  test("that failed is tried again with the model so far or, if the form has another by now, with that", async () => {
    const other = "svc-x1ac-base-gpt-4o";
    gateway.provider.respond("router", [{ status: 400 }, { status: 400 }, { text: "Whole." }]);
    await openSignedIn();
    await page.getByRole("button", { name: "No tool needed" }).click();
    await startRun(page);
    await waitForPhase(page, "failed");
    expect(await page.getByRole("button", { name: /^Try again/ }).allInnerTexts()).toEqual(["Try again"]);
    await untilPriced();
    await page.getByRole("combobox", { name: "Model" }).fill(other);
    await page.keyboard.press("Tab");
    await press("Try again");
    await press(`Try again with ${other}`);
    await waitForPhase(page, "done");
    const asked = chats().map(({ body }) => (body as { model: string }).model);
    expect(asked).toEqual(["openai/gpt-4o-mini", "openai/gpt-4o-mini", "openai/gpt-4o"]);
    expect(lastMessages()).toHaveLength(1);
  });

  test("has long messages and arguments in boxes that the keyboard reaches, and short ones in none", async () => {
    const path = "lib/".repeat(600);
    gateway.provider.respond("router", { toolCalls: [{ name: "read_file", arguments: { path } }] });
    await openSignedIn({ width: 390, height: 844 });
    await page.getByLabel("Goal").fill("Find it, 你好, مرحبا.\n".repeat(60));
    await runToEnd(page);
    for (const name of ["Your message", "Arguments of read_file"])
      expect(await page.getByRole("group", { name }).getAttribute("tabindex")).toBe("0");
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "No tool needed" }).click();
    gateway.provider.respond("router", { text: "Shakespeare." });
    await runToEnd(page);
    // `runToEnd` may have found the answer before this one, which was done, too.
    await expect.poll(() => page.locator(".said-by-user").getAttribute("tabindex")).toBeNull();
  });

  test("goes on with another message in place of one that was stopped", async () => {
    gateway.provider.respond("router", [
      { text: "First." },
      { text: "One two three", hangAfter: 1 },
      { text: "Whole." },
    ]);
    await openSignedIn();
    await page.getByRole("button", { name: "No tool needed" }).click();
    await runToEnd(page);
    // The first message is in the form, and is changed there.
    await page.getByLabel("Reply").fill("And who staged it?");
    await press("Send");
    await page.locator('[data-phase="streaming"] .plan').waitFor();
    await press("Stop");
    await press("Edit message");
    const reply = page.getByLabel("Reply");
    expect(await reply.inputValue()).toBe("And who staged it?");
    expect(await reply.evaluate((field) => field === document.activeElement)).toBe(true);
    await reply.fill("And who printed it?");
    await reply.press("Control+Enter");
    await waitForPhase(page, "done", 2);
    expect(await page.locator(".said-by-user").allInnerTexts()).toEqual([
      expect.stringContaining("Who wrote Hamlet?"),
      expect.stringContaining("And who printed it?"),
    ]);
    expect(lastMessages().map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(JSON.stringify(lastMessages())).not.toContain("staged");
  });

  test("an error is the API's sentence, before the stream and in the middle of it", async () => {
    gateway.provider.respond("router", [{ status: 400, json: { error: { message: "No such voice." } } }]);
    await openSignedIn();
    await startRun(page);
    await waitForPhase(page, "failed");
    expect(await page.getByRole("alert").innerText()).toContain("No such voice.");
    // By this id the operator finds the request in the log.
    await page.getByRole("button", { name: "Copy request id" }).waitFor();
    gateway.provider.respond("router", { text: "One two three four", cutAfter: 3 });
    await press("Try again");
    await page.getByRole("group", { name: "Answer" }).waitFor();
    await waitForPhase(page, "failed");
    expect(await page.getByRole("alert").innerText()).toContain("The provider's connection broke");
  });

  test("an answer without text or tool calls is called empty", async () => {
    gateway.provider.respond("router", { text: "" });
    await openSignedIn();
    await runToEnd(page);
    await page.locator('[data-phase="done"]').getByText("answer is empty").waitFor();
  });

  test("the API's sentence says that the credits do not suffice", async () => {
    const poor = await gateway.newCaller(1);
    await open();
    await signIn(page, poor.apiKey);
    await startRun(page);
    await waitForPhase(page, "failed");
    expect(await page.getByRole("alert").innerText()).toMatch(/^Not enough credits/);
  });
});
