/** The cookie of a signed-in browser: written, read, and the session it stands for. Its value goes no further than its hash. */
import { getCookie, setCookie } from "hono/cookie";
import { GatewayError } from "../../shared/errors.ts";
import { hashApiKey, isSignInSecret } from "../api-key.ts";
import { accountSuspended } from "../billing/hold.ts";
import { findSession, type Session } from "../db/sessions.ts";
import type { EdgeContext, EdgeMiddleware } from "./context.ts";
import { checkOwnOrigin } from "./own-origin.ts";

/**
 * A browser takes a `__Host-` cookie only with Secure, for the whole host and no other. Chrome and Firefox count loopback as secure,
 * Safari does not.
 */
export const hostCookie = {
  prefix: "host",
  httpOnly: true,
  secure: true,
  sameSite: "Strict",
  path: "/",
} as const;
const cookieName = "svc_session";

/** Undefined if there is none, or it does not have the form of one. */
export function readSessionSecret(context: EdgeContext): string | undefined {
  const secret = getCookie(context, cookieName, "host");
  return secret !== undefined && isSignInSecret("session", secret) ? secret : undefined;
}

export const writeSessionCookie = (context: EdgeContext, secret: string, maxAgeSeconds: number): void =>
  setCookie(context, cookieName, secret, { ...hostCookie, maxAge: maxAgeSeconds });

export const clearSessionCookie = (context: EdgeContext): void =>
  setCookie(context, cookieName, "", { ...hostCookie, maxAge: 0 });

/** The session of a cookie; undefined where it has ended. Throws DatabaseError. */
export async function findSessionBySecret(
  context: EdgeContext,
  secret: string,
): Promise<Session | undefined> {
  const { services } = context.var;
  return findSession(services.database, { hash: await hashApiKey(secret), now: services.now() });
}

/** The session of this request; undefined if it has no cookie. Throws for a request of another origin, and for an ended session. */
export async function readRequestSession(context: EdgeContext): Promise<Session | undefined> {
  const secret = readSessionSecret(context);
  if (secret === undefined) return undefined;
  checkOwnOrigin(context);
  const session = await findSessionBySecret(context, secret);
  if (session !== undefined) return session;
  clearSessionCookie(context);
  throw new GatewayError(
    "sign_in_failed",
    "Your session has ended; use the sign-in page to begin a new one.",
  );
}

/** As `readRequestSession`, but without a session it throws. Paths that use it take no API key, which leaks more easily than a cookie. */
async function requireSession(context: EdgeContext): Promise<Session> {
  const session = await readRequestSession(context);
  if (session === undefined)
    throw new GatewayError("sign_in_failed", "Use the sign-in page first; API keys do not open this.");
  context.var.logFields.account_id = session.account.accountId;
  return session;
}

/** Admits an account's owner, by a console session only. */
export const sessionOnly: EdgeMiddleware = async (context, next) => {
  const { account } = await requireSession(context);
  if (account.suspended) throw accountSuspended();
  context.set("account", account);
  await next();
};

/** Admits operators, by a console session only. */
export const operatorOnly: EdgeMiddleware = async (context, next) => {
  const { account, isOperator } = await requireSession(context);
  if (!isOperator || account.suspended) {
    const message =
      "This is for operators: ask one to run npm run admin -- account operator for your account.";
    throw new GatewayError("permission_denied", message);
  }
  context.set("account", account);
  await next();
};
