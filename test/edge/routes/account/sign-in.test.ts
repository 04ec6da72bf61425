// Signing in by code, in workerd against a real database.
import { sql } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";
import { isSignInSecret } from "../../../../edge/api-key.ts";
import { checkLedger } from "../../../../edge/billing/ledger-check.ts";
import { createAccount, readAccount } from "../../../../edge/db/accounts.ts";
import { build, prepare } from "../../../../edge/db/client.ts";
import { createTestApp } from "../../support/app.ts";
import { lastCode, newAddress, openBrowser } from "../../support/browser.ts";
import { askedFor, minute } from "../../support/sign-in-code.ts";

vi.setConfig({ testTimeout: 30_000 });

const accountsOf = async (app: { database: Parameters<typeof readAccount>[0] }, email: string) =>
  app.database.execute(
    prepare(
      build.all<{ id: string; balance_micro: number }>(sql`SELECT * FROM accounts WHERE email = ${email}`),
    ),
  );

describe("a code by e-mail", () => {
  test("is six digits for ten minutes, and signs a new address in to an account of its own", async () => {
    const { app, browser, email, asked, id, code } = await askedFor();
    expect(asked.status).toBe(202);
    expect(code).toMatch(/^\d{6}$/);
    const begun = await browser.signIn({ id, email, code });
    expect(begun.status).toBe(200);
    const body = (await begun.json()) as Record<string, unknown>;
    expect(body).toMatchObject({ account_id: expect.stringMatching(/^acct_/), email, operator: false });
    expect(await browser.session()).toMatchObject({ signed_in: true, methods: ["code"], ...body });
    expect(await readAccount(app.database, String(body.account_id))).toMatchObject({
      email,
      balanceMicro: 0,
    });
  });

  test("signs an address with an account in to that, however it is spelled, and not to the newer one of two", async () => {
    const app = createTestApp();
    const email = newAddress();
    const spelled = email.toUpperCase();
    const [older, newer] = [`acct_${crypto.randomUUID()}`, `acct_${crypto.randomUUID()}`];
    await createAccount(app.database, { accountId: newer, email, creditMicro: 0, now: 2 });
    await createAccount(app.database, { accountId: older, email: spelled, creditMicro: 5_000_000, now: 1 });
    const browser = openBrowser(app);
    const { id } = (await (await browser.askForCode(` ${spelled} `)).json()) as { id: string };
    const begun = await browser.signIn({ id, email: spelled, code: lastCode(app, email) });
    expect(await begun.json()).toMatchObject({ account_id: older });
    expect(await (await browser.ask("/v1/account/balance")).json()).toMatchObject({ balance: 5 });
  });

  test("works once: of ten at the same time one", async () => {
    const { app, email, id, code } = await askedFor();
    const tries = Array.from({ length: 10 }, () => openBrowser(app).signIn({ id, email, code }));
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array(9).fill(401)]);
    expect(await accountsOf(app, email)).toHaveLength(1);
  });

  test("is refused after five tries, right or wrong, also when they are sent at once", async () => {
    const { browser, email, id, code, wrong } = await askedFor();
    const tries = await Promise.all(
      Array.from({ length: 5 }, () => browser.signIn({ id, email, code: wrong })),
    );
    expect(tries.map(({ status }) => status)).toEqual(Array(5).fill(401));
    const right = await browser.signIn({ id, email, code });
    expect(right.status).toBe(401);
    expect(await right.json()).toMatchObject({ error: "authentication_failed" });
    expect(right.headers.getSetCookie()).toEqual([]);
  });

  test("is taken on the fifth try, spaces and all", async () => {
    const { browser, email, id, code, wrong } = await askedFor();
    for (let tried = 0; tried < 4; tried++) await browser.signIn({ id, email, code: wrong });
    const begun = await browser.signIn({ id, email, code: ` ${code.slice(0, 3)} ${code.slice(3)} ` });
    expect(begun.status).toBe(200);
  });

  test("is refused after ten minutes", async () => {
    const { browser, email, id, code, pass } = await askedFor();
    pass(10 * minute);
    expect((await browser.signIn({ id, email, code })).status).toBe(401);
  });

  test("counts only together with its address and the request it was asked for in", async () => {
    const { app, browser, email, id, code } = await askedFor();
    const other = openBrowser(app);
    const { id: otherId } = (await (await other.askForCode(newAddress())).json()) as { id: string };
    expect((await browser.signIn({ id, email: newAddress(), code })).status).toBe(401);
    expect((await browser.signIn({ id: otherId, email, code })).status).toBe(401);
    expect((await browser.signIn({ id: "code_unknown", email, code })).status).toBe(401);
    expect((await browser.signIn({ id, email, code })).status).toBe(200);
  });

  test("may be asked for five times an hour for one address from one network, and 30 times from it", async () => {
    const { app, browser, email, pass } = await askedFor({ trustedProxies: 1 });
    const from = (address: string) => ({
      "x-forwarded-for": address,
      "x-forwarded-proto": "https",
      origin: "https://127.0.0.1",
    });
    for (let asked = 0; asked < 5; asked++)
      expect((await browser.askForCode(email, from("203.0.113.9"))).status).toBe(202);
    const sixth = await browser.askForCode(email, from("203.0.113.9"));
    expect(sixth.status).toBe(429);
    expect(Number(sixth.headers.get("retry-after"))).toBe(3600);
    expect(await sixth.json()).toMatchObject({ error: "rate_limit_exceeded" });
    const prefix = crypto.randomUUID().slice(0, 4);
    const household = (host: number) => from(`2001:db8:${prefix}:1::${host.toString(16)}`);
    const many = await Promise.all(
      Array.from({ length: 40 }, (_, host) => openBrowser(app).askForCode(newAddress(), household(host))),
    );
    expect(many.filter(({ status }) => status === 202)).toHaveLength(30);
    expect((await browser.askForCode(newAddress(), from(`2001:db8:${prefix}:2::1`))).status).toBe(202);
    pass(60 * minute);
    expect((await browser.askForCode(email, from("203.0.113.9"))).status).toBe(202);
  });

  test("does not tell whether an address has an account: same status, same fields, same statements", async () => {
    const asked: string[] = [];
    const plain = createTestApp();
    const database = {
      execute: (statement: never, values: never) => {
        asked.push((statement as { text: string }).text);
        return plain.database.execute(statement, values);
      },
      batch: (statements: never, values: never) => {
        asked.push((statements as { text: string }[]).map(({ text }) => text).join("; "));
        return plain.database.batch(statements, values);
      },
    };
    const app = createTestApp({ database: database as never });
    const [known, unknown] = [newAddress(), newAddress()];
    await createAccount(plain.database, {
      accountId: `acct_${crypto.randomUUID()}`,
      email: known,
      creditMicro: 0,
      now: 1,
    });
    const browser = openBrowser(app);
    const answers = [];
    for (const email of [known, unknown]) {
      asked.length = 0;
      const response = await browser.askForCode(email);
      const body = (await response.json()) as Record<string, unknown>;
      const first = [...asked];
      const refused = await browser.signIn({ id: body.id, email, code: "nonsense" });
      answers.push({
        status: response.status,
        fields: Object.keys(body),
        first,
        refused: [refused.status, await refused.text()],
        all: [...asked],
      });
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]!.first).toHaveLength(1);
  });

  test("and its address are nowhere in the database, and neither is the cookie", async () => {
    const { app, browser, email, id, code } = await askedFor();
    const read = (table: string) =>
      app.database.execute(prepare(build.all<Record<string, unknown>>(sql.raw(`SELECT * FROM ${table}`))));
    const rows = JSON.stringify(await read("sign_in_codes"));
    expect(rows).toContain(id);
    expect(rows).not.toContain(email);
    expect(rows).not.toMatch(new RegExp(`"${code}"`));
    await browser.signIn({ id, email, code });
    const secret = browser.cookie().split("=")[1]!;
    expect(isSignInSecret("session", secret)).toBe(true);
    expect(JSON.stringify(await read("sessions"))).not.toContain(secret);
  });

  test.each([
    "",
    "nobody",
    "a@b@c",
    "a b@example.com",
    "a@example.com,b@example.com",
    "a@exa\nmple.com",
    "ünï@example.com",
  ])("is not sent to %j", async (email) => {
    const app = createTestApp();
    const response = await openBrowser(app).askForCode(email);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "invalid_request" });
    expect(app.logs.some(({ event }) => event === "sign_in_code")).toBe(false);
  });

  test("cannot be had where no mail is set up, and the page can tell", async () => {
    const app = createTestApp({ mail: undefined });
    const browser = openBrowser(app);
    expect((await browser.askForCode(newAddress())).status).toBe(503);
    expect(await browser.session()).toEqual({ signed_in: false, methods: [] });
  });
});

