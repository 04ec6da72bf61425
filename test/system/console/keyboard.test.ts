// Keys, focus and fields of the console in Chromium against the whole service.
import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { closeAfterEach, runToEnd, signIn, startRun, startScene, waitForPhase } from "./console-page.ts";

let page: Page;
const { gateway, browser } = await startScene();
const caller = await gateway.newCaller(10_000_000);
beforeEach(() => gateway.provider.reset());
closeAfterEach(() => page);

async function openSignedIn(): Promise<void> {
  page = await browser.open(gateway.service.url);
  await signIn(page, caller.apiKey);
}
const { chats } = gateway.provider;
const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
const model = () => page.getByRole("combobox", { name: "Model" });
const toggleParameters = () => page.locator("summary", { hasText: "Parameters" }).press("Enter");

test("Ctrl+Enter that is held down runs once: each run is charged", async () => {
  await openSignedIn();
  const released = Promise.withResolvers<void>();
  gateway.provider.respond("router", { text: "One two three", until: released.promise });
  await page.getByLabel("Goal").focus();
  await page.keyboard.down("Control");
  // A second `down` without an `up` is what a held key sends: before the request is sent, and while its answer is awaited.
  for (let times = 0; times < 3; times++) await page.keyboard.down("Enter");
  await expect.poll(() => chats().length).toBe(1);
  for (let times = 0; times < 3; times++) await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  await page.keyboard.up("Control");
  released.resolve();
  await waitForPhase(page, "done");
  expect(chats()).toHaveLength(1);
});

test("the focus stays with Run and Stop, and goes from one reply to the next", async () => {
  await openSignedIn();
  gateway.provider.respond("router", [
    { text: "One two", hangAfter: 1 },
    { text: "Three" },
    { text: "Four" },
  ]);
  await page.getByRole("button", { name: "Run", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Stop" }).waitFor();
  await expect.poll(focused).toBe("Stop");
  await expect.poll(() => chats().length).toBe(1);
  await page.keyboard.press("Enter");
  await waitForPhase(page, "stopped");
  await expect.poll(focused).toBe("Run");
  await page.getByRole("button", { name: "No tool needed" }).click();
  await runToEnd(page);
  await page.getByLabel("Reply").fill("go on");
  await page.keyboard.press("Control+Enter");
  await waitForPhase(page, "done", 2);
  const reply = page.getByLabel("Reply");
  await expect.poll(() => reply.evaluate((field) => field === document.activeElement)).toBe(true);
});

test("Enter in the list of models takes only a highlighted name, and leaving the field takes a name that is typed in full", async () => {
  await openSignedIn();
  const before = await model().inputValue();
  await model().click();
  await page.locator(".combobox [role=option]").first().waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".combobox [role=option]").first().waitFor({ state: "detached" });
  expect(await model().inputValue()).toBe(before);
  const typed = "svc-x1ac-base-gpt-4o-mini";
  await model().fill(typed);
  await page.keyboard.press("Tab");
  expect(await model().inputValue()).toBe(typed);
  await model().fill("svc-x1ac-base-gpt-4o");
  await page.keyboard.press("Escape");
  expect(await model().inputValue()).toBe(typed);
  await model().fill("svc-x1ac-base-gpt");
  await page.keyboard.press("Tab");
  expect(await model().inputValue()).toBe(typed);
});

test("lists that are shown in part say how many more there are", async () => {
  await openSignedIn();
  const more = page.locator(".popup-foot");
  await page.getByText("Credits per 1M tokens").waitFor();
  await model().click();
  await expect.poll(() => more.innerText()).toMatch(/^[\d,]+ more: write a part of the name\.$/);
  await model().fill("gpt-4o-mini");
  await page.keyboard.press("ArrowUp");
  await more.getByText("Credits per 1M tokens").waitFor();
  await page.getByRole("link", { name: "Rollout" }).click();
  await page.getByRole("combobox").click();
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => more.innerText()).toContain("873 more: write a part of the name.");
});

test("Run keeps its place while the list of models is open and when it closes, so that a pointer on it does not miss it", async () => {
  await openSignedIn();
  await page.getByText("Credits per 1M tokens").waitFor();
  const run = page.getByRole("button", { name: "Run", exact: true });
  const readTop = () => run.evaluate((button) => button.getBoundingClientRect().top);
  const before = await readTop();
  const read = Promise.withResolvers<void>();
  await page.route("**/v1/models/*", async (route) => {
    await read.promise;
    await route.continue();
  });
  const reading = page.waitForRequest("**/v1/models/*");
  await model().fill("claude");
  await reading;
  expect(await readTop()).toBe(before);
  read.resolve();
  await page.locator(".popup-foot").getByText("Credits per 1M tokens").waitFor();
  expect(await readTop()).toBe(before);
  await page.keyboard.press("Escape");
  await page.getByRole("listbox").waitFor({ state: "hidden" });
  expect(await readTop()).toBe(before);
  await page.unrouteAll({ behavior: "wait" });
});

