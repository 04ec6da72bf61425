// The playground in Chromium against the whole service, with the fake provider as the LLM.
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import type { Svc } from "../../../edge/console/api/chat-wire.ts";
import { openingMessages } from "../../../edge/console/playground/draft.ts";
import { examples } from "../../../edge/console/playground/examples.ts";
import { recordedPlans } from "../../../edge/console/playground/recorded-plan.ts";
import {
  closeAfterEach,
  expectAnswers,
  expectFits,
  expectOnScreen,
  findAccessibilityFaults,
  type OpenOptions,
  openDetails,
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
const keyField = () => page.getByLabel("API key", { exact: true });
/** Waits for the model's prices, the last to be loaded after signing in. They stand above Run and would move it. */
const untilPriced = () => page.getByText("Credits per 1M tokens").waitFor();
const { chats } = gateway.provider;

async function open(options?: OpenOptions): Promise<void> {
  page = await browser.open(gateway.service.url, options);
}
async function openSignedIn(options?: OpenOptions): Promise<void> {
  await open(options);
  await signIn(page, caller.apiKey);
}

describe("a first visit", () => {
  test("shows a recorded plan, then the live one before the answer that follows it", async () => {
    await open();
    expect(await page.getByText("A recorded example").count()).toBe(1);
    await keyField().waitFor();
    await startRun(page);
    expect(await page.getByRole("alert").innerText()).toBe("Sign in or paste an API key first.");
    await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toBe("key-field");
    await signIn(page, caller.apiKey);

    gateway.provider.respond("router", [{ text: "Never heard", hangAfter: 1 }, { text: "One two three" }]);
    const sent = page.waitForRequest((request) => request.url().endsWith("/v1/chat/completions"));
    await startRun(page);
    // Not by its name alone: the recorded plan, which is there before, has the same one.
    const plan = page.locator('[data-phase="streaming"]').getByRole("region", { name: "Plan", exact: true });
    await plan.waitFor();
    expect(await page.getByText("A recorded example").count()).toBe(0);
    const steps = await plan.locator(".step-name").allInnerTexts();
    expect(await plan.locator(".tool.chosen").innerText()).toContain("search_flights");
    expect(await plan.locator(".tool").count()).toBe(4);
    expect(await page.getByRole("group", { name: "Answer" }).count()).toBe(0);
    await press("Stop");
    await waitForPhase(page, "stopped");
    await runToEnd(page);
    await expectAnswers(page, "One two three");
    const foot = await page.locator(".foot").innerText();
    for (const fact of ["Time to plan", "To first word", "Total", "Tokens in", "Tokens out"])
      expect(foot).toContain(fact);
    const answer = await caller.chat({ ...(await sent).postDataJSON(), stream: false });
    const { svc } = (await answer.json()) as { svc: Svc };
    expect(steps).toEqual(svc.action_sequence!.map((name) => name.replaceAll("_", " ")));
    expect(steps.length).toBeGreaterThan(1);
  });

  test.each(examples)("the recorded plan of $name is what the service plans today", async (example) => {
    await open();
    const { name, goal, tools } = example;
    await page.getByRole("button", { name }).click();
    const shown = page.locator(".recorded");
    await shown.getByText(goal).waitFor();
    const recorded = recordedPlans[name]!;
    const answer = await caller.chat({
      model: "svc-x1ac-base-gpt-4o-mini",
      messages: openingMessages(example),
      ...(tools.length > 0 && { tools }),
    });
    const { svc } = (await answer.json()) as { svc: Svc };
    const { action_type, abstention } = recorded.brain_signal!;
    // Another processor may round otherwise: the words have to be the same, not each digit.
    expect(svc).toMatchObject({
      action_sequence: recorded.action_sequence,
      confidence_labels: recorded.confidence_labels,
      brain_signal: { action_type, ...(abstention !== undefined && { abstention }) },
    });
    expect(svc.overall_confidence).toBeCloseTo(recorded.overall_confidence!, 2);
    // The text that the page says the LLM reads is the one that it reads.
    const told = await shown.locator(".told").allTextContents();
    const sent = JSON.stringify(chats().at(-1)!.body);
    expect(sent).toContain(JSON.stringify(told[0] ?? goal).slice(1, -1));
    expect(sent.includes("[svc plan]")).toBe(told.length > 0);
    expect(told).toHaveLength(abstention === undefined ? 1 : 0);
  });

  test("on a phone the plan is on the screen: recorded at the first look, live when it comes", async () => {
    await open({ width: 390, height: 844 });
    const plan = page.locator(".plan");
    await keyField().waitFor();
    await expectOnScreen(plan);
    await signIn(page, caller.apiKey);
    gateway.provider.respond("router", { text: "Never heard", hangAfter: 1 });
    await untilPriced();
    await startRun(page);
    await page.locator('[data-phase="streaming"] .plan').waitFor();
    await expectOnScreen(plan);
    await press("Stop");
    await waitForPhase(page, "stopped");
  });

  test("the plan says if no tool is needed, and marks none", async () => {
    await openSignedIn();
    await page.getByRole("button", { name: "No tool needed" }).click();
    await runToEnd(page);
    expect(await page.locator(".plan .verdict").innerText()).toContain("No tool is needed");
    expect(await page.locator(".tool.chosen").count()).toBe(0);
    expect(await page.getByText("No tool chosen from 4").count()).toBe(1);
  });

  test.each([768, 1024])("at %d pixels the header of who is signed in is one line", async (width) => {
    await openSignedIn({ width, height: 800 });
    const { height } = (await page.locator("header.top").boundingBox())!;
    expect(height).toBeLessThan(64);
  });

  test("a wrong key is refused in the API's own words", async () => {
    await open();
    await keyField().fill("svc_sk_live_wrong");
    await page.getByRole("button", { name: "Use key" }).click();
    expect(await page.getByRole("alert").innerText()).toContain("unknown, revoked or mistyped");
  });

  test("the key is in no address and no storage that outlives the tab", async () => {
    await openSignedIn();
    await runToEnd(page);
    const kept = await page.evaluate(() => [
      location.href,
      JSON.stringify(localStorage),
      document.cookie,
      JSON.stringify(sessionStorage),
    ]);
    expect(kept.join(" ")).not.toContain(caller.apiKey);
    await page.getByRole("button", { name: "Forget key" }).click();
    await page.getByLabel("Keep it until this tab closes").check();
    await signIn(page, caller.apiKey);
    await page.reload();
    await page.locator(".chip-credits").waitFor();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain("svc_sk");
    await page.getByRole("button", { name: "Forget key" }).click();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    expect(gateway.service.stderr()).not.toContain(caller.apiKey);
  });
});

test("a form with a mistake is not copied as code: the mistake is named", async () => {
  await open();
  await openDetails(page);
  await page.getByLabel("Tools as JSON").fill("[{]");
  await press("curl");
  expect(await page.getByRole("alert").innerText()).toContain("The tools are not valid JSON");
  expect(await page.getByRole("button", { name: "curl" }).innerText()).toBe("curl");
});

describe("a double click on Run", () => {
  test("asks once and stops nothing", async () => {
    await open();
    await signIn(page, caller.apiKey);
    const before = chats().length;
    const clickedTwice = Promise.withResolvers<void>();
    gateway.provider.respond("router", { text: "One two three four five", until: clickedTwice.promise });
    await untilPriced();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    // The second click of a double click, at the same place: Stop is there by now.
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    clickedTwice.resolve();
    await waitForPhase(page, "done");
    expect(chats().length - before).toBe(1);
  });
});

describe("without a mouse", () => {
  test("the key is pasted, a model found and the form run from the keyboard alone", async () => {
    await open();
    await keyField().waitFor();
    const type = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await type("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("Skip to content");
    await type("Enter");
    for (let tabs = 0; tabs < 12; tabs += 1) {
      await type("Tab");
      if (await page.evaluate(() => document.activeElement?.classList.contains("key-field"))) break;
    }
    await page.keyboard.insertText(caller.apiKey);
    await type("Enter");
    await page.locator(".chip-credits").waitFor();
    const model = page.getByRole("combobox", { name: "Model" });
    await model.focus();
    await page.keyboard.insertText("base openai gpt-4o-mini");
    await page.getByRole("listbox").getByRole("option").first().waitFor();
    await type("ArrowDown", "ArrowUp", "Enter");
    expect(await model.inputValue()).toMatch(/^svc-x1ac-base-openai\/gpt-4o-mini/);
    await page.getByLabel("Goal").focus();
    await type("Control+Enter");
    await waitForPhase(page, "done");
    expect((chats().at(-1)!.body as { model: string }).model).toBe("openai/gpt-4o-mini");
  });
});

describe("the page", () => {
  test.each(["light", "dark"] as const)(
    "has nothing that axe finds wrong, empty, streaming, done and failed: %s",
    async (theme) => {
      await open({ theme });
      await keyField().waitFor();
      expect(await findAccessibilityFaults(page)).toEqual([]);
      await signIn(page, caller.apiKey);
      gateway.provider.respond("router", [
        { text: "One two three four five", reasoning: "Hm", frameDelayMs: 50, hangAfter: 5 },
        { toolCalls: [{ name: "search_flights", arguments: { destination: "Lisbon" } }] },
        { status: 400 },
      ]);
      await startRun(page);
      await page.getByRole("group", { name: "Answer" }).waitFor();
      expect(await findAccessibilityFaults(page)).toEqual([]);
      await press("Stop");
      await waitForPhase(page, "stopped");
      await runToEnd(page);
      await openDetails(page);
      expect(await findAccessibilityFaults(page)).toEqual([]);
      await page.getByRole("combobox", { name: "Model" }).fill("gpt");
      await page.getByRole("listbox").getByRole("option").first().waitFor();
      expect(await findAccessibilityFaults(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await startRun(page);
      await waitForPhase(page, "failed");
      expect(await findAccessibilityFaults(page)).toEqual([]);
    },
  );

  test.each([320, 390, 768])("does not have to be scrolled sideways at %d pixels", async (width) => {
    const text = `${"word".repeat(200)} and more`;
    gateway.provider.respond("router", { text });
    await openSignedIn({ width, height: 800 });
    await page.getByLabel("Compare with an answer").press("Space");
    await runToEnd(page, 2);
    await expectAnswers(page, text, text);
    await expectFits(page);
  });
});
