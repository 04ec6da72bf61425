// Forged, stolen, late and foreign answers of an identity provider: each is refused and signs nobody in.
import { generateKeyPair, UnsecuredJWT } from "jose";
import { describe, expect, test, vi } from "vitest";
import { type IdentityProvider, identityProviderNames } from "../../../../shared/identity-providers.ts";
import {
  encodeFields,
  newPerson,
  type Person,
  readReturned,
  secrets,
  signFields,
} from "../../../support/fake-identities.ts";
import { createTestApp } from "../../support/app.ts";
import { newAddress, openBrowser } from "../../support/browser.ts";
import { openScene, type Scene } from "../../support/identity-scene.ts";

vi.setConfig({ testTimeout: 30_000 });
const minute = 60_000;

/** What is handed in, having changed what is right. */
type Attempt = [
  name: string,
  provider: IdentityProvider,
  attempt: (scene: Scene, person: Person) => Promise<Response>,
];

const forgedAnswer = (change: (fields: Record<string, string | number>) => unknown) => {
  return async ({ browser, leave }: Scene, person: Person) => {
    const { state } = readReturned(new URL(await leave("telegram")).searchParams.get("return_to")!);
    const fields: Record<string, string | number> = {
      ...person.telegram,
      auth_date: Math.floor(Date.now() / 1000),
    };
    fields.hash = await signFields(fields, secrets.telegram);
    return browser.signIn({ provider: "telegram", state, answer: encodeFields(change(fields)) });
  };
};
const withClaims =
  (claims: NonNullable<Scene["fake"]["faults"]["claims"]>) => async (scene: Scene, person: Person) => {
    const returned = await scene.agree("google", person);
    scene.fake.faults.claims = claims;
    return scene.browser.signIn(returned);
  };
const seconds = () => Math.floor(Date.now() / 1000);

/** The three ways have these in common. */
const ofEach: Attempt[] = identityProviderNames.flatMap((provider): Attempt[] => [
  [
    "a forged state",
    provider,
    async ({ browser, agree }, person) =>
      browser.signIn({ ...(await agree(provider, person)), state: "0".repeat(64) }),
  ],
  [
    "no state",
    provider,
    async ({ browser, agree }, person) => browser.signIn({ ...(await agree(provider, person)), state: "" }),
  ],
  [
    "another browser's answer: a victim who is led to the attacker's return",
    provider,
    async ({ app, agree, leave }, person) => {
      const victim = openBrowser(app);
      await leave(provider, victim);
      return victim.signIn(await agree(provider, person, openBrowser(app)));
    },
  ],
  [
    "a browser that never began",
    provider,
    async ({ app, agree }, person) => openBrowser(app).signIn(await agree(provider, person)),
  ],
  [
    "the same answer again, from the same browser",
    provider,
    async ({ browser, agree }, person) => {
      const returned = await agree(provider, person);
      const attempt = browser.jar.get("__Host-svc_sign_in")!;
      expect((await browser.signIn(returned)).status).toBe(200);
      browser.jar.clear();
      browser.jar.set("__Host-svc_sign_in", attempt);
      return browser.signIn(returned);
    },
  ],
  [
    "an attempt of eleven minutes ago",
    provider,
    async ({ browser, agree, pass }, person) => {
      const returned = await agree(provider, person);
      pass(11 * minute);
      return browser.signIn(returned);
    },
  ],
  [
    "an attempt whose end was written later",
    provider,
    async ({ browser, agree, pass }, person) => {
      const returned = await agree(provider, person);
      const [end, rest] = browser.jar.get("__Host-svc_sign_in")!.split(".");
      browser.jar.set("__Host-svc_sign_in", `${Number(end) + 60 * minute}.${rest}`);
      pass(11 * minute);
      return browser.signIn(returned);
    },
  ],
  [
    "an attempt that was begun for another provider",
    provider,
    async ({ app, browser, agree }, person) => {
      const other = provider === "github" ? "google" : "github";
      const response = await browser.signIn({ ...(await agree(other, person)), provider });
      expect(app.logs.at(-1)).toMatchObject({ reason: `${provider}-state` });
      return response;
    },
  ],
  [
    "an answer that the provider never gave",
    provider,
    async ({ browser, agree }, person) =>
      browser.signIn({ ...(await agree(provider, person)), answer: crypto.randomUUID() }),
  ],
]);

