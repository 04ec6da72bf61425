// Linking and unlinking identities, in workerd against a real database: whose an identity is afterwards, that the last way to sign in
// is never removed, and what is refused. docs/security.md lists the refused attempts.
import { describe, expect, test, vi } from "vitest";
import { type IdentityProvider, identityProviderNames } from "../../../../shared/identity-providers.ts";
import { newPerson, type Person } from "../../../support/fake-identities.ts";
import { createTestApp } from "../../support/app.ts";
import { newAddress, openBrowser, signedIn, type TestBrowser } from "../../support/browser.ts";
import { byCode, identitiesPath, openScene } from "../../support/identity-scene.ts";
import { accountOf, unlink, waysOf } from "../../support/ways-to-sign-in.ts";

vi.setConfig({ testTimeout: 30_000 });

const subjectOf = (provider: IdentityProvider, person: Person): string =>
  String({ github: person.github.id, google: person.google.sub, telegram: person.telegram.id }[provider]);

describe("linking", () => {
  test.each(identityProviderNames)("%s signs in to the account from then on", async (provider) => {
    const { app, link, signIn, ...scene } = await openScene();
    const browser = await signedIn(app);
    const accountId = await accountOf(browser);
    const person = newPerson(newAddress());
    const linked = await link(provider, person, browser);
    expect(linked.status).toBe(200);
    const entry = {
      provider,
      subject: subjectOf(provider, person),
      linked_at: expect.stringMatching(/Z$/),
      removable: true,
    };
    expect(await linked.json()).toEqual({ email: expect.stringContaining("@"), data: [entry] });
    expect((await waysOf(browser)).data).toEqual([entry]);
    expect((await signIn(provider, person, scene.browser)).body.account_id).toBe(accountId);
    // The session that linked it goes on, and a second time changes nothing.
    expect(await (await link(provider, person, browser)).json()).toMatchObject({ data: [entry] });
  });

  test("an identity of another account stays there, and who tries is told", async () => {
    const { app, browser, link, signIn } = await openScene();
    const person = newPerson(newAddress());
    const owner = (await signIn("telegram", person)).body.account_id;
    const other = await signedIn(app);
    const refused = await link("telegram", person, other);
    expect(refused.status).toBe(403);
    expect(await refused.json()).toEqual({
      error: "permission_denied",
      message: expect.stringMatching(/^This Telegram account signs in to another account here/),
    });
    expect((await waysOf(other)).data).toEqual([]);
    expect((await signIn("telegram", person, openBrowser(app))).body.account_id).toBe(owner);
    expect((await waysOf(browser)).data).toHaveLength(1);
  });

  test("of two accounts that link one identity at the same time one gets it", async () => {
    const { app, agreeToLink } = await openScene();
    const person = newPerson(newAddress());
    const browsers = await Promise.all([signedIn(app), signedIn(app), signedIn(app)]);
    const proofs = await Promise.all(browsers.map((at) => agreeToLink("github", person, at)));
    const linked = await Promise.all(browsers.map((at, index) => at.post(identitiesPath, proofs[index])));
    expect(linked.map(({ status }) => status).sort()).toEqual([200, 403, 403]);
    const ways = await Promise.all(browsers.map(waysOf));
    expect(ways.flatMap(({ data }) => data)).toHaveLength(1);
  });

  test("takes an identity whose address has an account of its own here: its subject is nobody's yet", async () => {
    const { app, link, signIn } = await openScene();
    const email = newAddress();
    const ofAddress = await byCode(app, email);
    const browser = await signedIn(app);
    const accountId = await accountOf(browser);
    expect(accountId).not.toBe(ofAddress);
    expect((await link("google", newPerson(email), browser)).status).toBe(200);
    const person = newPerson(email);
    await link("github", person, browser);
    expect((await signIn("github", person, openBrowser(app))).body.account_id).toBe(accountId);
    expect(await byCode(app, email)).toBe(ofAddress);
  });
});

