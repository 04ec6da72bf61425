// Signing in with GitHub, Google and Telegram in Chromium against the whole service, which asks fake ones on loopback.
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { type IdentityProvider, identityProviders } from "../../../shared/identity-providers.ts";
import { newPerson } from "../../support/fake-identities.ts";
import { startIdentityServer } from "../../support/identity-server.ts";
import { closeAfterEach, expectFits, findAccessibilityFaults, signIn, startScene } from "./console-page.ts";

const identities = await startIdentityServer();
afterAll(() => identities.stop());
const { gateway, browser } = await startScene({ SIGN_UP_CREDITS: "2.5", ...identities.variables });
let page: Page;
/** Every request of the page: its address, and the address of the document that made it. */
let asked: { url: string; from: string }[];
closeAfterEach(() => page);

async function openSignIn(options?: { theme?: "light" | "dark"; width?: number }): Promise<void> {
  page = await browser.open(`${gateway.service.url}/docs`, options);
  await page.context().clearCookies();
  asked = [];
  page.on("request", (request) => asked.push({ url: request.url(), from: request.frame().url() }));
  await page.goto(`${gateway.service.url}/sign-in`);
  await page.getByRole("button", { name: "Continue with GitHub" }).waitFor();
}

/**
 * Telegram's answers are dated by the second, and the service takes each of them once: two answers for one person in the same second
 * would be the same.
 */
function untilNextSecond(): Promise<void> {
  const readSecond = () => Math.floor(Date.now() / 1_000);
  return expect.poll(readSecond).toBeGreaterThan(readSecond());
}

async function goTo(provider: IdentityProvider): Promise<void> {
  await page.getByRole("button", { name: `Continue with ${identityProviders[provider].title}` }).click();
  await page.waitForURL(`${new URL(identities.settings[provider].baseUrl).origin}/${provider}/**`);
}

describe("with an account elsewhere", () => {
  test.each(["github", "google", "telegram"] as const)(
    "%s: there, back, signed in, signed out, again",
    async (provider) => {
      const email = `${provider}@example.com`;
      identities.setPerson(newPerson(email));
      await openSignIn();
      await goTo(provider);
      await page.getByRole("link", { name: "Authorize" }).click();
      await page.getByText("2.50 credits").waitFor();
      await page.locator(".chip", { hasText: provider === "telegram" ? "telegram:" : email }).waitFor();
      expect(page.url()).toBe(`${gateway.service.url}/`);
      await page.reload();
      await page.getByText("2.50 credits").waitFor();
      // Nothing of the provider's ran or was loaded in a page of ours.
      const foreign = asked.filter(({ url }) => !url.startsWith(gateway.service.url));
      expect(foreign.every(({ url }) => url.includes("/authorize?") || url.includes("/auth?"))).toBe(true);
      const names = (await page.context().cookies()).map(({ name }) => name);
      expect(names).toEqual(["__Host-svc_session"]);
      await page.goBack();
      expect(page.url()).not.toMatch(/code=|state=|tgAuthResult/);
      await page.goto(`${gateway.service.url}/`);
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("link", { name: "Sign in", exact: true }).click();
      if (provider === "telegram") await untilNextSecond();
      await goTo(provider);
      await page.getByRole("link", { name: "Authorize" }).click();
      await page.getByText("2.50 credits").waitFor();
    },
  );

  test.each(["github", "telegram"] as const)(
    "%s: who declines is told so, and may choose another way",
    async (provider) => {
      identities.setPerson(newPerson("declines@example.com"));
      await openSignIn();
      await goTo(provider);
      await page.getByRole("link", { name: "Cancel" }).click();
      await page.getByRole("alert").waitFor();
      const told = await page.getByRole("alert").innerText();
      expect(told).toContain(identityProviders[provider].title);
      expect(told).not.toContain("canary");
      expect(page.url()).toBe(`${gateway.service.url}/sign-in`);
      await goTo("google");
      await page.getByRole("link", { name: "Authorize" }).click();
      await page.getByText("2.50 credits").waitFor();
    },
  );

  test("an address with somebody else's answer signs nobody in, and no log holds a secret, a code or an address", async () => {
    identities.setPerson(newPerson("attacker@example.com"));
    await openSignIn();
    await goTo("github");
    const stolen = await page.getByRole("link", { name: "Authorize" }).getAttribute("href");
    await page.context().clearCookies();
    await page.goto(stolen!);
    expect(await page.getByRole("alert").innerText()).toMatch(/GitHub did not work out/);
    expect(page.url()).toBe(`${gateway.service.url}/sign-in`);
    expect(await page.context().cookies()).toEqual([]);
    const log = () => gateway.service.stdout() + gateway.service.stderr();
    await expect.poll(log).toContain('"reason":"github-state"');
    for (const secret of ["canary", "gho_", "ya29", "@example.com", "tgAuthResult"])
      expect(log()).not.toContain(secret);
  });
});

