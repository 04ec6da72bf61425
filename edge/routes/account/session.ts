/** /v1/account/session: who is signed in in this browser, which ways to sign in there are, and signing out. */
import { hashApiKey } from "../../api-key.ts";
import { endSession, type Session } from "../../db/sessions.ts";
import { createHandlers } from "../../middleware/context.ts";
import { noStore } from "../../middleware/no-store.ts";
import { ownOrigin } from "../../middleware/own-origin.ts";
import { clearSessionCookie, findSessionBySecret, readSessionSecret } from "../../middleware/session.ts";
import { isoTime } from "./account-values.ts";

/** A session as its page reads it. */
export const describeSession = ({ account, email, isOperator, expiresAt }: Session) => ({
  account_id: account.accountId,
  email,
  operator: isOperator,
  expires_at: isoTime(expiresAt),
});

/** If nobody is signed in that is an answer, not an error: every page asks when it opens. */
const show = createHandlers(noStore, ownOrigin, async (context) => {
  const { mail, identities } = context.var.services.config;
  const ways = {
    methods: [...(mail === undefined ? [] : ["code"]), ...Object.keys(identities)],
    ...(mail !== undefined && { codes: mail.kind === "log" ? "log" : "mail" }),
  };
  const secret = readSessionSecret(context);
  const session = secret === undefined ? undefined : await findSessionBySecret(context, secret);
  if (session === undefined) {
    if (secret !== undefined) clearSessionCookie(context);
    return context.json({ signed_in: false, ...ways });
  }
  return context.json({ signed_in: true, ...ways, ...describeSession(session) });
});

const end = createHandlers(noStore, ownOrigin, async (context) => {
  const secret = readSessionSecret(context);
  if (secret !== undefined) await endSession(context.var.services.database, await hashApiKey(secret));
  clearSessionCookie(context);
  return context.json({ success: true, message: "You are signed out." });
});

export const session = { show, end };
