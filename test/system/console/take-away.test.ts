// What a reader takes away from the console: commands that run in a shell as they stand, and a request's address.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import {
  closeAfterEach,
  expectFits,
  findAccessibilityFaults,
  openDetails,
  runToEnd,
  signIn,
  signInByLink,
  startScene,
} from "./console-page.ts";

let page: Page;
const { gateway, browser } = await startScene();
const { service } = gateway;
beforeEach(() => gateway.provider.reset());
closeAfterEach(() => page);

/** Opens a page, signed out, whose clipboard is a field of the window. */
async function open(path: string): Promise<void> {
  page = await browser.open(`${service.url}/docs/console`);
  await page.addInitScript(() => {
    const writeText = async (text: string) => Object.assign(window, { copied: text });
    Object.defineProperty(navigator, "clipboard", { value: { writeText } });
  });
  await page.context().clearCookies();
  await page.goto(service.url + path);
  await page.locator("#main > *").first().waitFor();
}
/** Presses the button. @returns what it copied */
async function copyBy(name: string): Promise<string> {
  await page.getByRole("button", { name, exact: true }).first().click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  return page.evaluate(() => (window as unknown as { copied: string }).copied);
}
/** @returns the answer to a command, run in a shell */
async function runInShell(command: string, apiKey?: string): Promise<unknown> {
  const env = { PATH: process.env.PATH, ...(apiKey && { SVC_API_KEY: apiKey }) };
  return JSON.parse((await promisify(execFile)("sh", ["-c", command], { env })).stdout);
}

describe("commands", () => {
  test("a key that was just made is copied with a request that it may send", async () => {
    await open("/account");
    await signIn(page, service.demoKey);
    await openDetails(page);
    const model = "svc-x1ac-base-gpt-4o";
    await page.getByLabel("Name", { exact: true }).fill("first");
    await page.getByLabel("Models optional").fill(model);
    await page.getByRole("button", { name: "Create key" }).press("Enter");
    const answer = await runInShell(await copyBy("Copy as curl"));
    expect(answer).toMatchObject({ object: "chat.completion", model });
  });

  test.each([
    ["/rollout", { object: "rollout.prediction" }],
    ["/embeddings", { object: "list", model: "svc-x1ac-base" }],
  ])("the form of %s is copied as the request that it sends", async (path, shape) => {
    await open(path);
    const command = await copyBy("Copy as curl");
    expect(command).not.toContain("svc_sk_live_");
    expect(await runInShell(command, service.demoKey)).toMatchObject(shape);
  });

  test("documents: what is to be run or pasted has a button that copies it, diagrams and outputs have none", async () => {
    await open("/docs");
    expect(await copyBy("Copy")).toBe("npm ci && npm start");
    const bare = page.locator("main pre:not(.copyable)").first();
    expect(await bare.innerText()).toContain("your client");
    expect(await page.getByRole("button", { name: "Copy" }).count()).toBeLessThan(
      await page.locator("main pre").count(),
    );
    expect(await findAccessibilityFaults(page)).toEqual([]);
  });
});