describe("unlinking", () => {
  test.each(identityProviderNames)(
    "%s signs in to the account no more, by its address neither",
    async (provider) => {
      const { app, link, signIn } = await openScene({ signUpCreditMicro: 1_000_000 });
      const email = newAddress();
      const accountId = await byCode(app, email);
      const browser = await signedIn(app, accountId);
      const person = newPerson(email);
      await link(provider, person, browser);
      const left = await unlink(browser, provider, subjectOf(provider, person));
      expect(left.status).toBe(200);
      expect(await left.json()).toEqual({ email, data: [] });
      const again = await signIn(provider, person, openBrowser(app));
      if (provider === "telegram") {
        expect(again.status).toBe(200);
        expect(again.body.account_id).not.toBe(accountId);
        return;
      }
      expect(again.status).toBe(401);
      expect(again.body.message).toMatch(/was unlinked .* sign in another way/);
      expect(app.logs.at(-1)).toMatchObject({ reason: `${provider}-unlinked` });
      // Until its owner links it again.
      expect((await link(provider, person, browser)).status).toBe(200);
      expect((await signIn(provider, person, openBrowser(app))).body.account_id).toBe(accountId);
    },
  );

  test("sets an identity free for another account", async () => {
    const { app, link, signIn } = await openScene();
    const [one, other] = [await signedIn(app), await signedIn(app)];
    const person = newPerson(newAddress());
    await link("github", person, one);
    await unlink(one, "github", subjectOf("github", person));
    expect((await link("github", person, other)).status).toBe(200);
    expect((await signIn("github", person, openBrowser(app))).body.account_id).toBe(await accountOf(other));
    expect((await waysOf(one)).data).toEqual([]);
  });

  test("ends the account's other sessions, which may be of who has gone, and no other account's", async () => {
    const { app, browser, link, signIn } = await openScene();
    const own = await signedIn(app);
    const bystander = await signedIn(app);
    const person = newPerson(newAddress());
    await link("telegram", person, own);
    await signIn("telegram", person, browser);
    expect((await browser.session()).signed_in).toBe(true);
    await unlink(own, "telegram", subjectOf("telegram", person));
    expect((await browser.session()).signed_in).toBe(false);
    expect((await own.session()).signed_in).toBe(true);
    expect((await bystander.session()).signed_in).toBe(true);
  });

  const expectLast = async (browser: TestBrowser, provider: IdentityProvider, person: Person) => {
    expect((await waysOf(browser)).data).toContainEqual(
      expect.objectContaining({ provider, removable: false }),
    );
    const refused = await unlink(browser, provider, subjectOf(provider, person));
    expect(refused.status).toBe(409);
    expect(await refused.json()).toEqual({
      error: "limit_reached",
      message: expect.stringMatching(/is the last way to sign in to this account; link another/),
    });
    expect((await waysOf(browser)).data.map((entry) => entry.provider)).toContain(provider);
  };

  test("leaves the last way in: an account without an address keeps its only identity", async () => {
    const { browser, link, signIn } = await openScene();
    const person = newPerson(newAddress());
    await signIn("telegram", person);
    await expectLast(browser, "telegram", person);
    await link("github", person);
    expect((await unlink(browser, "telegram", subjectOf("telegram", person))).status).toBe(200);
    await expectLast(browser, "github", person);
  });

  test("leaves the last way in: where no codes are sent, an address is none", async () => {
    const { browser, signIn } = await openScene({ mail: undefined });
    const person = newPerson(newAddress());
    await signIn("github", person);
    expect((await waysOf(browser)).email).toBeNull();
    await expectLast(browser, "github", person);
  });

  test("leaves the last way in: an identity whose provider is not set up any more is none", async () => {
    const { fake, browser, link, signIn } = await openScene({ mail: undefined });
    const person = newPerson(newAddress());
    await signIn("telegram", person);
    await link("google", person);
    const { telegram } = fake.settings;
    const later = await signedIn(
      createTestApp({ mail: undefined, identities: { telegram }, fetch: fake.fetch }),
      String(await accountOf(browser)),
    );
    await expectLast(later, "telegram", person);
    expect((await unlink(later, "google", subjectOf("google", person))).status).toBe(200);
  });

  test("leaves the last way in: an address that leads to an older account is none", async () => {
    const { app, browser, signIn } = await openScene();
    const email = newAddress();
    const person = newPerson(email);
    const { account_id: accountId } = (await signIn("github", person)).body;
    // As an operator may have made one before.
    await app.database.execute({
      text: "INSERT INTO accounts (id, email, created_at) VALUES (?, ?, 1)",
      writes: true,
      parameters: [`acct_${crypto.randomUUID()}`, email],
      read: () => undefined,
    });
    expect(await accountOf(browser)).toBe(accountId);
    await expectLast(browser, "github", person);
  });

  test("of two that are unlinked at the same time one stays", async () => {
    const { browser, link, signIn } = await openScene({ mail: undefined });
    const person = newPerson(newAddress());
    await signIn("telegram", person);
    await link("github", person);
    await link("google", person);
    const tried = await Promise.all(
      identityProviderNames.map((provider) => unlink(browser, provider, subjectOf(provider, person))),
    );
    expect(tried.map(({ status }) => status).sort()).toEqual([200, 200, 409]);
    expect((await waysOf(browser)).data).toHaveLength(1);
  });
});
