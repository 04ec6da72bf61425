// Every page in Chromium at the widths of a phone, a tablet and a desk, and in both themes: nothing is wider than the page, every
// control is reached by Tab, axe finds nothing wrong. Tables that do not fit are stacked and stay tables.
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { ConsolePath } from "../../../shared/console-pages.ts";
import { hello } from "../../support/gateway.ts";
import {
  closeAfterEach,
  findAccessibilityFaults,
  openDetails,
  runToEnd,
  signInAsOperator,
  startScene,
  untilLoaded,
} from "./console-page.ts";

/** Widths of a phone, a tablet and a desk. A theme changes colours alone, which no width does: a phone's page has both. */
const screens = [
  [360, "light"],
  [360, "dark"],
  [768, "light"],
  [1280, "dark"],
] as const;

let page: Page;
const { gateway, browser } = await startScene();
closeAfterEach(() => page);
beforeAll(async () => {
  // All of the browser's pages are in this session from then on.
  const first = await browser.open(gateway.service.url);
  await signInAsOperator(first, gateway.service);
  await first.close();
  const key = await makeKey({
    name: "staging of the web shop in Lisbon, second try",
    models: [hello.model, "svc-x1ac-base-gpt-4o-mini"],
    monthly_budget: 5,
  });
  await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ ...hello, model: "svc-x1ac-base-gpt-4o-mini" }),
  });
  await vi.waitFor(async () => expect(await readUsage()).not.toEqual([]), { timeout: 15_000 });
  await makeKey({ name: "n".repeat(100) });
});

async function makeKey(wish: object): Promise<string> {
  const made = await fetch(`${gateway.baseUrl}/account/api-keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.service.demoKey}`, "content-type": "application/json" },
    body: JSON.stringify(wish),
  });
  return ((await made.json()) as { api_key: string }).api_key;
}

/** The rows of the account page's table. A request is among them once it is settled, some time after its answer. */
async function readUsage(): Promise<unknown[]> {
  const headers = { authorization: `Bearer ${gateway.service.demoKey}` };
  const usage = await fetch(`${gateway.baseUrl}/account/usage`, { headers });
  return ((await usage.json()) as { data: unknown[] }).data;
}

type Show = () => Promise<void>;

/** Each page with all that it can show. */
const pages: Readonly<Record<ConsolePath, Show> & Record<string, Show>> = {
  "/": async () => {
    await openDetails(page);
    await page.getByLabel("Compare with an answer").press("Space");
    await runToEnd(page, 2);
  },
  "/rollout": async () => {
    await page.getByLabel("Steps").fill("10");
    await page.getByRole("button", { name: "Predict" }).press("Enter");
    await page.locator(".outcome").waitFor();
  },
  "/embeddings": async () => {
    await page.getByRole("button", { name: /Compare/ }).press("Enter");
    await page.locator(".map-words").waitFor();
    await openDetails(page);
  },
  "/account": async () => {
    await page.getByRole("heading", { name: "Signing in" }).waitFor();
    await untilLoaded(page);
    await openDetails(page);
    await page.getByRole("button", { name: /^Change staging/ }).press("Enter");
    await page.getByRole("region", { name: "Usage as a table" }).waitFor();
  },
  "/operator": async () => {
    for (const table of ["Accounts", "gpu-workers", "Margins"])
      await page.getByRole("region", { name: `${table} as a table` }).waitFor();
  },
  "/sign-in": () => page.getByText("You are signed in").waitFor(),
  "/docs": async () => {},
  "/docs/security": async () => {},
  "/docs/performance": async () => {},
  "/docs/api": () => page.locator("main h2").first().waitFor(),
  "/no-such-page": () => page.getByRole("heading", { name: "There is no page at this address" }).waitFor(),
};

/** What is cut off at the page's side, and what scrolls sideways in it. */
const findOverflow = () =>
  page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    // Code, a document's own table and the matrix of similarities cannot be made narrower: they may scroll.
    const wide = "pre, .doc .scroll-x, [aria-label='Table of similarities']";
    const scrolling = [...document.querySelectorAll("body *")].filter(
      (element) =>
        ["auto", "scroll"].includes(getComputedStyle(element).overflowX) &&
        element.scrollWidth > element.clientWidth &&
        !element.matches(wide),
    );
    const outside = [...document.querySelectorAll("a, button, input, select, textarea, summary")].filter(
      (element) => {
        const { left, right, width } = element.getBoundingClientRect();
        return (
          width > 0 && (left < 0 || right > clientWidth) && element.closest(`.skip-link, ${wide}`) === null
        );
      },
    );
    return [
      ...(scrollWidth > clientWidth ? ["the page"] : []),
      ...[...scrolling, ...outside].map((element) => element.outerHTML.slice(0, 120)),
    ];
  });

