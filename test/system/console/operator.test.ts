import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page, Request } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { createAccount, readAccount, setOperator } from "../../../edge/db/accounts.ts";
import { root } from "../../support/service.ts";
import { closeAfterEach, findAccessibilityFaults, startScene } from "./console-page.ts";

let page: Page;
/** All that this page asked for. */
let asked: Request[];
const { gateway, browser } = await startScene({ SIGN_UP_CREDITS: "2.5" });
beforeEach(() => gateway.provider.reset());
closeAfterEach(() => page);

async function open(path: string): Promise<void> {
  page = await browser.open(`${gateway.service.url}/docs`);
  await page.context().clearCookies();
  asked = [];
  page.on("request", (request) => asked.push(request));
  await page.goto(`${gateway.service.url}${path}`);
  await page.locator("#main > *").first().waitFor();
}

async function newLink(): Promise<string> {
  const admin = (...words: string[]) =>
    promisify(execFile)("npm", ["run", "--silent", "admin", "--", ...words, "--json"], {
      cwd: root,
      env: gateway.service.env,
    });
  const list = JSON.parse((await admin("account", "list")).stdout);
  const demo = list.accounts.find(({ email }: { email: string }) => email === "demo@localhost");
  return JSON.parse((await admin("account", "sign-in-link", "--account", demo.account_id)).stdout).path;
}

describe("the operator's page", () => {
  test("is for accounts that are marked: it finds, credits and suspends one, and shows errors and workers", async () => {
    await open(await newLink());
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    expect(await page.getByRole("link", { name: "Operator" }).count()).toBe(0);
    const { accountId } = await gateway.newCaller(1_000_000);
    const { account_id: demo } = (await page.evaluate(async () =>
      (await fetch("/v1/account/session")).json(),
    )) as { account_id: string };
    await setOperator(gateway.database, demo, true);
    await page.evaluate(() => fetch("/nothing"));
    await page.reload();
    await page.getByRole("link", { name: "Operator" }).click();
    const errors = page.getByRole("region", { name: "Errors as a table" });
    expect(await errors.getByRole("row", { name: "not_found" }).innerText()).toMatch(/404\s+\d+\s+[\d.]+%/);
    await page.getByText("requests since the service started").waitFor();
    const many = Array.from({ length: 100 }, (_, at) => `acct_many_${at}`);
    for (const id of many)
      await createAccount(gateway.database, { accountId: id, email: "m@x.y", creditMicro: 0, now: 1 });
    await page.reload();
    await page.getByText("Only 100 accounts are shown").waitFor();
    await page.getByLabel("Address or account id").fill(accountId);
    await page.getByRole("button", { name: "Search" }).click();
    const row = page.getByRole("row", { name: accountId });
    await row.waitFor();
    await page.getByText("Only 100 accounts are shown").waitFor({ state: "detached" });
    await row.getByRole("spinbutton").fill("1.5");
    // The first press asks, a double click is one press, and another sum is another question.
    await row.getByRole("button", { name: "Add credits for caller@example.com" }).dblclick();
    await row.getByRole("button", { name: "Add 1.50?" }).waitFor();
    await row.getByRole("spinbutton").fill("15");
    await row.getByRole("button", { name: "Add credits for caller@example.com" }).press("Enter");
    await row.getByRole("button", { name: "Add 15.00?" }).waitFor();
    await row.getByRole("spinbutton").fill("1.5");
    await row.getByRole("spinbutton").press("Enter");
    expect((await readAccount(gateway.database, accountId))?.balanceMicro).toBe(1_000_000);
    await row.getByRole("button", { name: "Add 1.50?" }).press("Enter");
    await page.getByText("caller@example.com got 1.50 credits.").waitFor();
    await row.getByText("2.50").first().waitFor();
    expect((await readAccount(gateway.database, accountId))?.balanceMicro).toBe(2_500_000);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Add");
    await row.getByRole("button", { name: "Suspend caller@example.com" }).press("Enter");
    await row.getByRole("button", { name: "Really suspend caller@example.com?" }).press("Enter");
    await row.getByRole("button", { name: "Resume caller@example.com" }).waitFor();
    await page.getByText("caller@example.com is suspended.").waitFor();
    const workers = page.getByRole("region", { name: "gpu-workers as a table" });
    await workers.getByText("healthy").waitFor();
    for (const theme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: theme });
      expect(await findAccessibilityFaults(page)).toEqual([]);
    }
    await setOperator(gateway.database, demo, false);
    await page.reload();
    await page.getByText("This page is for operators").waitFor();
  });
});