const attempts: Attempt[] = [
  ...ofEach,
  ...(["github", "google"] as const).map(
    (provider): Attempt => [
      "another browser's code, unused, with one's own state: its PKCE verifier is another",
      provider,
      async ({ app, agree, leave }, person) => {
        const stolen = await agree(provider, person);
        const attacker = openBrowser(app);
        const state = new URL(await leave(provider, attacker)).searchParams.get("state");
        return attacker.signIn({ ...stolen, state });
      },
    ],
  ),
  [
    "fields that somebody has used, with one's own state",
    "telegram",
    async ({ app, browser, agree, leave }, person) => {
      const stolen = await agree("telegram", person);
      expect((await browser.signIn(stolen)).status).toBe(200);
      const attacker = openBrowser(app);
      const back = new URL(await leave("telegram", attacker)).searchParams.get("return_to")!;
      return attacker.signIn({ ...stolen, state: readReturned(back).state });
    },
  ],
  ["a tampered hash", "telegram", forgedAnswer((fields) => ({ ...fields, hash: "0".repeat(64) }))],
  ["another person's id", "telegram", forgedAnswer((fields) => ({ ...fields, id: Number(fields.id) + 1 }))],
  ["a field more", "telegram", forgedAnswer((fields) => ({ ...fields, admin: "1" }))],
  ["a field less", "telegram", forgedAnswer(({ username: _, ...fields }) => fields)],
  ["no hash", "telegram", forgedAnswer(({ hash: _, ...fields }) => fields)],
  ["somebody who declined", "telegram", forgedAnswer(() => false)],
  ["fields that are no object", "telegram", forgedAnswer(() => [1])],
  [
    "fields signed by another bot",
    "telegram",
    async ({ browser, leave }, person) => {
      const { state } = readReturned(new URL(await leave("telegram")).searchParams.get("return_to")!);
      const fields = { ...person.telegram, auth_date: seconds() };
      const hash = await signFields(fields, "7000001:another-token-0123456789abcdef");
      return browser.signIn({ provider: "telegram", state, answer: encodeFields({ ...fields, hash }) });
    },
  ],
  ...(
    [
      ["fields of six minutes ago", -360],
      ["fields of the year to come", 31_536_000],
    ] as const
  ).map(
    ([name, offset]): Attempt => [
      name,
      "telegram",
      async ({ browser, leave }, person) => {
        const { state } = readReturned(new URL(await leave("telegram")).searchParams.get("return_to")!);
        const fields = { ...person.telegram, auth_date: seconds() + offset };
        const hash = await signFields(fields, secrets.telegram);
        return browser.signIn({ provider: "telegram", state, answer: encodeFields({ ...fields, hash }) });
      },
    ],
  ),
  ["a nonce of another attempt", "google", withClaims({ nonce: "0".repeat(64) })],
  ["no nonce", "google", withClaims({ nonce: undefined })],
  ["another audience", "google", withClaims({ aud: "somebody-else.apps.example.com" })],
  ["an authorized party that is not us", "google", withClaims({ azp: "somebody-else.apps.example.com" })],
  ["another issuer", "google", withClaims({ iss: "https://evil.example" })],
  ["the real issuer, where another is set", "google", withClaims({ iss: "https://accounts.google.com" })],
  ["a token that has expired", "google", withClaims({ iat: seconds() - 7200, exp: seconds() - 3600 })],
  ["a token without an end", "google", withClaims({ exp: undefined })],
  ["a token about nobody", "google", withClaims({ sub: "" })],
  [
    "a token that somebody else has signed",
    "google",
    async (scene, person) => {
      const returned = await scene.agree("google", person);
      scene.fake.faults.signedBy = (await generateKeyPair("RS256")).privateKey;
      return scene.browser.signIn(returned);
    },
  ],
  [
    "a token that nobody has signed",
    "google",
    async ({ fake, leave }, person) => {
      const app = createTestApp({
        identities: fake.settings,
        fetch: (async (input, init) => {
          if (!String(input).endsWith("/google/token")) return fake.fetch(input, init);
          const nonce = new URL(address).searchParams.get("nonce")!;
          const unsigned = new UnsecuredJWT({ ...person.google, nonce })
            .setIssuer(fake.settings.google.baseUrl)
            .setAudience(fake.settings.google.clientId)
            .setIssuedAt()
            .setExpirationTime("1h");
          return Response.json({ access_token: "x", id_token: unsigned.encode() });
        }) as typeof fetch,
      });
      const browser = openBrowser(app);
      const address = await leave("google", browser);
      return browser.signIn(readReturned(await fake.agree(address, person)));
    },
  ],
  [
    "a profile without its list of addresses: it would make an account that stays",
    "github",
    async (scene, person) => {
      const returned = await scene.agree("github", person);
      scene.fake.faults.emailsRefused = true;
      return scene.browser.signIn(returned);
    },
  ],
];

describe("is refused, and signs nobody in", () => {
  test.each(attempts)("%s (%s)", async (_name, provider, attempt) => {
    const scene = await openScene();
    const person = newPerson(newAddress());
    const response = await attempt(scene, person);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: "authentication_failed" });
    const set = response.headers.getSetCookie();
    expect(set.filter((cookie) => !cookie.includes("Max-Age=0"))).toEqual([]);
    const logs = JSON.stringify(scene.app.logs);
    expect(logs).not.toContain("canary");
    expect(logs).not.toContain(String(person.google.email));
    expect(provider).toBeTypeOf("string");
  });
});
