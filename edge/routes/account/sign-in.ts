/**
 * /v1/account/sign-in: asks for a code by e-mail, and begins a session with a code, a one-time link or an identity provider's answer.
 * No answer shows whether an address has an account; the first sign-in makes one.
 */
import { z } from "zod";
import { GatewayError } from "../../../shared/errors.ts";
import { createSignInSecret, hashApiKey, isSignInSecret } from "../../api-key.ts";
import { beginSessionByEmail, beginSessionByLink, type NewSession } from "../../db/sessions.ts";
import { createHandlers, type EdgeContext } from "../../middleware/context.ts";
import { proxyTrustOf, readClientNetwork } from "../../middleware/forwarded.ts";
import { noStore } from "../../middleware/no-store.ts";
import { ownOrigin } from "../../middleware/own-origin.ts";
import { jsonBody } from "../../middleware/request-body.ts";
import { findSessionBySecret, readSessionSecret, writeSessionCookie } from "../../middleware/session.ts";
import { createCode, keepCode, takeCode } from "../../sign-in/codes.ts";
import { mailboxOf, readEmailAddress } from "../../sign-in/email-address.ts";
import { sendLetter, writeLetter } from "../../sign-in/mail.ts";
import type { Mail } from "../../sign-in-settings.ts";
import { isoTime, readBody } from "./account-values.ts";
import { IdentityBody, signInByIdentity } from "./authorization.ts";
import { describeSession } from "./session.ts";

const sessionSeconds = 14 * 86_400;

const Address = z.string().transform((text, context) => {
  const address = readEmailAddress(text);
  if (address !== undefined) return address;
  context.addIssue("write an e-mail address, such as you@example.com");
  return z.NEVER;
});
const CodeBody = z.strictObject({ email: Address });
const SignInBody = z.union([
  z.strictObject({ link: z.string().max(100) }),
  z.strictObject({ id: z.string().max(100), email: Address, code: z.string().max(20) }),
  IdentityBody,
]);

function depsOf({ var: { services } }: EdgeContext) {
  const { database, config } = services;
  return { database, secret: config.signingKey.d, now: services.now() };
}

/** Sent after the answer, so that the answer takes equally long for every address. */
async function deliver(
  { req, var: { services, requestId } }: EdgeContext,
  mail: Mail,
  to: string,
  code: string,
) {
  if (mail.kind === "log") {
    services.log({ level: "info", event: "sign_in_code", email: to, code });
    return;
  }
  const letter = writeLetter(to, code, new URL(req.url).host, mail.from);
  const problem = await sendLetter(mail, letter, services.fetch);
  if (problem !== undefined)
    services.log({ level: "error", event: "mail_failed", request_id: requestId, reason: problem });
}

const sendCode = createHandlers(noStore, ownOrigin, jsonBody, async (context) => {
  const { services } = context.var;
  const { mail } = services.config;
  if (mail === undefined) {
    const message = "Nobody can sign in by e-mail here: ask the operator to set MAIL_API_KEY and MAIL_FROM.";
    throw new GatewayError("service_unavailable", message, {}, "no-mail");
  }
  const { email } = readBody(CodeBody, context.var.body);
  const code = createCode(services.randomBytes(8));
  const codeId = `code_${services.randomId()}`;
  const network = readClientNetwork(context.req.raw, proxyTrustOf(context));
  const kept = await keepCode(depsOf(context), { codeId, address: email, network, code });
  if (!kept.added) {
    const retryAfterSeconds = Math.max(1, Math.ceil((kept.nextAt - services.now()) / 1000));
    const message = `Too many codes were asked for; use one that came, or wait ${Math.ceil(retryAfterSeconds / 60)} minutes.`;
    throw new GatewayError("rate_limit_exceeded", message, { retryAfterSeconds });
  }
  services.waitUntil(deliver(context, mail, email, code));
  return context.json({ id: codeId, expires_at: isoTime(kept.expiresAt) }, 202);
});

const refused = (what: string, advice = "ask for a new one"): GatewayError =>
  new GatewayError(
    "sign_in_failed",
    `This ${what} is not right, too old, or was used or tried too often; ${advice}.`,
  );

/** Throws sign_in_failed, service_unavailable. */
async function beginSession(
  context: EdgeContext,
  body: z.infer<typeof SignInBody>,
  session: NewSession,
): Promise<void> {
  const { services } = context.var;
  const { database, config } = services;
  if ("provider" in body) return signInByIdentity(context, body, session);
  if ("link" in body) {
    const link = body.link.trim();
    if (!isSignInSecret("link", link)) throw refused("link");
    const linkHash = await hashApiKey(link);
    if (!(await beginSessionByLink(database, { ...session, linkHash }))) throw refused("link");
    return;
  }
  const { id: codeId, email } = body;
  // As people copy it: spaces in the middle are not a mistake.
  const code = body.code.replace(/\s/g, "");
  if (!(await takeCode(depsOf(context), { codeId, address: email, code })))
    throw refused("code", "check it, or ask for a new one");
  await beginSessionByEmail(database, {
    ...session,
    email,
    newAccountId: `acct_${services.randomId()}`,
    mailbox: mailboxOf(email),
    creditMicro: config.signUpCreditMicro,
  });
}

const begin = createHandlers(noStore, ownOrigin, jsonBody, async (context) => {
  const { services } = context.var;
  const body = readBody(SignInBody, context.var.body);
  const now = services.now();
  const secret = createSignInSecret("session", services.randomBytes(32));
  const before = readSessionSecret(context);
  await beginSession(context, body, {
    sessionId: `ses_${services.randomId()}`,
    hash: await hashApiKey(secret),
    endsHash: before === undefined ? null : await hashApiKey(before),
    now,
    expiresAt: now + sessionSeconds * 1000,
  });
  const session = await findSessionBySecret(context, secret);
  if (session === undefined) throw new GatewayError("internal_error", "The session was not kept; try again.");
  context.var.logFields.account_id = session.account.accountId;
  writeSessionCookie(context, secret, sessionSeconds);
  return context.json(describeSession(session));
});

export const signIn = { sendCode, begin };
