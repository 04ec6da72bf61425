// Draws the pictures of README and docs from the running service: `CONSOLE_PICTURES=1` keeps them in docs/pictures, else they
// are drawn into a temporary folder and only looked at for their size.
import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root, startService, type TestService } from "../../support/service.ts";
import { type Console, runToEnd, signIn, startConsole } from "./console-page.ts";

const mostBytes = 150 * 1024;
const keep = process.env.CONSOLE_PICTURES === "1";

let service: TestService;
let browser: Console;
let folder: string;
beforeAll(async () => {
  folder = keep ? join(root, "docs/pictures") : await mkdtemp(join(tmpdir(), "svc-pictures-"));
  await mkdir(folder, { recursive: true });
  service = await startService();
  browser = await startConsole();
});
afterAll(async () => {
  await browser?.stop();
  await service?.stop();
  if (!keep) await rm(folder, { recursive: true, force: true });
});

type Picture = {
  name: string;
  path: string;
  theme: "light" | "dark";
  height: number;
  act: (page: Page) => Promise<void>;
};

const pictures: readonly Picture[] = [
  {
    name: "playground",
    path: "/",
    theme: "light",
    height: 660,
    act: async (page) => {
      await page.getByLabel("Compare with an answer").check();
      await runToEnd(page, 2);
    },
  },
  {
    name: "rollout",
    path: "/rollout",
    theme: "dark",
    height: 640,
    act: async (page) => {
      await page.getByRole("button", { name: "Predict" }).click();
      await page.locator(".outcome").waitFor();
    },
  },
  {
    name: "embeddings",
    path: "/embeddings",
    theme: "light",
    height: 560,
    act: async (page) => {
      await page.getByRole("button", { name: /Compare/ }).click();
      await page.locator(".map-words").waitFor();
    },
  },
];

test.each(pictures)("$name", async ({ name, path, theme, height, act }) => {
  const page = await browser.open(`${service.url}${path}`, { width: 1200, height, theme });
  await signIn(page, service.demoKey);
  await act(page);
  const file = join(folder, `${name}.png`);
  // A run scrolls to its answers where they are out of sight.
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: file });
  await page.close();
  expect((await stat(file)).size).toBeLessThan(mostBytes);
});
