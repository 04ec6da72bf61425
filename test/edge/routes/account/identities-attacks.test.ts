// Links and unlinkings that another site, another account or an old browser asks for: each is refused and changes nothing.
import { describe, expect, test, vi } from "vitest";
import { createApiKey, hashApiKey } from "../../../../edge/api-key.ts";
import { setSuspended } from "../../../../edge/db/accounts.ts";
import { addApiKey } from "../../../../edge/db/api-keys.ts";
import { newPerson, type Person } from "../../../support/fake-identities.ts";
import { createTestApp, newCaller } from "../../support/app.ts";
import { newAddress, openBrowser, signedIn, type TestBrowser } from "../../support/browser.ts";
import { identitiesPath, openScene, type Scene } from "../../support/identity-scene.ts";
import { accountOf, unlink, waysOf } from "../../support/ways-to-sign-in.ts";

vi.setConfig({ testTimeout: 30_000 });

/** What is tried on a victim who is signed in and has linked Telegram; with `status`, and nothing has changed. */
type Attempt = [
  name: string,
  status: number,
  attempt: (scene: Scene & { victim: TestBrowser; person: Person }) => Promise<Response>,
];
const crossSite = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
const attackerPerson = () => newPerson(newAddress());

const attempts: Attempt[] = [
  [
    "another site begins",
    403,
    ({ victim }) => victim.ask(`${identitiesPath}/github`, { method: "POST", headers: crossSite }),
  ],
  [
    "another site hands in an answer of the victim's own attempt",
    403,
    async ({ victim, agreeToLink }) => {
      const body = await agreeToLink("github", attackerPerson(), victim);
      return victim.ask(identitiesPath, { method: "POST", body, headers: crossSite });
    },
  ],
  [
    "another site unlinks",
    403,
    ({ victim, person }) => unlink(victim, "telegram", String(person.telegram.id), crossSite),
  ],
  ["another site reads", 403, ({ victim }) => victim.ask(identitiesPath, { headers: crossSite })],
  [
    "the attacker's answer, as an address that the victim opens",
    401,
    async ({ app, victim, agreeToLink }) =>
      victim.post(identitiesPath, await agreeToLink("github", attackerPerson(), await signedIn(app))),
  ],
  [
    "the attacker's answer, while the victim is away to link",
    401,
    async ({ app, victim, agreeToLink }) => {
      const answer = await agreeToLink("github", attackerPerson(), await signedIn(app));
      await agreeToLink("github", attackerPerson(), victim);
      return victim.post(identitiesPath, answer);
    },
  ],
  [
    "an answer to an attempt to sign in, in the same browser",
    401,
    async ({ victim, agree }) => victim.post(identitiesPath, await agree("github", attackerPerson(), victim)),
  ],
  [
    "an answer to an attempt to link, handed in to sign in",
    401,
    async ({ victim, agreeToLink }) => victim.signIn(await agreeToLink("github", attackerPerson(), victim)),
  ],
  [
    "an answer to an attempt of an earlier session in the same browser",
    401,
    async ({ app, victim, agreeToLink }) => {
      const browser = await signedIn(app);
      const answer = await agreeToLink("github", attackerPerson(), browser);
      const [name, value] = victim.cookie().split("=") as [string, string];
      browser.jar.set(name, value);
      return browser.post(identitiesPath, answer);
    },
  ],
  [
    "the same answer again",
    401,
    async ({ app, agreeToLink }) => {
      const browser = await signedIn(app);
      const answer = await agreeToLink("telegram", attackerPerson(), browser);
      const attempt = browser.jar.get("__Host-svc_sign_in")!;
      expect((await browser.post(identitiesPath, answer)).status).toBe(200);
      browser.jar.set("__Host-svc_sign_in", attempt);
      return browser.post(identitiesPath, answer);
    },
  ],
  [
    "an answer that has signed somebody in",
    401,
    async ({ app, agree, agreeToLink }) => {
      const person = attackerPerson();
      const other = openBrowser(app);
      const signedInWith = await agree("telegram", person, other);
      expect((await other.signIn(signedInWith)).status).toBe(200);
      const own = await signedIn(app);
      const { state } = await agreeToLink("telegram", person, own);
      return own.post(identitiesPath, { ...signedInWith, state });
    },
  ],
  [
    "another account unlinks it",
    404,
    async ({ app, person }) => unlink(await signedIn(app), "telegram", String(person.telegram.id)),
  ],
  ["a provider that is none", 404, ({ victim }) => unlink(victim, "__proto__", "1")],
  ["an identity that is none", 404, ({ victim }) => unlink(victim, "github", "1")],
  ["nobody signed in begins", 401, ({ app }) => openBrowser(app).post(`${identitiesPath}/github`, undefined)],
  ["nobody signed in reads", 401, ({ app }) => openBrowser(app).ask(identitiesPath)],
  [
    "an API key that may manage the account's keys",
    401,
    async ({ app, victim }) => {
      const key = createApiKey(crypto.getRandomValues(new Uint8Array(32)));
      await addApiKey(app.database, {
        keyId: `key_${crypto.randomUUID()}`,
        accountId: String(await accountOf(victim)),
        name: "manages",
        manage: true,
        hash: await hashApiKey(key),
        now: Date.now(),
      });
      return app.send(identitiesPath, { headers: { authorization: `Bearer ${key}` } });
    },
  ],
  [
    "a suspended account",
    403,
    async ({ app, agreeToLink }) => {
      const { accountId } = await newCaller(0);
      const browser = await signedIn(app, accountId);
      const answer = await agreeToLink("github", attackerPerson(), browser);
      await setSuspended(app.database, accountId, Date.now());
      return browser.post(identitiesPath, answer);
    },
  ],
];

describe("is refused, and changes nothing", () => {
  test.each(attempts)("%s", async (_name, status, attempt) => {
    const scene = await openScene();
    const person = newPerson(newAddress());
    const victim = await signedIn(scene.app);
    await scene.link("telegram", person, victim);
    const before = await waysOf(victim);
    const response = await attempt({ ...scene, victim, person });
    expect(response.status).toBe(status);
    const { message } = (await response.json()) as { message: string };
    expect(message).toMatch(/\S/);
    expect(await waysOf(victim)).toEqual(before);
    const logs = JSON.stringify(scene.app.logs.filter(({ event }) => event === "request"));
    expect(logs).not.toContain("canary");
    expect(logs).not.toContain(String(person.telegram.id));
  });

  test("is 404 where the provider is not set up", async () => {
    const browser = await signedIn(createTestApp({ identities: {} }));
    expect((await browser.post(`${identitiesPath}/github`, undefined)).status).toBe(404);
    const body = { provider: "github", state: "0".repeat(64), answer: "x" };
    expect((await browser.post(identitiesPath, body)).status).toBe(404);
  });
});
