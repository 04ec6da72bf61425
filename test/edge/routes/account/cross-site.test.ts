// Attacks by other sites and other accounts on a signed-in browser, in workerd against a real database: every attempt is refused and
// changes nothing of the victim's. docs/security.md lists them.
import { beforeAll, describe, expect, test, vi } from "vitest";
import { createTestApp, newCaller } from "../../support/app.ts";
import {
  type BrowserRequest,
  cookieName,
  lastCode,
  makeLink,
  newAddress,
  openBrowser,
  ownOrigin,
  signedIn,
  type TestApp,
  type TestBrowser,
} from "../../support/browser.ts";

const elsewhere = "https://evil.example";
const crossSite = { origin: elsewhere, "sec-fetch-site": "cross-site" };
const hello = { model: "svc-x1ac-base-gpt-4o", messages: [{ role: "user", content: "hi" }], max_tokens: 5 };

type Scene = {
  app: TestApp;
  /** Signed in, with a key, a provider key and an ended request. */
  victim: TestBrowser;
  victimId: string;
  victimKeyId: string;
  victimRequest: string;
  /** Signed in to another account. */
  attacker: TestBrowser;
  attackerId: string;
};

let scene: Scene;
let before: Awaited<ReturnType<typeof look>>;
vi.setConfig({ testTimeout: 30_000 });
beforeAll(async () => {
  const app = createTestApp({ provider: [() => Response.json({ data: [] })] });
  const { accountId: victimId } = await newCaller(5_000_000);
  const victim = await signedIn(app, victimId);
  const made = await victim.post("/v1/account/api-keys", { name: "laptop" });
  const { id: victimKeyId, api_key: key } = (await made.json()) as { id: string; api_key: string };
  await victim.post("/v1/account/llm-keys", { alpha_key: "sk-proj-own-0123456789" });
  const victimRequest = `req-${crypto.randomUUID()}`;
  const asked = await createTestApp().chat(key, hello, { "x-request-id": victimRequest });
  await asked.text();
  await asked.settled();
  const { accountId: attackerId } = await newCaller(0);
  const attacker = await signedIn(app, attackerId);
  scene = { app, victim, victimId, victimKeyId, victimRequest, attacker, attackerId };
  before = await look(scene);
  expect(before.map(([status]) => status)).toEqual([200, 200, 200, 200, 200]);
}, 30_000);

/** All that an attempt could have changed or used up. */
async function look({ victim }: Scene) {
  const read = async (path: string) => {
    const response = await victim.ask(path);
    return [response.status, await response.text()];
  };
  const paths = ["session", "api-keys", "llm-keys", "balance", "usage"];
  return Promise.all(paths.map((path) => read(`/v1/account/${path}`)));
}

async function expectRefused(attempt: (scene: Scene) => Promise<Response>, statuses: readonly number[]) {
  const response = await attempt(scene);
  expect(statuses).toContain(response.status);
  const text = await response.text();
  expect(text).not.toMatch(/svc_(sk_live|tk|ss)_\w{40}/);
  expect(response.headers.getSetCookie().filter((cookie) => !cookie.includes("Max-Age=0"))).toEqual([]);
  expect(await look(scene)).toEqual(before);
}

/** Everything a session may do, as a page of another site would have it done: with the victim's cookie. */
const actions: [string, string, (scene: Scene) => unknown][] = [
  ["POST", "/v1/account/api-keys", () => ({ name: "mine" })],
  ["PATCH", "/v1/account/api-keys/:key", () => ({ name: "renamed" })],
  ["DELETE", "/v1/account/api-keys/:key", () => undefined],
  ["POST", "/v1/account/tokens", () => ({})],
  ["POST", "/v1/account/llm-keys", () => ({ beta_key: "sk-ant-own-0123456789" })],
  ["DELETE", "/v1/account/llm-keys", () => undefined],
  ["DELETE", "/v1/account/session", () => undefined],
  ["POST", "/v1/account/sign-in/code", () => ({ email: newAddress() })],
  ["GET", "/v1/account/api-keys", () => undefined],
  ["GET", "/v1/account/balance", () => undefined],
  ["GET", "/v1/account/usage", () => undefined],
  ["GET", "/v1/account/llm-keys", () => undefined],
  ["GET", "/v1/account/session", () => undefined],
  ["GET", "/v1/generation?id=:request", () => undefined],
  ["GET", "/v1/models", () => undefined],
];

