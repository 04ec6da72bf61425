// The account page in Chromium against the whole service: keys made, used and revoked, provider keys.
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { hello } from "../../support/gateway.ts";
import {
  closeAfterEach,
  expectOnScreen,
  findAccessibilityFaults,
  type OpenOptions,
  openDetails,
  signIn,
  startRun,
  startScene,
  waitForPhase,
} from "./console-page.ts";

let page: Page;
const { gateway, browser } = await startScene();
beforeEach(() => gateway.provider.reset());
closeAfterEach(() => page);

/** Opens the page with the demo account's key, which may manage keys. */
async function openAccount(options?: OpenOptions): Promise<void> {
  page = await browser.open(`${gateway.service.url}/account`, options);
  await signIn(page, gateway.service.demoKey);
  await page.getByRole("heading", { name: "API keys" }).waitFor();
}
const focused = () => page.evaluate(() => document.activeElement?.textContent);
const chat = (apiKey: string, model = hello.model) =>
  fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ ...hello, model }),
  });

type Limits = { budget?: string; models?: string };

/** Presses a button by key: most stand below a table, and a row that arrives would move them away from a pointer. */
const press = (name: string | RegExp) => page.getByRole("button", { name }).press("Enter");

/** @returns the key as it is shown once */
async function makeKey(name: string, { budget, models }: Limits = {}): Promise<string> {
  await openDetails(page);
  await page.getByLabel("Name", { exact: true }).fill(name);
  if (budget !== undefined) await page.getByLabel("Credits a month").fill(budget);
  if (models !== undefined) await page.getByLabel("Models optional").fill(models);
  await press("Create key");
  const made = page.locator(".notice-made", { hasText: `Key ${name} is made` });
  return made.locator(".made-key").innerText();
}
async function revokeKey(name: string): Promise<void> {
  await press(`Revoke ${name}`);
  await press(`Really revoke ${name}?`);
  await page.getByRole("button", { name: `Revoke ${name}` }).waitFor({ state: "detached" });
}

