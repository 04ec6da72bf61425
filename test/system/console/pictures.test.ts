// Draws the pictures of README and docs from the running service: `CONSOLE_PICTURES=1` keeps them in docs/pictures, else they
// are drawn into a temporary folder and only looked at for their size.
import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root, startService, type TestService } from "../../support/service.ts";
import {
  type Console,
  openDetails,
  runToEnd,
  signIn,
  signInAsOperator,
  startConsole,
  untilLoaded,
} from "./console-page.ts";

const maxBytes = 150 * 1024;
const keep = process.env.CONSOLE_PICTURES === "1";

let service: TestService;
let browser: Console;
let folder: string;
beforeAll(async () => {
  folder = keep ? join(root, "docs/pictures") : await mkdtemp(join(tmpdir(), "svc-pictures-"));
  await mkdir(folder, { recursive: true });
  service = await startService({ env: identityVariables });
  browser = await startConsole();
});
afterAll(async () => {
  await browser?.stop();
  await service?.stop();
  if (!keep) await rm(folder, { recursive: true, force: true });
});

/** So that the sign-in page has a button for each identity provider; nobody presses them here. */
const identityVariables = {
  GITHUB_CLIENT_ID: "drawn",
  GITHUB_CLIENT_SECRET: "drawn",
  GOOGLE_CLIENT_ID: "drawn",
  GOOGLE_CLIENT_SECRET: "drawn",
  TELEGRAM_BOT_TOKEN: "1:drawn-and-never-used-0123456789",
};

async function makeKey(page: Page, name: string, models: string, budget: string): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Models").fill(models);
  await page.getByLabel("Credits a month").fill(budget);
  await page.getByRole("button", { name: "Create key" }).press("Enter");
  await page.getByText(`Key ${name} is made`).waitFor();
}

type Picture = {
  name: string;
  path: string;
  theme: "light" | "dark";
  height: number;
  /** The page as it is before somebody has pasted the demo key. */
  bare?: true;
  act: (page: Page) => Promise<void>;
};

const pictures: readonly Picture[] = [
  {
    name: "playground",
    path: "/",
    theme: "light",
    height: 660,
    act: async (page) => {
      // The first plan after a start takes longer than any later one.
      await runToEnd(page);
      await page.getByLabel("Compare with an answer").press("Space");
      await runToEnd(page, 2);
    },
  },
  {
    name: "rollout",
    path: "/rollout",
    theme: "dark",
    height: 680,
    act: async (page) => {
      await page.getByRole("button", { name: "Predict" }).press("Enter");
      await page.locator(".outcome").waitFor();
    },
  },
  {
    name: "embeddings",
    path: "/embeddings",
    theme: "light",
    height: 560,
    act: async (page) => {
      await page.getByRole("button", { name: /Compare/ }).press("Enter");
      await page.locator(".map-words").waitFor();
    },
  },
  {
    name: "sign-in",
    path: "/sign-in",
    theme: "light",
    height: 600,
    bare: true,
    act: (page) => page.getByRole("button", { name: "Continue with Telegram" }).waitFor(),
  },
  {
    name: "keys",
    path: "/account",
    theme: "light",
    height: 700,
    act: async (page) => {
      await openDetails(page);
      await makeKey(page, "laptop", "", "");
      await makeKey(page, "staging", "svc-x1ac-base-gpt-4o-mini svc-x1ac-base-claude-haiku-4-5", "5");
      // The page forgets the key that it showed: none is in a picture.
      await page.getByRole("link", { name: "Rollout" }).click();
      await page.getByRole("link", { name: "Account" }).click();
      await page.getByRole("heading", { name: "API keys" }).waitFor();
      await untilLoaded(page);
      await page.getByRole("button", { name: "Change staging" }).press("Enter");
      await page.getByLabel("Expires after").first().fill("2027-01-31");
      await page.locator("h2", { hasText: "API keys" }).evaluate((title) => title.scrollIntoView());
      await page.evaluate(() => scrollBy(0, -80));
    },
  },
  {
    name: "operator",
    path: "/sign-in",
    theme: "dark",
    height: 760,
    bare: true,
    act: async (page) => {
      await signInAsOperator(page, service);
      for (const path of ["/nothing", "/v1/models/none", "/v1/models/none"])
        await page.evaluate((path) => fetch(path), path);
      await page.goto(`${service.url}/operator`);
      await page.getByRole("region", { name: "gpu-workers as a table" }).getByText("healthy").waitFor();
      await page.getByRole("region", { name: "Errors as a table" }).waitFor();
      await page.getByRole("region", { name: "Margins as a table" }).waitFor();
    },
  },
];

test.each(pictures)(
  "the picture $name is drawn, and small enough for a repository",
  async ({ name, path, theme, height, bare, act }) => {
    const page = await browser.open(`${service.url}${path}`, { width: 1200, height, theme });
    if (!bare) await signIn(page, service.demoKey);
    await act(page);
    const file = join(folder, `${name}.png`);
    // The page has scrolled to its answer.
    if (name !== "keys") await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: file });
    await page.close();
    expect((await stat(file)).size).toBeLessThan(maxBytes);
  },
);
