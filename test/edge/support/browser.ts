/** A browser as the app sees one: the origin of its page, and a cookie jar for one host. */
import { createSignInSecret, hashApiKey } from "../../../edge/api-key.ts";
import { addSignInLink } from "../../../edge/db/sessions.ts";
import type { createTestApp } from "./app.ts";

export type TestApp = ReturnType<typeof createTestApp>;
export const ownOrigin = "http://127.0.0.1";
export const cookieName = "__Host-svc_session";

export type BrowserRequest = { method?: string; body?: unknown; headers?: Record<string, string> };

export function openBrowser(app: TestApp) {
  const jar = new Map<string, string>();
  /** As a page of the service fetches it. A header of "" is left out. */
  const ask = async (path: string, { method = "GET", body, headers = {} }: BrowserRequest = {}) => {
    const all = {
      "sec-fetch-site": "same-origin",
      ...(method !== "GET" && { origin: ownOrigin }),
      ...(jar.size > 0 && { cookie: [...jar].map((pair) => pair.join("=")).join("; ") }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    };
    const response = await app.send(path, {
      method,
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== "")),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [name, value] = set.split(";")[0]!.split("=") as [string, string];
      if (set.includes("Max-Age=0")) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  };
  const post = (path: string, body: unknown, headers?: Record<string, string>) =>
    ask(path, { method: "POST", body, ...(headers && { headers }) });
  return {
    ask,
    post,
    /** The session's, as a header has it; "" without one. */
    cookie: () => (jar.has(cookieName) ? `${cookieName}=${jar.get(cookieName)}` : ""),
    jar,
    askForCode: (email: string, headers?: Record<string, string>) =>
      post("/v1/account/sign-in/code", { email }, headers),
    signIn: (body: unknown) => post("/v1/account/sign-in", body),
    session: async () => (await ask("/v1/account/session")).json() as Promise<Record<string, unknown>>,
    signOut: () => ask("/v1/account/session", { method: "DELETE" }),
  };
}
export type TestBrowser = ReturnType<typeof openBrowser>;

/** The newest code that was sent to an address, out of the log. */
export function lastCode(app: TestApp, email: string): string {
  const sent = app.logs.findLast((entry) => entry.event === "sign_in_code" && entry.email === email);
  if (sent === undefined) throw new Error(`no code was sent to ${email}`);
  return String(sent.code);
}

export const newAddress = (): string => `${crypto.randomUUID()}@example.com`;

/** A link for an account, as `npm start` prints it. */
export async function makeLink(app: TestApp, accountId: string, lifeMs = 60_000, now = Date.now()) {
  const link = createSignInSecret("link", crypto.getRandomValues(new Uint8Array(32)));
  const added = await addSignInLink(app.database, {
    hash: await hashApiKey(link),
    accountId,
    now,
    expiresAt: now + lifeMs,
  });
  return { link, added };
}

/** A browser that is signed in to an account of its own, or to this one. */
export async function signedIn(app: TestApp, accountId?: string): Promise<TestBrowser> {
  const browser = openBrowser(app);
  if (accountId !== undefined) {
    await browser.signIn({ link: (await makeLink(app, accountId)).link });
    return browser;
  }
  const email = newAddress();
  const { id } = (await (await browser.askForCode(email)).json()) as { id: string };
  await browser.signIn({ id, email, code: lastCode(app, email) });
  return browser;
}
