/**
 * Service API key -> account, in one database round trip. A mistyped key fails its checksum and costs
 * none. The key itself goes no further than its hash.
 */
import { GatewayError } from "../../shared/errors.ts";
import { hashApiKey, hasValidChecksum } from "../api-key.ts";
import { type Account, findApiKey } from "../db/api-keys.ts";
import type { Admission, EdgeContext, EdgeMiddleware } from "./context.ts";
import { createRecentCallers } from "./recent-callers.ts";

/** `Authorization: Bearer <key>` or `x-api-key: <key>`; undefined when neither is there in form. */
export function readApiKey(headers: Headers): string | undefined {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1];
  return bearer ?? (headers.get("x-api-key")?.trim() || undefined);
}

/** As `readApiKey`, and the key alone in `Authorization`. */
function readBareApiKey(headers: Headers): string | undefined {
  return readApiKey(headers) ?? /^ *(svc_sk_\S+) *$/.exec(headers.get("authorization") ?? "")?.[1];
}

/** A cache of this isolate; it lets nobody in. */
const recentCallers = createRecentCallers();

const invalidKey = (): GatewayError =>
  new GatewayError(
    "invalid_api_key",
    "This API key is unknown, revoked or mistyped; check it or create a new one.",
  );

/** Refuses a missing or mistyped key at once, without a database read. */
function requireKey(key: string | undefined): string {
  if (key === undefined) {
    throw new GatewayError(
      "missing_api_key",
      "Send your API key as 'Authorization: Bearer svc_sk_live_...' or in the header x-api-key.",
    );
  }
  if (!hasValidChecksum(key)) throw invalidKey();
  return key;
}

/** The account of a key that the database knows and nobody suspended; throws GatewayError for any other. */
async function admit(context: EdgeContext, hash: string): Promise<Account> {
  const { services, logFields } = context.var;
  const account = await findApiKey(services.database, hash);
  if (account !== undefined) logFields.account_id = account.accountId;
  if (account === undefined || account.suspended) recentCallers.forget(hash);
  if (account === undefined) throw invalidKey();
  if (account.suspended) {
    throw new GatewayError(
      "account_suspended",
      "This account is suspended; write to the operator of this service.",
    );
  }
  recentCallers.remember(hash, services.now());
  return account;
}

async function begin(context: EdgeContext, key: string): Promise<Admission> {
  const hash = await hashApiKey(key);
  const likely = recentCallers.has(hash, context.var.services.now());
  const account = admit(context, hash);
  // Whoever needs the account waits for it; respondError does where the request does not come so far.
  account.catch(() => {});
  const admission = { account, likely };
  context.set("admission", admission);
  return admission;
}

const authenticateBy =
  (readKey: (headers: Headers) => string | undefined): EdgeMiddleware =>
  async (context, next) => {
    const { account } = await begin(context, requireKey(readKey(context.req.raw.headers)));
    context.set("account", await account);
    await next();
  };

export const authenticate = authenticateBy(readApiKey);
/** For the one endpoint whose `Authorization` may be the bare key. */
export const authenticateBareKey = authenticateBy(readBareApiKey);

/** A body up to this many bytes is read before its sender is known: cheaper than waiting for the database. */
const smallBodyBytes = 64 * 1024;

const isSmall = (length: string | undefined): boolean =>
  length !== undefined && Number(length) <= smallBodyBytes;

/**
 * `authenticate` without the wait: what follows reads and judges the body while the database looks the key
 * up, and awaits `admission.account` before anything is paid or told. A refusal of the key comes first
 * whatever else is wrong (respondError).
 */
export const beginAuthentication: EdgeMiddleware = async (context, next) => {
  const { account } = await begin(context, requireKey(readApiKey(context.req.raw.headers)));
  if (!isSmall(context.req.header("content-length"))) await account;
  await next();
};