describe("API keys", () => {
  test("a key is made, shown once, used, and refused from its revocation on", async () => {
    await openAccount();
    const key = await makeKey("laptop", { models: hello.model });
    expect(key).toMatch(/^svc_sk_live_\w{40,}$/);
    expect((await chat(key)).status).toBe(200);
    expect((await chat(key, "svc-x1ac-base-gpt-4o-mini")).status).toBe(403);
    await page.reload();
    await signIn(page, gateway.service.demoKey);
    await page.getByRole("button", { name: "Revoke laptop" }).waitFor();
    expect(await page.locator("#main").innerText()).not.toContain(key);
    await revokeKey("laptop");
    expect((await chat(key)).status).toBe(401);
    const revoked = page.getByRole("region", { name: "Revoked keys as a table" });
    expect(await revoked.getByRole("row", { name: /laptop/ }).isVisible()).toBe(false);
    await openDetails(page);
    await revoked.getByRole("row", { name: /laptop/ }).waitFor();
  });

  test("changed limits are in force on the next request, can be lifted again, and a refusal is shown", async () => {
    await openAccount();
    const key = await makeKey("desk", { models: hello.model });
    expect((await chat(key)).status).toBe(200);
    const form = page.getByRole("form", { name: "Change desk" });
    const open = async () => {
      await press(/^Change desk/);
      await form.waitFor();
    };
    const save = async () => {
      await form.getByRole("button", { name: "Save" }).click();
      await form.waitFor({ state: "detached" });
    };
    await open();
    expect(await form.getByLabel("Name").evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await form.getByLabel("Models").inputValue()).toBe(hello.model);
    await form.getByLabel("Credits a month").fill("0.000001");
    await form.getByLabel("Models").fill("svc-x1ac-base-nothing-of-this-name");
    await form.getByRole("button", { name: "Save" }).click();
    expect(await form.getByRole("alert").innerText()).toMatch(/models\.0 is no model/);
    await expect.poll(focused).toBe("Save");
    await form.getByLabel("Models").fill("svc-x1ac-base-gpt-4o-mini");
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await save();
    expect((await chat(key)).status).toBe(403);
    expect((await chat(key, "svc-x1ac-base-gpt-4o-mini")).status).toBe(402);
    await open();
    await form.getByLabel("Credits a month").fill("");
    await form.getByLabel("Models").fill("");
    await form.getByLabel("Expires after").fill("2031-05-06");
    await form.getByLabel("Name").fill("desk of mine");
    await save();
    expect((await chat(key)).status).toBe(200);
    const row = page.getByRole("row", { name: /desk of mine/ });
    expect(await row.innerText()).toMatch(/May 6, 2031/);
    expect(await row.innerText()).toMatch(/\ball\b/);
    await press("Change desk of mine");
    await press("Cancel");
    await page.getByRole("form", { name: /^Change desk/ }).waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toMatch(
      /^Change desk/,
    );
    await revokeKey("desk of mine");
  });

  test("the form to change one, opened again at once, shows what was saved, however late the list comes", async () => {
    await openAccount();
    await makeKey("lamp", { budget: "5" });
    await page.getByRole("button", { name: "Change lamp" }).waitFor();
    const listed = Promise.withResolvers<void>();
    await page.route("**/v1/account/api-keys", async (route) => {
      if (route.request().method() === "GET") await listed.promise;
      await route.continue();
    });
    const form = page.getByRole("form", { name: "Change lamp" });
    const budget = form.getByLabel("Credits a month");
    await press("Change lamp");
    await budget.fill("7");
    const listing = page.waitForRequest("**/v1/account/api-keys");
    await press("Save");
    await listing;
    // Until the list has come the button keeps the focus, and the fields take nothing, which would be lost when the form closes.
    expect(await focused()).toBe("Save");
    expect(await budget.evaluate((field: HTMLInputElement) => field.readOnly)).toBe(true);
    listed.resolve();
    await form.waitFor({ state: "detached" });
    await press("Change lamp");
    expect(await budget.inputValue()).toBe("7");
    await press("Cancel");
    await revokeKey("lamp");
  });

  test("one that has expired is marked as expired", async () => {
    page = await browser.open(`${gateway.service.url}/account`);
    await page.route("**/v1/account/api-keys", async (route) => {
      const response = await route.fetch();
      const { data, ...rest } = await response.json();
      const copy = (id: string, expires_at: string) => ({ ...data[0], id, name: id, expires_at });
      const json = {
        ...rest,
        data: [...data, copy("old", "2020-05-01T00:00:00Z"), copy("new", "2090-05-01T00:00:00Z")],
      };
      await route.fulfill({ response, json });
    });
    await signIn(page, gateway.service.demoKey);
    const cell = (name: string) => page.getByRole("row", { name }).getByRole("cell").nth(2);
    expect(await cell("old").innerText()).toMatch(/^expired \w+ \d+, 2020$/);
    expect(await cell("new").innerText()).toMatch(/^\w+ \d+, 2090$/);
    await page.unrouteAll({ behavior: "wait" });
  });

  test("a double click on Revoke only asks for confirmation", async () => {
    await openAccount();
    const key = await makeKey("vase");
    await page.getByRole("button", { name: "Revoke vase" }).dblclick();
    await page.getByRole("button", { name: "Really revoke vase?" }).waitFor();
    expect((await chat(key)).status).toBe(200);
    await page.getByRole("button", { name: "Really revoke vase?" }).press("Enter");
    await page.getByRole("button", { name: "Revoke vase" }).waitFor({ state: "detached" });
  });

  test("an expiry in the year 20261 is refused by its field, and the form still works", async () => {
    await openAccount();
    await openDetails(page);
    await page.getByLabel("Name", { exact: true }).fill("slip");
    const expiry = page.getByLabel("Expires after");
    // One digit typed too many: a date field takes years of six digits.
    await expiry.evaluate((field: HTMLInputElement) => {
      field.value = "20261-12-31";
      field.dispatchEvent(new Event("input", { bubbles: true }));
    });
    await press("Create key");
    expect(await expiry.evaluate((field: HTMLInputElement) => field.validity.rangeOverflow)).toBe(true);
    await expiry.fill("2031-01-01");
    await press("Create key");
    await page.locator(".notice-made").waitFor();
    await revokeKey("slip");
  });

  test("on a phone a made key is on the screen, and so is the reason why one was not made", async () => {
    await openAccount({ width: 360, height: 740 });
    await makeKey("on a phone");
    await page.getByRole("button", { name: "Revoke on a phone" }).waitFor();
    await expectOnScreen(page.locator(".notice-made"));
    await expect.poll(focused).toBe("Copy key");
    await page.getByLabel("Models optional").fill("no-such-model");
    await page.getByLabel("Name", { exact: true }).fill("another");
    await press("Create key");
    await expectOnScreen(page.getByRole("alert"));
    await revokeKey("on a phone");
  });

  test("a fourth active key is refused in the API's words", async () => {
    await openAccount();
    await makeKey("second");
    await makeKey("third");
    const name = page.getByLabel("Name", { exact: true });
    await name.fill("fourth");
    let asked = 0;
    const answered = Promise.withResolvers<void>();
    await page.route("**/v1/account/api-keys", async (route) => {
      if (route.request().method() === "POST") asked += 1;
      await answered.promise;
      await route.continue();
    });
    await press("Create key");
    await expect.poll(() => asked).toBe(1);
    // What is typed meanwhile would be cleared with the rest.
    expect(await name.evaluate((field: HTMLInputElement) => field.readOnly)).toBe(true);
    await press("Create key");
    answered.resolve();
    expect(await page.getByRole("alert").innerText()).toMatch(/3 active API keys/);
    expect(asked).toBe(1);
    await expect.poll(focused).toBe("Create key");
    await expect.poll(() => name.evaluate((field: HTMLInputElement) => field.readOnly)).toBe(false);
    await revokeKey("second");
    // The sentence said to revoke a key first: that is done.
    await expect.poll(() => page.getByRole("alert").count()).toBe(0);
    await revokeKey("third");
  });

  test("the playground says when a key has reached its budget", async () => {
    await openAccount();
    const key = await makeKey("small", { budget: "0.000001" });
    await page.getByRole("button", { name: "Forget key" }).click();
    await page.getByRole("link", { name: "Playground" }).click();
    await signIn(page, key);
    await startRun(page);
    await waitForPhase(page, "failed");
    expect(await page.getByRole("alert").innerText()).toMatch(/budget/);
    await page.getByRole("button", { name: "Forget key" }).click();
    await page.getByRole("link", { name: "Account" }).click();
    await signIn(page, gateway.service.demoKey);
    await revokeKey("small");
  });

  test("a key without the right to manage sees why, and the rest of the page", async () => {
    const caller = await gateway.newCaller(1_000_000);
    page = await browser.open(`${gateway.service.url}/account`);
    await signIn(page, caller.apiKey);
    await page.getByText("1.00", { exact: true }).waitFor();
    await page.getByText("The pasted key may not manage keys").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });
});

describe("provider keys", () => {
  test("are added, replaced and deleted, and the API's sentence says why one is refused", async () => {
    await openAccount();
    const field = page.getByLabel("OpenAI", { exact: true });
    await field.fill("sk-proj-own-0123456789");
    await field.press("Enter");
    await page.getByText(/validated and stored: alpha/).waitFor();
    expect(await field.inputValue()).toBe("");
    await page.getByRole("button", { name: "Replace" }).waitFor();
    gateway.provider.respond("alpha", { status: 401 }, "models");
    await field.fill("sk-proj-wrong-0123456789");
    await field.press("Enter");
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").innerText()).toContain("Invalid API key");
    await press("Delete the OpenAI key");
    await press("Really delete the OpenAI key?");
    await page.getByText("Deleted: alpha.").waitFor();
  });
});

// layout.test.ts has the page as it is in a session; what it does not show is a key that was just made.
test.each(["light", "dark"] as const)(
  "axe finds nothing wrong with a key that was just made: %s",
  async (theme) => {
    await openAccount({ theme });
    const name = `long ${"name ".repeat(15)}`.trim();
    await makeKey(name);
    await openDetails(page);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await revokeKey(name);
  },
);
