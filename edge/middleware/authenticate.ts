/**
 * API key or token -> account, in one database round trip. A mistyped key fails its checksum and costs none. The
 * key itself goes no further than its hash.
 */
import { GatewayError } from "../../shared/errors.ts";
import { hashApiKey, hasValidChecksum, isAccessToken, readTokenExpiry } from "../api-key.ts";
import { findAccessToken, type TokenEndpoint } from "../db/access-tokens.ts";
import { type Account, findApiKey } from "../db/api-keys.ts";
import type { Services } from "../pipeline/services.ts";
import type { EdgeMiddleware } from "./context.ts";

/** `Authorization: Bearer <key>` or `x-api-key: <key>`; undefined when neither is there in form. */
export function readApiKey(headers: Headers): string | undefined {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1];
  return bearer ?? (headers.get("x-api-key")?.trim() || undefined);
}

/** As `readApiKey`, and the key alone in `Authorization`. */
function readBareApiKey(headers: Headers): string | undefined {
  return readApiKey(headers) ?? /^ *(svc_(?:sk|tk)_\S+) *$/.exec(headers.get("authorization") ?? "")?.[1];
}

const invalidKey = (): GatewayError =>
  new GatewayError(
    "invalid_api_key",
    "This API key is unknown, revoked or mistyped; check it or create a new one.",
  );
const expiredKey = (): GatewayError =>
  new GatewayError(
    "invalid_api_key",
    "This API key has expired; give it a later expires_at, or create a new one.",
  );
const expiredToken = (): GatewayError =>
  new GatewayError("token_expired", "This token has expired; ask whoever gave it to you for a new one.");

async function findKey({ database, now }: Services, key: string): Promise<Account> {
  if (!hasValidChecksum(key)) throw invalidKey();
  const account = await findApiKey(database, await hashApiKey(key));
  if (account === undefined) throw invalidKey();
  if (account.expiresAt !== null && account.expiresAt <= now()) throw expiredKey();
  return account;
}

/** `endpoint` undefined: no token is taken here. */
async function findToken(services: Services, token: string, endpoint?: TokenEndpoint): Promise<Account> {
  const now = services.now();
  const expiresAt = readTokenExpiry(token);
  if (expiresAt === undefined) throw invalidKey();
  if (expiresAt <= now) throw expiredToken();
  const account = await findAccessToken(services.database, { hash: await hashApiKey(token), now });
  if (account === undefined) throw invalidKey();
  if (account.expiresAt !== null && account.expiresAt <= now) throw expiredKey();
  if (endpoint === undefined || !account.endpoints?.includes(endpoint)) {
    throw new GatewayError(
      "permission_denied",
      `This token may be used for ${account.endpoints?.join(", ")} only; use an API key here.`,
    );
  }
  return account;
}

const authenticateBy =
  (readKey: (headers: Headers) => string | undefined, endpoint?: TokenEndpoint): EdgeMiddleware =>
  async (context, next) => {
    const { services, logFields } = context.var;
    const key = readKey(context.req.raw.headers);
    if (key === undefined) {
      throw new GatewayError(
        "missing_api_key",
        "Send your API key as 'Authorization: Bearer svc_sk_live_...' or in the header x-api-key.",
      );
    }
    const account = await services.watch.time("auth", () =>
      isAccessToken(key) ? findToken(services, key, endpoint) : findKey(services, key),
    );
    logFields.account_id = account.accountId;
    if (account.suspended) {
      throw new GatewayError(
        "account_suspended",
        "This account is suspended; write to the operator of this service.",
      );
    }
    context.set("account", account);
    await next();
  };

/** By an API key; tokens are refused, so a path takes them only where it says so. */
export const authenticate = authenticateBy(readApiKey);
/** By an API key, or by a token made for this endpoint. */
export const authenticateFor = (endpoint: TokenEndpoint): EdgeMiddleware =>
  authenticateBy(readApiKey, endpoint);
/** For the one endpoint whose `Authorization` may be the bare key. */
export const authenticateBareKey = authenticateBy(readBareApiKey);

/** After `authenticate`: only what was made to manage the account passes. */
export const requireManage: EdgeMiddleware = async (context, next) => {
  if (!context.var.account.manage) {
    throw new GatewayError(
      "permission_denied",
      "This API key may not manage keys; use one that was made with --manage, or the console.",
    );
  }
  await next();
};
