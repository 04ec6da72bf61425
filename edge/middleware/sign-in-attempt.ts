/**
 * The cookie of a browser that is at a provider to sign in. A browser that returns without it did not begin the attempt here.
 * SameSite=Strict, since only our own page hands in the provider's answer.
 */
import { getCookie, setCookie } from "hono/cookie";
import type { EdgeContext } from "./context.ts";

const cookieName = "svc_sign_in";
const cookie = { prefix: "host", httpOnly: true, secure: true, sameSite: "Strict", path: "/" } as const;

export const writeAttemptCookie = (context: EdgeContext, attempt: string, maxAgeSeconds: number): void =>
  setCookie(context, cookieName, attempt, { ...cookie, maxAge: maxAgeSeconds });

/** Reads the cookie and deletes it, since an attempt ends with its first answer. Undefined if there is none. */
export function takeAttemptCookie(context: EdgeContext): string | undefined {
  const attempt = getCookie(context, cookieName, "host");
  if (attempt !== undefined) setCookie(context, cookieName, "", { ...cookie, maxAge: 0 });
  return attempt;
}
