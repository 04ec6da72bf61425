/** A browser of the app's beside GitHub, Google and Telegram, which ask a person and send it back. */
import { expect } from "vitest";
import type { IdentityProvider } from "../../../shared/identity-providers.ts";
import { createFakeIdentities, type Person, readReturned } from "../../support/fake-identities.ts";
import { createTestApp, type TestAppOptions } from "./app.ts";
import { lastCode, openBrowser, type TestApp, type TestBrowser } from "./browser.ts";

export async function openScene(options: TestAppOptions = {}) {
  let now = Date.now();
  const fake = await createFakeIdentities("https://identities.example", () => now);
  const app = createTestApp({ now: () => now, identities: fake.settings, fetch: fake.fetch, ...options });
  const browser = openBrowser(app);
  /** @returns where the provider's page is */
  const leave = async (provider: IdentityProvider, at: TestBrowser = browser): Promise<string> => {
    const left = await at.post(`/v1/account/sign-in/${provider}`, undefined);
    expect(left.status).toBe(200);
    return ((await left.json()) as { url: string }).url;
  };
  /** What the page hands in after a person has agreed. */
  const agree = async (provider: IdentityProvider, person: Person, at: TestBrowser = browser) =>
    readReturned(await fake.agree(await leave(provider, at), person));
  const signIn = async (provider: IdentityProvider, person: Person, at: TestBrowser = browser) => {
    const begun = await at.signIn(await agree(provider, person, at));
    // Telegram's fields of one second are the same, and count once.
    now += 1_000;
    return { status: begun.status, body: (await begun.json()) as Record<string, unknown> };
  };
  /** What the page of a browser that is signed in hands in after a person has agreed to be linked. */
  const agreeToLink = async (provider: IdentityProvider, person: Person, at: TestBrowser = browser) => {
    const left = await at.post(`${identitiesPath}/${provider}`, undefined);
    expect(left.status).toBe(200);
    return readReturned(await fake.agree(((await left.json()) as { url: string }).url, person));
  };
  const link = async (provider: IdentityProvider, person: Person, at: TestBrowser = browser) => {
    const linked = await at.post(identitiesPath, await agreeToLink(provider, person, at));
    now += 1_000;
    return linked;
  };
  const pass = (ms: number) => (now += ms);
  return { fake, app, browser, leave, agree, signIn, agreeToLink, link, pass };
}

export const identitiesPath = "/v1/account/session/identities";

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** Signs in to an account of this address by a code. */
export async function byCode(app: TestApp, email: string): Promise<string> {
  const browser = openBrowser(app);
  const { id } = (await (await browser.askForCode(email)).json()) as { id: string };
  const begun = await browser.signIn({ id, email, code: lastCode(app, email) });
  return ((await begun.json()) as { account_id: string }).account_id;
}