describe("linking on the account page", () => {
  const section = () => page.locator("section", { has: page.getByRole("heading", { name: "Signing in" }) });

  /** Signed in with Telegram, on the account page. */
  async function openAccount(options?: { theme?: "light" | "dark"; width?: number }): Promise<void> {
    identities.setPerson(newPerson(`${crypto.randomUUID()}@example.com`));
    await openSignIn(options);
    await goTo("telegram");
    await page.getByRole("link", { name: "Authorize" }).click();
    await page.getByText("2.50 credits").waitFor();
    await page.goto(`${gateway.service.url}/account`);
    await section().getByText("Telegram", { exact: true }).waitFor();
  }

  /** Presses a button by key: the sections above are still being loaded, and move it away from a pointer. */
  async function link(provider: IdentityProvider, answer: "Authorize" | "Cancel"): Promise<void> {
    await section()
      .getByRole("button", { name: `Link ${identityProviders[provider].title}` })
      .press("Enter");
    await page.getByRole("link", { name: answer }).click();
    await page.waitForURL(`${gateway.service.url}/account`);
  }

  test("links another, signs in with it, unlinks the first; the last one stays", async () => {
    await openAccount();
    await section().getByText("the last way in").first().waitFor();
    expect(
      await section()
        .getByRole("button", { name: /Unlink/ })
        .count(),
    ).toBe(0);
    await link("github", "Authorize");
    await page.getByRole("status").getByText("GitHub is linked").waitFor();
    await page.locator(".chip", { hasText: "telegram:" }).waitFor();
    const shown = page.url();
    await page.goBack();
    expect(page.url()).not.toMatch(/code=|state=/);
    await page.goto(shown);
    await section().getByRole("button", { name: "Unlink Telegram" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await section().getByText("Telegram is unlinked").waitFor();
    await section().getByText("the last way in").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in", exact: true }).click();
    await goTo("github");
    await page.getByRole("link", { name: "Authorize" }).click();
    await page.getByText("2.50 credits").waitFor();
    await page.locator(".chip", { hasText: "telegram:" }).waitFor();
  });

  test("says so where somebody declines, and where another account has the identity", async () => {
    const owner = newPerson(`${crypto.randomUUID()}@example.com`);
    identities.setPerson(owner);
    await openSignIn();
    await goTo("google");
    await page.getByRole("link", { name: "Authorize" }).click();
    await page.getByText("2.50 credits").waitFor();
    await page.close();
    await openAccount();
    await link("google", "Cancel");
    await page.getByRole("alert").getByText("Google did not say who you are").waitFor();
    identities.setPerson(owner);
    await link("google", "Authorize");
    await page.getByRole("alert").getByText("signs in to another account here").waitFor();
    await section().getByRole("button", { name: "Link Google" }).waitFor();
  });

  test("is not offered to an API key", async () => {
    const caller = await gateway.newCaller(1_000_000);
    await openSignIn();
    await page.goto(`${gateway.service.url}/account`);
    await signIn(page, caller.apiKey);
    await page.getByRole("heading", { name: "API keys" }).waitFor();
    expect(await section().count()).toBe(0);
  });

  test.each(["light", "dark"] as const)("has nothing that axe finds wrong: %s", async (theme) => {
    await openAccount({ theme, width: 360 });
    await link("github", "Authorize");
    await section().getByRole("button", { name: "Unlink GitHub" }).waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
  });
});

describe("the page", () => {
  test.each(["light", "dark"] as const)(
    "has nothing that axe finds wrong, and fits a phone: %s",
    async (theme) => {
      await openSignIn({ theme, width: 390 });
      expect(await findAccessibilityFaults(page)).toEqual([]);
      await expectFits(page);
    },
  );

  test("does not exist for a provider that the service does not know", async () => {
    await openSignIn();
    expect((await page.goto(`${gateway.service.url}/sign-in/gitlab`))!.status()).toBe(404);
    await page.goto(`${gateway.service.url}/sign-in`);
  });
});
