/**
 * The sign-in of GitHub, Google and Telegram: the redirect when a person agrees, and the endpoints that redeem its code, each as strict
 * as the provider's documents say. Runs in any runtime; all addresses lie below `root`.
 */
import { base64url, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

export const clientIds = { github: "Ov23fake", google: "fake.apps.example.com" };
export const secrets = {
  github: "github-secret-canary",
  google: "google-secret-canary",
  telegram: "7000001:telegram-token-canary-0123456789",
};

export type Person = {
  github: { id: number; emails: { email: string; primary: boolean; verified: boolean }[] };
  google: JWTPayload & { sub: string };
  telegram: Record<string, string | number>;
};

type Granted = { parameters: URLSearchParams; person: Person };

const sha256 = async (text: string) =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
const json = (body: unknown, status = 200) => Response.json(body, { status });

/** Telegram's signature of fields, under a bot's token. */
export async function signFields(fields: Record<string, string | number>, botToken: string): Promise<string> {
  const lines = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", await sha256(botToken), algorithm, false, ["sign"]);
  const text = new TextEncoder().encode(lines.sort().join("\n"));
  const signed = await crypto.subtle.sign("HMAC", key, text);
  return [...new Uint8Array(signed)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export const encodeFields = (fields: unknown): string => base64url.encode(JSON.stringify(fields));

/** Codes that were granted, and what they are worth. */
function createGrants(now: () => number) {
  const granted = new Map<string, Granted>();
  return {
    /** The address to which the provider sends the browser when the person agrees. @param address its page, as the service links it */
    async agree(address: string, person: Person): Promise<string> {
      const { pathname, searchParams: parameters } = new URL(address);
      if (pathname === "/telegram/auth") {
        const fields = { ...person.telegram, auth_date: Math.floor(now() / 1000) };
        const hash = await signFields(fields, secrets.telegram);
        return `${parameters.get("return_to")}#tgAuthResult=${encodeFields({ ...fields, hash })}`;
      }
      const code = crypto.randomUUID();
      granted.set(code, { parameters, person });
      const back = new URL(parameters.get("redirect_uri")!);
      back.searchParams.set("code", code);
      back.searchParams.set("state", parameters.get("state")!);
      return back.href;
    },
    /** What a code stands for. It works once, and only with its client, its redirect URI and its PKCE verifier. */
    async redeem(name: "github" | "google", body: URLSearchParams): Promise<Granted | undefined> {
      const code = body.get("code") ?? "";
      const grant = granted.get(code);
      granted.delete(code);
      if (grant === undefined) return undefined;
      const { parameters } = grant;
      const challenge = base64url.encode(await sha256(body.get("code_verifier") ?? ""));
      const isRight =
        body.get("grant_type") === "authorization_code" &&
        body.get("client_id") === clientIds[name] &&
        body.get("client_secret") === secrets[name] &&
        body.get("redirect_uri") === parameters.get("redirect_uri") &&
        parameters.get("code_challenge_method") === "S256" &&
        challenge === parameters.get("code_challenge");
      return isRight ? grant : undefined;
    },
  };
}

type Redeem = ReturnType<typeof createGrants>["redeem"];
type Route = (headers: Headers, body: URLSearchParams) => Promise<Response> | Response;

/** Set by a test, in force from then on. `down`: paths that begin with this answer 503. */
type Faults = {
  claims?: Record<string, unknown>;
  signedBy?: CryptoKey;
  down?: string;
  emailsRefused?: boolean;
};

function createGithubRoutes(redeem: Redeem, faults: Faults): Record<string, Route> {
  const tokens = new Map<string, Person>();
  const bearer = (headers: Headers) =>
    tokens.get(headers.get("authorization")?.slice("Bearer ".length) ?? "");
  return {
    "/github/login/oauth/access_token": async (_headers, body) => {
      const grant = await redeem("github", body);
      if (grant === undefined) return json({ error: "bad_verification_code", error_description: "canary" });
      const token = `gho_${crypto.randomUUID()}`;
      tokens.set(token, grant.person);
      return json({ access_token: token, token_type: "bearer", scope: "user:email" });
    },
    "/github/api/v3/user": (headers) => {
      const person = bearer(headers);
      return person && headers.has("user-agent")
        ? json({ id: person.github.id, login: "somebody" })
        : json({}, 401);
    },
    "/github/api/v3/user/emails": (headers) => {
      const person = bearer(headers);
      return person && !faults.emailsRefused ? json(person.github.emails) : json({ message: "no" }, 403);
    },
  };
}

async function createGoogleRoutes(redeem: Redeem, faults: Faults, root: string, now: () => number) {
  const keys = await generateKeyPair("RS256", { extractable: true });
  const publicKey = { ...(await exportJWK(keys.publicKey)), kid: "k1", alg: "RS256", use: "sig" };
  const signIdToken = ({ parameters, person }: Granted): Promise<string> => {
    const seconds = Math.floor(now() / 1000);
    return new SignJWT({
      iss: `${root}/google`,
      aud: clientIds.google,
      azp: clientIds.google,
      nonce: parameters.get("nonce"),
      iat: seconds,
      exp: seconds + 3600,
      ...person.google,
      ...faults.claims,
    })
      .setProtectedHeader({ alg: "RS256", kid: "k1" })
      .sign(faults.signedBy ?? keys.privateKey);
  };
  const routes: Record<string, Route> = {
    "/google/token": async (_headers, body) => {
      const grant = await redeem("google", body);
      if (grant === undefined) return json({ error: "invalid_grant" }, 400);
      return json({ access_token: "ya29.fake", token_type: "Bearer", id_token: await signIdToken(grant) });
    },
    "/google/oauth2/v3/certs": () => json({ keys: [publicKey] }),
  };
  return routes;
}

export async function createFakeIdentities(root: string, now: () => number = Date.now) {
  const { agree, redeem } = createGrants(now);
  const faults: Faults = {};
  const routes: Record<string, Route> = {
    ...createGithubRoutes(redeem, faults),
    ...(await createGoogleRoutes(redeem, faults, root, now)),
  };
  /** Paths that were asked for, in order. */
  const asked: string[] = [];
  const answer = async (url: string, headers: Headers, body: string): Promise<Response> => {
    const { pathname } = new URL(url);
    asked.push(pathname);
    if (faults.down !== undefined && pathname.startsWith(faults.down)) return json({}, 503);
    return (await routes[pathname]?.(headers, new URLSearchParams(body))) ?? json({}, 404);
  };
  return {
    agree,
    answer,
    asked,
    faults,
    fetch: (async (input, init = {}) =>
      answer(String(input), new Headers(init.headers), String(init.body ?? ""))) as typeof fetch,
    settings: {
      github: { clientId: clientIds.github, secret: secrets.github, baseUrl: `${root}/github` },
      google: { clientId: clientIds.google, secret: secrets.google, baseUrl: `${root}/google` },
      telegram: { clientId: "7000001", secret: secrets.telegram, baseUrl: `${root}/telegram` },
    },
  };
}
export type FakeIdentities = Awaited<ReturnType<typeof createFakeIdentities>>;

let people = 0;

/** Somebody with an account everywhere, under one verified address. */
export function newPerson(email: string): Person {
  people += 1;
  const id = Math.floor(Math.random() * 1e9) * 1000 + people;
  return {
    github: {
      id,
      emails: [
        { email: `other.${email}`, primary: false, verified: true },
        { email, primary: true, verified: true },
      ],
    },
    google: { sub: `1${id}`, email, email_verified: true },
    telegram: { id, first_name: "Ödön ‎", username: "somebody", photo_url: "https://t.me/i/x.jpg" },
  };
}

/** What a page reads out of the address that a browser was sent back to. */
export function readReturned(address: string): { provider: string; state: string; answer: string } {
  const { pathname, searchParams, hash } = new URL(address);
  return {
    provider: pathname.split("/").at(-1)!,
    state: searchParams.get("state") ?? "",
    answer: searchParams.get("code") ?? hash.replace("#tgAuthResult=", ""),
  };
}