/** The controls that are on the page and that Tab does not come to. */
async function findUnreached(): Promise<string[]> {
  await page.evaluate(() => {
    (document.activeElement as HTMLElement | null)?.blur();
    scrollTo(0, 0);
    document.addEventListener("focusin", ({ target }) =>
      (target as Element).setAttribute("data-reached", ""),
    );
  });
  const controls = "a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary";
  const count = await page.locator(controls).count();
  // A date has several stops, and so has a box that scrolls.
  for (let presses = 0; presses < count + 30; presses += 1) await page.keyboard.press("Tab");
  return page.evaluate(
    (selector) =>
      [...document.querySelectorAll(selector)]
        .filter((element) => element.getClientRects().length > 0 && !element.hasAttribute("data-reached"))
        .map((element) => element.outerHTML.slice(0, 120)),
    controls,
  );
}

/** Each page is loaded once, as a phone's; a wider screen and the other theme come to the open page, as when a phone is turned. */
test.each(Object.keys(pages))("%s at each width, and in both themes", async (path) => {
  page = await browser.open(gateway.service.url + path, { width: 360, height: 800 });
  await pages[path]!();
  await untilLoaded(page);
  if (!path.startsWith("/docs")) expect(await findUnreached()).toEqual([]);
  for (const [width, colorScheme] of screens) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const where = `${width} pixels, ${colorScheme}`;
    await expect.poll(findOverflow, { message: where }).toEqual([]);
    expect(await findAccessibilityFaults(page), where).toEqual([]);
  }
});

test.each([
  ["a phone", 390],
  ["a laptop", 1280],
])("the documents have the console's header: on %s its links stay where they are", async (_, width) => {
  page = await browser.open(gateway.service.url, { width });
  const link = page.getByRole("navigation", { name: "Pages" }).getByRole("link").first();
  const before = await link.boundingBox();
  await page.goto(`${gateway.service.url}/docs`);
  await expect.poll(() => link.boundingBox()).toEqual(before);
});

test("on a large screen the header begins where the page does", async () => {
  page = await browser.open(gateway.service.url, { width: 2560, height: 1300 });
  const leftOf = async (what: string) => (await page.locator(what).boundingBox())?.x;
  await expect.poll(async () => (await leftOf(".brand")) === (await leftOf(".intro"))).toBe(true);
});

type Node = { role?: { value: string }; name?: { value: string } };

describe("the table of API keys on a phone", () => {
  test("shows each cell below its column's name, and is a table to a screen reader", async () => {
    page = await browser.open(`${gateway.service.url}/account`, { width: 360, height: 740 });
    const table = page.getByRole("region", { name: "API keys as a table" });
    const row = table.getByRole("row", { name: /^staging/ });
    await row.waitFor();
    const labels = await row
      .getByRole("cell")
      .evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell, "::before").content));
    expect(labels).toEqual(
      ["Key", "Last used", "Expires", "Credits this month", "Models", "Action"].map(
        (name) => `"${name}" / ""`,
      ),
    );
    const hidden = await row.getByRole("cell").evaluateAll(
      (cells) =>
        cells.filter((cell) => {
          const { width, height, right } = cell.getBoundingClientRect();
          return width === 0 || height === 0 || right > innerWidth || cell.scrollWidth > cell.clientWidth;
        }).length,
    );
    expect(hidden).toBe(0);
    expect(await table.getAttribute("tabindex")).toBeNull();
    const session = await page.context().newCDPSession(page);
    const { nodes } = (await session.send("Accessibility.getFullAXTree")) as { nodes: Node[] };
    const namesOf = (role: string) =>
      nodes.filter((node) => node.role?.value === role).map((node) => node.name?.value);
    expect(namesOf("columnheader")).toEqual(expect.arrayContaining(["Name", "Key", "Models", "Action"]));
    expect(namesOf("rowheader")).toContain("staging of the web shop in Lisbon, second try");
    expect(namesOf("cell")).toContainEqual(expect.stringMatching(/^0\.\d+ of 5\.00$/));
  });

  test("is a table again where it fits", async () => {
    page = await browser.open(`${gateway.service.url}/account`, { width: 360, height: 740 });
    const table = page.getByRole("region", { name: "API keys as a table" }).getByRole("table");
    await table.waitFor();
    expect(await table.getAttribute("class")).toContain("stacked");
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.waitForFunction(() => document.querySelector("table.keys.stacked") === null);
  });
});

test.each(["/", "/docs/security"])("%s has the chosen theme before its modules run", async (path) => {
  page = await browser.open(`${gateway.service.url}/docs`);
  await page.evaluate(() => localStorage.setItem("svc-theme", "dark"));
  await page.route(/\/console\/(?:main|docs)-\w+\.js$/, (route) => route.abort());
  await page.goto(gateway.service.url + path);
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
});