const fill = (path: string, { victimKeyId, victimRequest }: Scene) =>
  path.replace(":key", victimKeyId).replace(":request", victimRequest);

describe("another site, with the victim's cookie", () => {
  test.each(actions)("%s %s", async (method, path, body) => {
    const asOwn = { method, body: body(scene), headers: crossSite };
    await expectRefused((scene) => scene.victim.ask(fill(path, scene), asOwn), [403]);
  });

  test.each([
    ["a sandboxed frame", { origin: "null" }],
    ["no origin at all", { origin: "" }],
    ["another port of the same host", { origin: `${ownOrigin}:1234` }],
    ["the same host over another scheme", { origin: "https://127.0.0.1" }],
    ["another name of the same machine", { origin: "http://localhost" }],
    ["a host that begins like ours", { origin: `${ownOrigin}.evil.example` }],
    ["a host that ends like ours", { origin: "http://evil127.0.0.1" }],
    ["our origin as a path of another", { origin: `${elsewhere}/${ownOrigin}` }],
    ["two origins", { origin: `${ownOrigin} ${elsewhere}` }],
    ["a sibling site that names our origin", { "sec-fetch-site": "same-site" }],
    ["a form's type, which needs no preflight", { ...crossSite, "content-type": "text/plain" }],
    ["a method told in a header", { ...crossSite, "x-http-method-override": "GET" }],
    ["a forwarded host that is ours", { ...crossSite, "x-forwarded-host": "127.0.0.1" }],
  ])("makes no key from %s", async (_name, headers: Record<string, string>) => {
    const request: BrowserRequest = { method: "POST", body: { name: "mine" }, headers };
    await expectRefused(({ victim }) => victim.ask("/v1/account/api-keys", request), [403]);
  });

  test("reads nothing by an image or a script tag, which name no origin", async () => {
    const headers = { "sec-fetch-site": "cross-site" };
    await expectRefused(({ victim }) => victim.ask("/v1/account/balance", { headers }), [403]);
  });

  test("gets no leave to send cookies: a preflight and a refusal name no credentials", async () => {
    const { app } = scene;
    const asked = { origin: elsewhere, "access-control-request-method": "DELETE" };
    const preflight = await app.send("/v1/account/session", { method: "OPTIONS", headers: asked });
    const refusal = await app.send("/v1/account/balance", { headers: crossSite });
    for (const { headers } of [preflight, refusal])
      expect(headers.get("access-control-allow-credentials")).toBeNull();
  });

  test("signs nobody in to the attacker's account: with a link, and with a code of his own", async () => {
    const link = (await makeLink(scene.app, scene.attackerId)).link;
    const post = (body: unknown): BrowserRequest => ({ method: "POST", body, headers: crossSite });
    await expectRefused(({ victim }) => victim.ask("/v1/account/sign-in", post({ link })), [403]);
    const email = newAddress();
    const { id } = (await (await scene.attacker.askForCode(email)).json()) as { id: string };
    const right = { id, email, code: lastCode(scene.app, email) };
    await expectRefused(({ victim }) => victim.ask("/v1/account/sign-in", post(right)), [403]);
    expect((await openBrowser(scene.app).signIn({ link })).status).toBe(200);
  });
});

