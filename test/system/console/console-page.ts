/**
 * The console in Debian's chromium, and what its tests do again and again: open a page that notes what its content security policy
 * refused, sign in, run the form, wait for what is drawn, ask axe.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, expect } from "vitest";
import { createSignInSecret, hashApiKey } from "../../../edge/api-key.ts";
import { setOperator } from "../../../edge/db/accounts.ts";
import { type Database, openDatabase } from "../../../edge/db/client.ts";
import { addSignInLink } from "../../../edge/db/sessions.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import type { TestService } from "../../support/service.ts";
import { type Browser, findChromium, startChromium } from "../clients/chromium.ts";

export type OpenOptions = { width?: number; height?: number; theme?: "light" | "dark" };

export type Console = {
  open(url: string, options?: OpenOptions): Promise<Page>;
  stop(): Promise<void>;
};

declare global {
  interface Window {
    /** What the page's policy refused: directive and what it was about. */
    violations: string[];
  }
}

export async function startConsole(): Promise<Console> {
  const executable = findChromium();
  if (executable === undefined)
    throw new Error("the console's tests need chromium: apt-get install chromium");
  const browser: Browser = await startChromium(executable);
  const openTab = shareProcess(browser);
  return {
    open: async (url, { width = 1280, height = 900, theme = "light" } = {}) => {
      const page = await openTab(new URL(url).origin);
      page.setDefaultTimeout(20_000);
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
      await page.addInitScript(() => {
        window.violations = [];
        document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) => {
          window.violations.push(`${violatedDirective} ${blockedURI} ${sample}`);
        });
      });
      await page.goto(url);
      await page.locator("#main > *").first().waitFor();
      return page;
    },
    stop: () => browser.stop(),
  };
}

/**
 * Opens empty tabs in the process of one that stays open: half the CPU time of a tab with a process of its own, of which there are two
 * hundred. A browser lets a page share a process with the page that opened it, of the same origin and opener policy; that one is
 * empty, so nothing of it is in the new tab's storage.
 */
function shareProcess(browser: Browser): (origin: string) => Promise<Page> {
  const openers = new Map<string, Promise<Page>>();
  const openOpener = async (origin: string) => {
    const page = await browser.open("about:blank");
    const headers = { "cross-origin-opener-policy": "same-origin" };
    await page.route(origin, (route) => route.fulfill({ headers, contentType: "text/html", body: "" }));
    await page.goto(origin);
    return page;
  };
  return async (origin) => {
    const opener = await (openers.get(origin) ?? openers.set(origin, openOpener(origin)).get(origin)!);
    const [tab] = await Promise.all([
      opener.waitForEvent("popup"),
      opener.evaluate(() => void window.open("about:blank")),
    ]);
    return tab;
  };
}

/** To be awaited at the top of a file: the whole service and a browser, ended after the file's last test. */
export async function startScene(
  variables?: Record<string, string>,
): Promise<{ gateway: Gateway; browser: Console }> {
  const gateway = await startGateway(variables);
  afterAll(() => gateway.stop());
  const browser = await startConsole();
  afterAll(() => browser.stop());
  return { gateway, browser };
}

/** After each test: the page's policy refused nothing, and the page is closed. */
export function closeAfterEach(current: () => Page): void {
  afterEach(async () => {
    expect(await current().evaluate(() => window.violations)).toEqual([]);
    await current().close();
  });
}

/** Pastes a key and waits until the account, and what the page shows of it, are there. */
export async function signIn(page: Page, apiKey: string): Promise<void> {
  const field = page.getByLabel("API key", { exact: true });
  await field.fill(apiKey);
  await field.press("Enter");
  await page.locator(".chip-credits").waitFor();
  await untilLoaded(page);
}

/** Begins a session of this account by a one-time link, opened on the page that is shown. @returns the account's id */
export async function signInByLink(page: Page, database: Database, accountId: string): Promise<string> {
  const link = createSignInSecret("link", crypto.getRandomValues(new Uint8Array(32)));
  const now = Date.now();
  await addSignInLink(database, { hash: await hashApiKey(link), accountId, now, expiresAt: now + 60_000 });
  await page.evaluate((hash) => {
    location.hash = hash;
  }, link);
  await page.locator(".chip-credits").waitFor();
  return accountId;
}

/** Signs in by the link that `npm start` prints, and makes its account an operator's. */
export async function signInAsOperator(page: Page, service: TestService): Promise<void> {
  const [, link] = /(\/sign-in#svc_ln_\w+)/.exec(service.stdout())!;
  await page.goto(service.url + link);
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  const { account_id: id } = await page.evaluate(async () => (await fetch("/v1/account/session")).json());
  await setOperator(openDatabase(await service.readLibsql()), id, true);
}

/** Waits until no part of the page is loading: a part that arrives moves what is below it, away from a pointer about to press it. */
export const untilLoaded = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => !document.querySelector("main")?.innerText.includes("Loading…"));

/** Waits until the whole height of a box is on the screen: the page scrolls to it after it has drawn it. */
export const expectOnScreen = (box: Locator): Promise<void> =>
  expect
    .poll(() =>
      box.evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      }),
    )
    .toBe(true);

/** Waits until nothing is wider than the page, which would have to be scrolled sideways. */
export const expectFits = (page: Page): Promise<void> =>
  expect
    .poll(() =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
    )
    .toBe(0);

/** Opens all that is collapsed, once there is any: on a busy machine the page's heading may be there before its form. */
export async function openDetails(page: Page): Promise<void> {
  const details = page.locator("details");
  await details.first().waitFor({ state: "attached" });
  await details.evaluateAll((all) => {
    for (const one of all) (one as HTMLDetailsElement).open = true;
  });
}

/** Presses Run by key: what is still being loaded may move the button away from a pointer. */
export const startRun = (page: Page): Promise<void> =>
  page.getByRole("button", { name: "Run", exact: true }).press("Enter");

/** Runs the form and waits for every answer to end. */
export async function runToEnd(page: Page, answers = 1): Promise<void> {
  await startRun(page);
  await waitForPhase(page, "done", answers);
}

/** Waits until the answers are these. Their boxes are filled a frame after they are drawn, so a text read once may be empty. */
export const expectAnswers = (page: Page, ...texts: string[]): Promise<void> =>
  expect
    .poll(() => page.getByRole("group", { name: "Answer", exact: true }).allTextContents())
    .toEqual(texts);

/** Waits until so many answers are in this phase. The error says in which phases they are instead, and which alerts the page shows. */
export async function waitForPhase(page: Page, phase: string, count = 1): Promise<void> {
  const wanted = page.locator(`[data-phase="${phase}"]`).nth(count - 1);
  await wanted.waitFor({ state: "attached" }).catch(async (error: Error) => {
    const phases = await page
      .locator("[data-phase]")
      .evaluateAll((all) => all.map((one) => one.dataset.phase));
    const alerts = await page.getByRole("alert").allInnerTexts();
    throw new Error(`${error.message}phases: ${phases.join(", ")}; alerts: ${alerts.join(" | ")}`);
  });
}

const axeFile = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

type Verdict = { violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] };

/** What axe finds wrong: rule, and the first elements it is about. */
export async function findAccessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(axeFile, "utf8"));
  const { violations } = await page.evaluate<Verdict>("axe.run(document, { resultTypes: ['violations'] })");
  return violations.flatMap(({ id, nodes }) =>
    nodes
      .slice(0, 3)
      .map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ""}`),
  );
}