describe("a request's address", () => {
  test("an answer leads to its record, whose address opens it again, and so does an id that is looked up", async () => {
    await open("/sign-in");
    await signInByLink(page, gateway.database, (await gateway.newCaller(1_000_000)).accountId);
    await runToEnd(page);
    await page.getByRole("link", { name: "Look up request" }).click();
    const record = page.getByRole("region", { name: "Look up a request" });
    await record.getByText("Credits charged").waitFor();
    const address = page.url();
    expect(address).toMatch(/\/account#req_\w+$/);
    await page.reload();
    await record.getByText("Credits charged").waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.goto(`${service.url}/account`);
    const field = page.getByLabel("Id of the answer or the request");
    await field.fill(address.split("#")[1]!);
    await field.press("Enter");
    await record.getByText("Credits charged").waitFor();
    expect(page.url()).toBe(address);
  });

  test("what this page sent is listed for its account, newest first, and each leads to its record", async () => {
    await open("/");
    await signIn(page, (await gateway.newCaller(1_000_000)).apiKey);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByLabel("Goal").fill("long ".repeat(200));
    await runToEnd(page);
    const follow = (name: string) => page.getByRole("link", { name, exact: true }).first().press("Enter");
    await follow("Rollout");
    await page.getByRole("button", { name: "Predict" }).press("Enter");
    await page.locator(".outcome").waitFor();
    await follow("Account");
    const list = page.getByRole("list", { name: /^Sent from this page/ }).getByRole("link");
    await expect
      .poll(() => list.allInnerTexts())
      .toEqual([expect.stringMatching(/^Rollout: Find the cheapest/), expect.stringMatching(/^long long/)]);
    const record = page.getByRole("region", { name: "Look up a request" });
    await list.last().press("Enter");
    await record.getByText("openai/gpt-4o-mini").waitFor();
    await list.first().press("Enter");
    await record.getByText("svc-x1ac-base", { exact: true }).waitFor();
    await expectFits(page);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.getByRole("button", { name: "Forget key" }).press("Enter");
    await signIn(page, service.demoKey);
    await record.waitFor();
    expect(await list.count()).toBe(0);
  });

  test("a refused request has no record to look up", async () => {
    await open("/sign-in");
    await signInByLink(page, gateway.database, (await gateway.newCaller(0)).accountId);
    await page.getByRole("button", { name: "Run", exact: true }).press("Enter");
    await page.locator('[data-phase="failed"]').waitFor();
    await page.getByRole("button", { name: "Copy request id" }).waitFor();
    expect(await page.getByRole("link", { name: "Look up request" }).count()).toBe(0);
  });

  test("is where a reader who has to sign in first comes back to", async () => {
    await open("/account#req_0");
    await page.getByRole("link", { name: "Sign in", exact: true }).first().click();
    await page.getByLabel("E-mail address").fill("demo@localhost");
    await page.getByRole("button", { name: "Send code" }).click();
    const log = () => service.stderr() + service.stdout();
    const readCode = () => /sign_in_code.*"code":"(\d{6})"/.exec(log())?.[1] ?? "";
    await expect.poll(readCode).not.toBe("");
    await page.getByLabel("Code", { exact: true }).fill(readCode());
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("no ended request with that id").waitFor();
  });

  test("is sent as an id only where it is one: a sign-in link pasted there is not", async () => {
    await open("/account");
    await signIn(page, service.demoKey);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    for (const hash of ["main", "svc_ln_secret", "req_0"])
      await page.evaluate((fragment) => {
        location.hash = fragment;
      }, hash);
    await page.getByRole("alert").waitFor();
    const ids = asked.filter((url) => url.includes("/v1/generation")).map((url) => url.split("id=")[1]);
    expect(ids).toEqual(["req_0"]);
  });
});

describe("what is drawn can be told apart", () => {
  test("a narrow plan: no bar touches the confidence of its step", async () => {
    page = await browser.open(service.url, { width: 390 });
    const gaps = await page.locator(".recorded .steps li").evaluateAll((steps) =>
      steps.map((step) => {
        const box = (part: string) => step.querySelector(part)!.getBoundingClientRect();
        return box(".change svg").top - box(".confidence").bottom;
      }),
    );
    expect(gaps.length).toBeGreaterThan(0);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1);
  });

  test("forced colours: the buttons that copy, which get borders, do not touch", async () => {
    page = await browser.open(service.url);
    await page.emulateMedia({ forcedColors: "active" });
    const boxes = await page
      .locator(".copy-as button")
      .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().toJSON()));
    expect(boxes[1].left - boxes[0].right).toBeGreaterThanOrEqual(4);
  });

  test("the map's columns have the numbers of their lines", async () => {
    await open("/embeddings");
    await signIn(page, service.demoKey);
    await page.getByRole("button", { name: "Compare 6" }).click();
    await page.locator(".map-words").waitFor();
    expect(await page.locator(".map-column").allTextContents()).toEqual(["1", "2", "3", "4", "5", "6"]);
    const tops = (selector: string) =>
      page.locator(selector).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    const [line] = await tops(".map-lines li");
    const [cell] = await tops(".map-cells .cell");
    expect(Math.abs(line! - cell!)).toBeLessThanOrEqual(2);
  });
});
