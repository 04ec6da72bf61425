/**
 * Asks an identity provider who somebody is: sends the browser to the provider, and reads what it comes back with. That answer counts in
 * this browser only, for ten minutes, and once. /v1/account/sign-in begins a session with it; identities.ts links it.
 */
import { getCookie, setCookie } from "hono/cookie";
import { z } from "zod";
import { GatewayError } from "../../../shared/errors.ts";
import { type IdentityProvider, isIdentityProvider } from "../../../shared/identity-providers.ts";
import { beginSessionByIdentity } from "../../db/identity-sessions.ts";
import { admit } from "../../db/rate-hits.ts";
import type { NewSession } from "../../db/sessions.ts";
import { createHandlers, type EdgeContext } from "../../middleware/context.ts";
import { proxyTrustOf, readClientNetwork, readOwnOrigin } from "../../middleware/forwarded.ts";
import { noStore } from "../../middleware/no-store.ts";
import { ownOrigin } from "../../middleware/own-origin.ts";
import { hostCookie } from "../../middleware/session.ts";
import { attemptSeconds, createAttempt, openAttempt } from "../../sign-in/attempt.ts";
import { mailboxOf } from "../../sign-in/email-address.ts";
import { type AuthorizationRequest, refuseIdentity, refuseUnlinked } from "../../sign-in/identity.ts";
import { identityRows } from "../../sign-in/identity-providers.ts";
import { keyedHash } from "../../sign-in/keyed-hash.ts";

/** Requests per minute: each makes several calls to the provider in our name. */
const callbacksPerMinute = 30;

/** What the page reads from the address that the provider sent it back to. */
export const IdentityBody = z.strictObject({
  provider: z.string().max(20),
  state: z.string().max(100),
  answer: z.string().min(1).max(4096),
});

/** The provider, its settings, and our page to which it sends browsers back. Throws not_found. */
function readProvider(context: EdgeContext, name: string) {
  const { identities } = context.var.services.config;
  const settings = isIdentityProvider(name) ? identities[name] : undefined;
  if (settings === undefined)
    throw new GatewayError("not_found", "Nobody signs in that way here; the sign-in page shows the ways.");
  const redirectUri = `${readOwnOrigin(context.req.raw, proxyTrustOf(context))}/sign-in/${name}`;
  return { provider: name as IdentityProvider, settings, redirectUri };
}

const keysOf = ({ var: { services } }: EdgeContext) => ({
  secret: services.config.signingKey.d,
  now: services.now(),
});

/**
 * The cookie of a browser that is at a provider to sign in. A browser that comes back without it did not begin the attempt here.
 * It may be SameSite=Strict (`hostCookie`), since only our own page hands in the provider's answer.
 */
const cookieName = "svc_sign_in";

/** Reads the attempt's cookie and deletes it, since an attempt ends with its first answer. Undefined if there is none. */
function takeAttemptCookie(context: EdgeContext): string | undefined {
  const attempt = getCookie(context, cookieName, "host");
  if (attempt !== undefined) setCookie(context, cookieName, "", { ...hostCookie, maxAge: 0 });
  return attempt;
}

/** The provider's address to which this browser is sent. @param sessionId the session in whose account the answer is to be linked */
export async function startAuthorization(
  context: EdgeContext,
  name: string,
  sessionId?: string,
): Promise<{ url: string }> {
  const { provider, ...known } = readProvider(context, name);
  const secret = createAttempt(context.var.services.randomBytes(32), context.var.services.now());
  const attempt = (await openAttempt(keysOf(context), { provider, sessionId }, secret))!;
  const url = await identityRows[provider].buildAddress({ ...known, attempt });
  setCookie(context, cookieName, secret, { ...hostCookie, maxAge: attemptSeconds });
  return { url: url.href };
}

export const startSignIn = createHandlers(noStore, ownOrigin, async (context) =>
  context.json(await startAuthorization(context, context.req.param("provider")!)),
);

async function limitCallbacks(context: EdgeContext): Promise<void> {
  const { services } = context.var;
  const network = readClientNetwork(context.req.raw, proxyTrustOf(context));
  const bucket = `sign-in:${await keyedHash(services.config.signingKey.d, "network", [network])}`;
  const limit = { bucket, limit: callbacksPerMinute, now: services.now() };
  const { admitted, resetSeconds: retryAfterSeconds } = await admit(services.database, limit);
  if (admitted) return;
  const message = `Too many sign-ins came from your network; wait ${retryAfterSeconds} s and begin again.`;
  throw new GatewayError("rate_limit_exceeded", message, { retryAfterSeconds });
}

/** Compares two texts of one length in constant time. */
function isSameState(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => new TextEncoder().encode(text)) as [
    Uint8Array,
    Uint8Array,
  ];
  return one.length === other.length && crypto.subtle.timingSafeEqual(one, other);
}

/** Who came back, in answer to this browser's own attempt. Throws sign_in_failed, service_unavailable. */
export async function readCallback(
  context: EdgeContext,
  { provider: name, state, answer }: z.infer<typeof IdentityBody>,
  sessionId?: string,
) {
  const { services } = context.var;
  const { provider, ...known } = readProvider(context, name);
  const secret = takeAttemptCookie(context);
  const attempt = secret && (await openAttempt(keysOf(context), { provider, sessionId }, secret));
  if (!attempt || !isSameState(state, attempt.state)) throw refuseIdentity(provider, "state");
  await limitCallbacks(context);
  const authorization: AuthorizationRequest = { ...known, attempt };
  const { subject, email, proof } = await identityRows[provider].identify(
    { ...authorization, answer },
    services,
  );
  const proofHash = await keyedHash(services.config.signingKey.d, "proof", [provider, proof]);
  return { provider, subject, email, proofHash };
}

const refusals = { replayed: refuseIdentity, unlinked: refuseUnlinked };

/** Throws sign_in_failed, service_unavailable. */
export async function signInByIdentity(
  context: EdgeContext,
  body: z.infer<typeof IdentityBody>,
  session: NewSession,
): Promise<void> {
  const { services } = context.var;
  const callback = await readCallback(context, body);
  const { provider, subject, email } = callback;
  const outcome = await beginSessionByIdentity(services.database, {
    ...session,
    ...callback,
    newAccountId: `acct_${services.randomId()}`,
    mailbox: email === undefined ? `${provider}:${subject}` : mailboxOf(email),
    creditMicro: services.config.signUpCreditMicro,
  });
  if (outcome !== "begun") throw refusals[outcome](provider, outcome);
}
