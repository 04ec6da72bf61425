/**
 * The cookie of a browser that is away at a provider to sign in: who comes back without it did not begin here. Strict, as only
 * our own page hands in what it came back with.
 */
import { getCookie, setCookie } from "hono/cookie";
import type { EdgeContext } from "./context.ts";

const cookieName = "svc_sign_in";
const cookie = { prefix: "host", httpOnly: true, secure: true, sameSite: "Strict", path: "/" } as const;

export const writeAttemptCookie = (context: EdgeContext, attempt: string, maxAgeSeconds: number): void =>
  setCookie(context, cookieName, attempt, { ...cookie, maxAge: maxAgeSeconds });

/** Undefined where there is none. It is gone from the browser afterwards: an attempt ends with its first answer. */
export function takeAttemptCookie(context: EdgeContext): string | undefined {
  const attempt = getCookie(context, cookieName, "host");
  if (attempt !== undefined) setCookie(context, cookieName, "", { ...cookie, maxAge: 0 });
  return attempt;
}