test("any temperature in range is sent", async () => {
  await openSignedIn();
  await toggleParameters();
  await page.getByLabel("Temperature").fill("0.75");
  await page.getByLabel("Top p").fill("0.93");
  await runToEnd(page);
  expect(chats()[0]!.body).toMatchObject({ temperature: 0.75, top_p: 0.93 });
});

test("following a link moves the focus to the new page", async () => {
  await openSignedIn();
  await page.getByRole("link", { name: "Rollout" }).click();
  await page.getByRole("button", { name: "Predict" }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
});

test("going back moves the focus to the page before, and the link that skips to the content stays on its page", async () => {
  await openSignedIn();
  await page.getByRole("link", { name: "Rollout" }).click();
  await page.getByRole("button", { name: "Predict" }).focus();
  await page.goBack();
  await page.getByRole("button", { name: "Run", exact: true }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
  await page.getByRole("link", { name: "Skip to content" }).press("Enter");
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("main");
  await page.keyboard.press("Tab");
  await expect.poll(focused).toBe("How to read a plan");
});

test("the focus stays with the button of a form whose answer is awaited, which takes no second press meanwhile", async () => {
  await openSignedIn();
  const cases = [
    { link: "Rollout", button: "Predict", path: "rollout", answer: ".outcome" },
    { link: "Embeddings", button: "Compare 6", path: "embeddings", answer: ".map-words" },
    { link: "Account", button: "Look up", path: "generation*", answer: "#main [role=alert]" },
  ];
  for (const { link, button, path, answer } of cases) {
    await page.getByRole("link", { name: link }).click();
    let asked = 0;
    const answered = Promise.withResolvers<void>();
    await page.route(`**/v1/${path}`, async (route) => {
      asked += 1;
      await answered.promise;
      await route.continue();
    });
    if (link === "Account") await page.getByLabel("Id of the answer or the request").fill("req_none");
    await page.getByRole("button", { name: button }).press("Enter");
    await page.locator('button[aria-disabled="true"]').press("Enter");
    // A click on the element, not at its place: parts that are still being loaded above may move it.
    await page.locator('button[aria-disabled="true"]').evaluate((waiting: HTMLElement) => waiting.click());
    answered.resolve();
    await page.locator(answer).waitFor();
    await expect.poll(focused).toBe(button);
    expect(asked, link).toBe(1);
    await page.unrouteAll({ behavior: "wait" });
  }
});

test("the focus goes to the section's heading when Try again is removed", async () => {
  page = await browser.open(`${gateway.service.url}/account`);
  await page.route("**/v1/account/usage*", (route) => route.abort());
  await signIn(page, caller.apiKey);
  const again = page.getByRole("button", { name: "Try again" });
  await again.waitFor();
  await page.unrouteAll({ behavior: "wait" });
  await again.press("Enter");
  await page.getByText("Nothing was used in these days").or(page.getByText("credits for")).first().waitFor();
  await expect.poll(focused).toBe("Usage");
});

test("the focus is not lost with a form that is removed: a key's, a tool result's, a retry's, an action's, a code's", async () => {
  page = await browser.open(gateway.service.url);
  const paste = async (key: string) => {
    await page.locator(".key-field").fill(key);
    await page.keyboard.press("Enter");
  };
  const place = () =>
    page.evaluate(() => {
      const { id, className, tagName, textContent } = document.activeElement!;
      return id === "main" ? id : tagName === "BUTTON" ? textContent : className || tagName;
    });
  for (let times = 0; times < 2; times += 1) {
    await paste("svc_sk_live_wrong");
    await page.getByRole("alert").waitFor();
    await expect.poll(place).toBe("key-field");
  }
  await paste(caller.apiKey);
  await page.locator(".chip-credits").waitFor();
  expect(await place()).toBe("main");

  gateway.provider.respond("router", [
    { toolCalls: [{ name: "search_flights", arguments: {} }] },
    { status: 400 },
    { text: "Done." },
  ]);
  await startRun(page);
  await page.getByLabel("Result of search_flights").press("Control+Enter");
  await waitForPhase(page, "failed");
  await expect.poll(place).toBe("Try again");
  await page.keyboard.press("Enter");
  await waitForPhase(page, "done", 2);
  await expect.poll(place).toBe("TEXTAREA");

  await page.getByRole("link", { name: "Rollout" }).click();
  await page.getByRole("combobox", { name: "Add an action" }).fill("search");
  await page.getByRole("option").first().waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".sequence button").press("Enter");
  expect(await page.locator(".sequence").count()).toBe(0);
  expect(await page.getByRole("combobox").evaluate((field) => field === document.activeElement)).toBe(true);

  await page.goto(`${gateway.service.url}/sign-in`);
  await page.getByLabel("E-mail address").fill("somebody@example.com");
  await page.keyboard.press("Enter");
  await page.getByLabel("Code", { exact: true }).fill("000000");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  await expect.poll(place).toBe("code-field");
});

test("a number out of range in the collapsed parameters is shown, instead of a Run that does nothing", async () => {
  await openSignedIn();
  await toggleParameters();
  await page.getByLabel("Temperature").fill("5");
  await toggleParameters();
  await startRun(page);
  const field = page.getByLabel("Temperature");
  await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true);
  expect(await field.isVisible()).toBe(true);
});
