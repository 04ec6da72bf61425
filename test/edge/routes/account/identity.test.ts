// Signing in with GitHub, Google and Telegram, in workerd against a real database and fake providers as strict as the real ones: which
// account it signs in to, and what is refused. docs/security.md lists the refused attempts.
import { describe, expect, test, vi } from "vitest";
import { type IdentityProvider, identityProviderNames } from "../../../../shared/identity-providers.ts";
import { newPerson, type Person, readReturned, secrets } from "../../../support/fake-identities.ts";
import { createTestApp, newCaller } from "../../support/app.ts";
import { makeLink, newAddress, openBrowser, ownOrigin, type TestBrowser } from "../../support/browser.ts";
import { byCode, openScene } from "../../support/identity-scene.ts";

vi.setConfig({ testTimeout: 30_000 });

describe("an account elsewhere", () => {
  test.each(identityProviderNames)(
    "%s signs a person in, and the next time to the same account",
    async (provider) => {
      const { app, browser, signIn } = await openScene({ signUpCreditMicro: 1_500_000 });
      const person = newPerson(newAddress());
      const first = await signIn(provider, person);
      expect(first).toMatchObject({ status: 200, body: { account_id: expect.stringMatching(/^acct_/) } });
      expect(await browser.session()).toMatchObject({ signed_in: true, ...first.body });
      expect(await (await browser.ask("/v1/account/balance")).json()).toMatchObject({ balance: 1.5 });
      const again = openBrowser(app);
      expect((await signIn(provider, person, again)).body.account_id).toBe(first.body.account_id);
      expect(await (await again.ask("/v1/account/balance")).json()).toMatchObject({ balance: 1.5 });
      expect((await signIn(provider, newPerson(newAddress()), again)).body.account_id).not.toBe(
        first.body.account_id,
      );
    },
  );

  test.each(["github", "google"] as const)(
    "%s: a verified address joins the account it has",
    async (provider) => {
      const { app, signIn } = await openScene({ signUpCreditMicro: 1_500_000 });
      const email = newAddress();
      const accountId = await byCode(app, email);
      const spelled = newPerson(email.toUpperCase());
      const joined = await signIn(provider, spelled);
      expect(joined.body).toMatchObject({ account_id: accountId, email });
      const other = provider === "github" ? "google" : "github";
      expect((await signIn(other, spelled, openBrowser(app))).body.account_id).toBe(accountId);
      const { balance } = (await (
        await (await signedInBy(app, accountId)).ask("/v1/account/balance")
      ).json()) as {
        balance: number;
      };
      expect(balance).toBe(1.5);
    },
  );

  test("gets no credit for another spelling of a mailbox that has had it", async () => {
    const { app, browser, signIn } = await openScene({ signUpCreditMicro: 1_500_000 });
    const email = newAddress();
    const first = await signedInBy(app, await byCode(app, email));
    expect(await (await first.ask("/v1/account/balance")).json()).toMatchObject({ balance: 1.5 });
    const { status } = await signIn("github", newPerson(email.replace("@", "+1@")));
    expect(status).toBe(200);
    expect(await (await browser.ask("/v1/account/balance")).json()).toMatchObject({ balance: 0 });
  });

  test("stays with its account when its address changes, and when that address is somebody else's here", async () => {
    const { app, signIn } = await openScene();
    const person = newPerson(newAddress());
    const first = await signIn("google", person);
    const taken = newAddress();
    const other = await byCode(app, taken);
    const moved = { ...person, google: { ...person.google, email: taken } };
    const second = await signIn("google", moved, openBrowser(app));
    expect(second.body.account_id).toBe(first.body.account_id);
    expect(second.body.account_id).not.toBe(other);
  });

  const unverified: [string, IdentityProvider, (email: string) => Partial<Person>][] = [
    [
      "google says so",
      "google",
      (email) => ({ google: { sub: crypto.randomUUID(), email, email_verified: false } }),
    ],
    ["google does not say", "google", (email) => ({ google: { sub: crypto.randomUUID(), email } })],
    ["google gives none", "google", () => ({ google: { sub: crypto.randomUUID() } })],
    [
      "github's primary is not verified",
      "github",
      (email) => ({
        github: {
          id: 1 + Math.floor(Math.random() * 1e12),
          emails: [{ email, primary: true, verified: false }],
        },
      }),
    ],
    [
      "github has verified another",
      "github",
      (email) => ({
        github: {
          id: 1 + Math.floor(Math.random() * 1e12),
          emails: [
            { email: newAddress(), primary: true, verified: false },
            { email, primary: false, verified: true },
          ],
        },
      }),
    ],
    [
      "github's is no address of ours: two spellings may be one mailbox",
      "github",
      (email) => ({
        github: {
          id: 1 + Math.floor(Math.random() * 1e12),
          emails: [{ email: email.replace("@", "ü@"), primary: true, verified: true }],
        },
      }),
    ],
  ];
  test.each(unverified)("an unverified address joins nothing: %s", async (_name, provider, change) => {
    const { app, signIn } = await openScene();
    const email = newAddress();
    const accountId = await byCode(app, email);
    const begun = await signIn(provider, { ...newPerson(email), ...change(email) });
    expect(begun.status).toBe(200);
    expect(begun.body.account_id).not.toBe(accountId);
    expect(begun.body.email).toMatch(new RegExp(`^${provider}:`));
    // Nor does a code for what stands in the address's place.
    expect((await openBrowser(app).askForCode(String(begun.body.email))).status).toBe(400);
  });

  test("two sign-ins of one new person at the same time make one account, with credit once", async () => {
    const { app, agree } = await openScene({ signUpCreditMicro: 1_000_000 });
    const person = newPerson(newAddress());
    const browsers = Array.from({ length: 6 }, () => openBrowser(app));
    const proofs = await Promise.all(
      browsers.map((at, index) => agree(index % 2 ? "github" : "google", person, at)),
    );
    const begun = await Promise.all(browsers.map((at, index) => at.signIn(proofs[index])));
    const accounts = await Promise.all(
      begun.map(async (response) => ((await response.json()) as { account_id: string }).account_id),
    );
    expect(new Set(accounts).size).toBe(1);
    expect(await (await browsers[0]!.ask("/v1/account/balance")).json()).toMatchObject({ balance: 1 });
  });

  test("the browser is told only what it needs: no secret, S256, this service's own page", async () => {
    const { leave } = await openScene();
    for (const provider of ["github", "google"] as const) {
      const url = new URL(await leave(provider));
      expect(Object.fromEntries(url.searchParams)).toMatchObject({
        response_type: "code",
        redirect_uri: `${ownOrigin}/sign-in/${provider}`,
        state: expect.stringMatching(/^[0-9a-f]{64}$/),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: "S256",
      });
      expect(url.href).not.toContain(secrets[provider]);
    }
    const telegram = new URL(await leave("telegram"));
    expect(Object.fromEntries(telegram.searchParams)).toEqual({
      bot_id: "7000001",
      origin: ownOrigin,
      return_to: expect.stringMatching(new RegExp(`^${ownOrigin}/sign-in/telegram\\?state=[0-9a-f]{64}$`)),
    });
    expect(telegram.href).not.toContain("canary");
  });
});

