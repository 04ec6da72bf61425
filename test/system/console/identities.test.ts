// Signing in with GitHub, Google and Telegram in Chromium against the whole service, which asks fake ones on loopback.
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type IdentityProvider, identityProviders } from "../../../shared/identity-providers.ts";
import { newPerson } from "../../support/fake-identities.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { type IdentityServer, startIdentityServer } from "../../support/identity-server.ts";
import { type Console, findAccessibilityFaults, startConsole } from "./console-page.ts";

let identities: IdentityServer;
let gateway: Gateway;
let browser: Console;
let page: Page;
/** Every request of the page: where to, and from which document. */
let asked: { url: string; from: string }[];
beforeAll(async () => {
  identities = await startIdentityServer();
  gateway = await startGateway({ SIGN_UP_CREDITS: "2.5", ...identities.variables });
  browser = await startConsole();
});
afterEach(async () => {
  expect(await page.evaluate(() => window.violations)).toEqual([]);
  await page.close();
});
afterAll(async () => {
  await browser?.stop();
  await gateway?.stop();
  await identities?.stop();
});

async function openSignIn(options?: { theme?: "light" | "dark"; width?: number }): Promise<void> {
  page = await browser.open(`${gateway.service.url}/docs`, options);
  await page.context().clearCookies();
  asked = [];
  page.on("request", (request) => asked.push({ url: request.url(), from: request.frame().url() }));
  await page.goto(`${gateway.service.url}/sign-in`);
  await page.getByRole("button", { name: "Continue with GitHub" }).waitFor();
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
      expect(await page.locator(".chip").innerText()).toContain(
        provider === "telegram" ? "telegram:" : email,
      );
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
      await page.waitForTimeout(1_100);
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
    const log = gateway.service.stdout() + gateway.service.stderr();
    for (const secret of ["canary", "gho_", "ya29", "@example.com", "tgAuthResult"])
      expect(log).not.toContain(secret);
    expect(log).toContain('"reason":"github-state"');
  });
});

describe("the page", () => {
  test.each(["light", "dark"] as const)(
    "has nothing that axe finds wrong, and fits a phone: %s",
    async (theme) => {
      await openSignIn({ theme, width: 390 });
      expect(await findAccessibilityFaults(page)).toEqual([]);
      const over = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(over).toBe(0);
    },
  );

  test("is not there for a provider that nobody has set up", async () => {
    await openSignIn();
    expect((await page.goto(`${gateway.service.url}/sign-in/gitlab`))!.status()).toBe(404);
    await page.goto(`${gateway.service.url}/sign-in`);
  });
});
