/**
 * /v1/account/session/identities: lists, links and unlinks the identities with which an owner signs in. In a console session
 * only. The last way to sign in cannot be unlinked.
 */
import { GatewayError } from "../../../shared/errors.ts";
import {
  type IdentityProvider,
  identityProviders,
  isIdentityProvider,
} from "../../../shared/identity-providers.ts";
import { linkIdentity, listWaysIn, unlinkIdentity, type WaysIn } from "../../db/linked-identities.ts";
import { createHandlers, type EdgeContext } from "../../middleware/context.ts";
import { noStore } from "../../middleware/no-store.ts";
import { jsonBody } from "../../middleware/request-body.ts";
import { sessionOnly } from "../../middleware/session.ts";
import { refuseIdentity } from "../../sign-in/identity.ts";
import { isoTime, readBody } from "./account-values.ts";
import { IdentityBody, readCallback, startAuthorization } from "./authorization.ts";

/** The ways to sign in that this service offers: e-mail codes if they are sent, and the providers that are set up. */
function readOpenWays({ var: { services } }: EdgeContext) {
  const { mail, identities } = services.config;
  return { codesAreSent: mail !== undefined, usable: Object.keys(identities) };
}

/** An identity may be unlinked if another way to sign in is left. */
function describe({ email, identities }: WaysIn, { codesAreSent, usable }: ReturnType<typeof readOpenWays>) {
  const byCode = codesAreSent && email !== null;
  const leadIn = identities.filter(({ provider }) => usable.includes(provider));
  return {
    email: byCode ? email : null,
    data: identities.map((identity) => ({
      provider: identity.provider,
      subject: identity.subject,
      linked_at: isoTime(identity.linkedAt),
      removable: byCode || leadIn.some((other) => other !== identity),
    })),
  };
}

async function showWays(context: EdgeContext) {
  const { services, account } = context.var;
  return describe(await listWaysIn(services.database, account.accountId), readOpenWays(context));
}

const list = createHandlers(noStore, sessionOnly, async (context) => context.json(await showWays(context)));

const begin = createHandlers(noStore, sessionOnly, async (context) =>
  context.json(
    await startAuthorization(context, context.req.param("provider")!, context.var.account.sessionId!),
  ),
);

const titleOf = (provider: IdentityProvider): string => identityProviders[provider].title;

const link = createHandlers(noStore, sessionOnly, jsonBody, async (context) => {
  const { services, account } = context.var;
  const body = readBody(IdentityBody, context.var.body);
  const { provider, subject, proofHash } = await readCallback(context, body, account.sessionId!);
  const outcome = await linkIdentity(services.database, {
    accountId: account.accountId,
    provider,
    subject,
    proofHash,
    sessionId: `lnk_${services.randomId()}`,
    now: services.now(),
  });
  if (outcome === "replayed") throw refuseIdentity(provider, "replayed");
  if (outcome === "taken") {
    const message = `This ${titleOf(provider)} account signs in to another account here, so it was not linked. Sign in with it and unlink it there first, or choose another ${titleOf(provider)} account.`;
    throw new GatewayError("permission_denied", message, {}, `${provider}-taken`);
  }
  return context.json(await showWays(context));
});

const unlink = createHandlers(noStore, sessionOnly, async (context) => {
  const { services, account } = context.var;
  const { provider = "", subject = "" } = context.req.query();
  const unknown = () => new GatewayError("not_found", "This account has no such identity; see the list.");
  if (!isIdentityProvider(provider)) throw unknown();
  const outcome = await unlinkIdentity(services.database, {
    accountId: account.accountId,
    provider,
    subject,
    sessionId: account.sessionId!,
    now: services.now(),
    ...readOpenWays(context),
  });
  if (outcome === "unknown") throw unknown();
  if (outcome === "last") {
    const message = `${titleOf(provider)} is the last way to sign in to this account; link another before you unlink it.`;
    throw new GatewayError("limit_reached", message);
  }
  return context.json(await showWays(context));
});

export const identities = { list, begin, link, unlink };