async function signedInBy(app: ReturnType<typeof createTestApp>, accountId: string): Promise<TestBrowser> {
  const browser = openBrowser(app);
  await browser.signIn({ link: (await makeLink(app, accountId)).link });
  return browser;
}

describe("the way there and back", () => {
  const crossSite = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };

  test("begins and ends on our own pages only", async () => {
    const { browser, agree } = await openScene();
    const left = await browser.ask("/v1/account/sign-in/github", { method: "POST", headers: crossSite });
    expect(left.status).toBe(403);
    expect(left.headers.getSetCookie()).toEqual([]);
    const body = await agree("github", newPerson(newAddress()));
    const back = await browser.ask("/v1/account/sign-in", { method: "POST", body, headers: crossSite });
    expect(back.status).toBe(403);
    expect((await browser.ask("/v1/account/sign-in/github")).status).toBe(405);
  });

  test("is a cookie out of scripts' and other sites' reach, for ten minutes and one answer", async () => {
    const { browser, agree } = await openScene();
    const left = await browser.post("/v1/account/sign-in/google", undefined);
    const [cookie] = left.headers.getSetCookie();
    expect(cookie!.split("; ").slice(1).sort()).toEqual([
      "HttpOnly",
      "Max-Age=600",
      "Path=/",
      "SameSite=Strict",
      "Secure",
    ]);
    await browser.signIn({ ...(await agree("google", newPerson(newAddress()))), answer: "wrong" });
    expect(browser.jar.size).toBe(0);
  });

  test("a session that the browser had ends with the new one", async () => {
    const { app, signIn } = await openScene();
    const { accountId } = await newCaller(0);
    const browser = await signedInBy(app, accountId);
    const before = browser.cookie();
    await signIn("telegram", newPerson(newAddress()), browser);
    const old = await openBrowser(app).ask("/v1/account/balance", { headers: { cookie: before } });
    expect(old.status).toBe(401);
  });

  test.each([
    ["github", "/github"],
    ["google", "/google/token"],
    ["google", "/google/oauth2"],
  ] as const)("%s that does not answer (%s) is said, and may be tried again", async (provider, down) => {
    const { fake, app, browser, agree } = await openScene();
    const returned = await agree(provider, newPerson(newAddress()));
    fake.faults.down = down;
    const response = await browser.signIn(returned);
    expect(response.status).toBe(503);
    expect(browser.cookie()).toBe("");
    expect(JSON.stringify(app.logs)).not.toContain("canary");
  });

  test("is bounded for one network, as each answer asks the provider", async () => {
    const { fake, app, leave } = await openScene();
    const answers = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const browser = openBrowser(app);
        const { state } = readReturned(
          `${ownOrigin}/sign-in/github?${new URL(await leave("github", browser)).search.slice(1)}`,
        );
        return browser.signIn({ provider: "github", state, answer: "guess" });
      }),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(30);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    expect(fake.asked).toHaveLength(30);
  });

  test.each([...identityProviderNames, "gitlab", "__proto__", "constructor"])(
    "%s is 404 where it is not set up, and no way that the page shows",
    async (provider) => {
      const { browser } = await openScene({ identities: {} });
      const left = await browser.post(`/v1/account/sign-in/${provider}`, undefined);
      expect(left.status).toBe(404);
      expect(left.headers.getSetCookie()).toEqual([]);
      const handed = await browser.signIn({ provider, state: "0".repeat(64), answer: "x" });
      expect(handed.status).toBe(404);
      expect((await browser.ask(`/sign-in/${provider}`)).status).toBe(404);
      expect(await browser.session()).toEqual({ signed_in: false, methods: ["code"], codes: "log" });
    },
  );

  test("the page is told which ways there are", async () => {
    const { fake, browser } = await openScene();
    expect(await browser.session()).toEqual({
      signed_in: false,
      methods: ["code", ...identityProviderNames],
      codes: "log",
    });
    const { telegram } = fake.settings;
    const alone = openBrowser(createTestApp({ mail: undefined, identities: { telegram } }));
    expect(await alone.session()).toEqual({ signed_in: false, methods: ["telegram"] });
  });
});