describe("sign-up credits", () => {
  test("are given once, to a new account, through the ledger", async () => {
    const { app, browser, email, id, code } = await askedFor({ signUpCreditMicro: 1_500_000 });
    await browser.signIn({ id, email, code });
    expect(await (await browser.ask("/v1/account/balance")).json()).toMatchObject({ balance: 1.5, email });
    const again = openBrowser(app);
    const { id: secondId } = (await (await again.askForCode(email)).json()) as { id: string };
    await again.signIn({ id: secondId, email, code: lastCode(app, email) });
    expect(await (await again.ask("/v1/account/balance")).json()).toMatchObject({ balance: 1.5 });
    const accounts = await accountsOf(app, email);
    expect(accounts).toHaveLength(1);
    const findings = await checkLedger(app.database);
    expect(findings.filter(({ accountId }) => accountId === accounts[0]!.id)).toEqual([]);
  });
});

describe("one mailbox", () => {
  const tagged = (email: string, tag: string) => email.replace("@", `+${tag}@`);

  test("gets sign-up credit once, however many accounts are made for its addresses", async () => {
    const { app, browser, email, id, code } = await askedFor({ signUpCreditMicro: 1_500_000 });
    await browser.signIn({ id, email, code });
    expect(await (await browser.ask("/v1/account/balance")).json()).toMatchObject({ balance: 1.5, email });
    for (const spelled of [tagged(email, "1"), tagged(email.toUpperCase(), "2")]) {
      const other = openBrowser(app);
      const { id: otherId } = (await (await other.askForCode(spelled)).json()) as { id: string };
      const read = spelled.toLowerCase();
      expect((await other.signIn({ id: otherId, email: read, code: lastCode(app, read) })).status).toBe(200);
      expect(await (await other.ask("/v1/account/balance")).json()).toMatchObject({
        balance: 0,
        email: read,
      });
    }
  });

  test("gets a code though somebody elsewhere has asked for all that he may", async () => {
    const app = createTestApp({ trustedProxies: 1 });
    const email = newAddress();
    const browser = openBrowser(app);
    const ask = async (at: number, times: number) => {
      const from = {
        "x-forwarded-for": `203.0.113.${at}`,
        "x-forwarded-proto": "https",
        origin: "https://127.0.0.1",
      };
      const asked = Array.from({ length: times }, () => browser.askForCode(email, from));
      return (await Promise.all(asked)).map(({ status }) => status).sort();
    };
    expect(await ask(1, 6)).toEqual([202, 202, 202, 202, 202, 429]);
    expect(await ask(2, 1)).toEqual([202]);
    // Twenty from all networks: no more letters an hour reach one mailbox.
    for (const at of [3, 4]) expect(await ask(at, 5)).toEqual([202, 202, 202, 202, 202]);
    expect(await ask(5, 5)).toEqual([202, 202, 202, 202, 429]);
  });

  test("gets a code though all networks of a site elsewhere have asked for it, which gets five", async () => {
    const app = createTestApp({ trustedProxies: 1 });
    const email = newAddress();
    const site = `2001:db8:${crypto.randomUUID().slice(0, 4)}`;
    const ask = async (address: string, asked = email) => {
      const from = {
        "x-forwarded-for": address,
        "x-forwarded-proto": "https",
        origin: "https://127.0.0.1",
      };
      return (await openBrowser(app).askForCode(asked, from)).status;
    };
    const networks = Array.from({ length: 24 }, (_, at) => `${site}:${at.toString(16)}::1`);
    const statuses = await Promise.all(networks.map((network) => ask(network)));
    expect(statuses.filter((status) => status === 202)).toHaveLength(5);
    expect(await ask("203.0.113.77")).toBe(202);
    // For all addresses together a site gets as many as four networks.
    const others = await Promise.all(
      networks.flatMap((network) => Array.from({ length: 6 }, () => ask(network, newAddress()))),
    );
    expect(others.filter((status) => status === 202)).toHaveLength(115);
  });

  test("gets five codes an hour, however its address is written", async () => {
    const { browser, email } = await askedFor();
    const asked = await Promise.all(
      Array.from({ length: 6 }, (_, at) => browser.askForCode(tagged(email, String(at)))),
    );
    expect(asked.map(({ status }) => status).sort()).toEqual([202, 202, 202, 202, 429, 429]);
  });
});