describe("another account, signed in", () => {
  const attempts: [string, (scene: Scene) => Promise<Response>, number[]][] = [
    [
      "changes the victim's key",
      ({ attacker, victimKeyId }) =>
        attacker.ask(`/v1/account/api-keys/${victimKeyId}`, { method: "PATCH", body: { name: "mine" } }),
      [404],
    ],
    [
      "ends the victim's key",
      ({ attacker, victimKeyId }) =>
        attacker.ask(`/v1/account/api-keys/${victimKeyId}`, { method: "DELETE" }),
      [404],
    ],
    [
      "ends the victim's console seat",
      ({ attacker, victimId }) =>
        attacker.ask(`/v1/account/api-keys/${victimId.replace("acct_", "console_")}`, { method: "DELETE" }),
      [404],
    ],
    [
      "reads the victim's request",
      ({ attacker, victimRequest }) => attacker.ask(`/v1/generation?id=${victimRequest}`),
      [404],
    ],
    [
      "deletes stored provider keys: only its own go",
      ({ attacker }) => attacker.ask("/v1/account/llm-keys", { method: "DELETE" }),
      [200],
    ],
    [
      "signs out: only itself",
      async ({ app, attackerId }) => (await signedIn(app, attackerId)).signOut(),
      [200],
    ],
    [
      "names the victim's account in a new key",
      ({ attacker, victimId }) =>
        attacker.post("/v1/account/api-keys", { name: "mine", account_id: victimId }),
      [400],
    ],
    [
      "names another session in a new token",
      ({ attacker }) => attacker.post("/v1/account/tokens", { session_id: "ses_x" }),
      [422],
    ],
    [
      "enters its own code for the victim's address",
      async ({ app, attacker }) => {
        const own = newAddress();
        const { id } = (await (await attacker.askForCode(own)).json()) as { id: string };
        return openBrowser(app).signIn({ id, email: "someone@example.com", code: lastCode(app, own) });
      },
      [401],
    ],
  ];
  test.each(attempts)("%s", async (_name, attempt, statuses) => {
    await expectRefused(attempt, statuses);
  });
});

describe("what is no session", () => {
  const withCookie = (cookie: string) => (at: Scene) =>
    openBrowser(at.app).ask("/v1/account/balance", { headers: { cookie } });
  const attempts: [string, (scene: Scene) => Promise<Response>][] = [
    [
      "the cookie under a name that a sibling host could set",
      (at) => withCookie(at.victim.cookie().replace("__Host-", ""))(at),
    ],
    ["a cookie with one character changed", (at) => withCookie(`${at.victim.cookie().slice(0, -1)}~`)(at)],
    [
      "an invented cookie in the right form",
      (at) => withCookie(`${cookieName}=svc_ss_${"0".repeat(49)}`)(at),
    ],
    [
      "the session's value as an API key",
      ({ app, victim }) =>
        app.send("/v1/account/balance", {
          headers: { authorization: `Bearer ${victim.cookie().split("=")[1]}` },
        }),
    ],
    [
      "a link as an API key",
      async ({ app, victimId }) =>
        app.send("/v1/account/balance", {
          headers: { "x-api-key": (await makeLink(app, victimId)).link },
        }),
    ],
    [
      "a link as a cookie",
      async (at) => withCookie(`${cookieName}=${(await makeLink(at.app, at.victimId)).link}`)(at),
    ],
    ["a session's hash as a cookie", async (at) => withCookie(`${cookieName}=svc_ss_${"a".repeat(64)}`)(at)],
    [
      "the victim's cookie beside a wrong key: the key is what counts",
      ({ victim }) =>
        victim.ask("/v1/account/balance", { headers: { authorization: "Bearer svc_sk_live_x" } }),
    ],
    [
      "the victim's cookie at an endpoint that spends",
      ({ victim }) => victim.post("/v1/chat/completions", hello),
    ],
  ];
  test.each(attempts)("%s", async (_name, attempt) => {
    await expectRefused(attempt, [401]);
  });

  test("a token made in a session manages and reads nothing", async () => {
    const made = await scene.victim.post("/v1/account/tokens", {});
    const { token } = (await made.json()) as { token: string };
    for (const path of ["/v1/account/api-keys", "/v1/account/balance", "/v1/account/usage"])
      await expectRefused(
        ({ app }) => app.send(path, { headers: { authorization: `Bearer ${token}` } }),
        [403],
      );
    const again = await scene.app.post("/v1/account/tokens", token, "{}");
    expect(again.status).toBe(403);
  });
});

test("a page may ask by HEAD what it may ask by GET, and another site's may not", async () => {
  const { send } = createTestApp();
  const ask = async (method: string, headers: Record<string, string> = {}) =>
    (await send("/v1/account/session", { method, headers })).status;
  expect([await ask("GET"), await ask("HEAD")]).toEqual([200, 200]);
  expect(await ask("HEAD", { origin: "https://evil.example" })).toBe(403);
});
