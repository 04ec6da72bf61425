/**
 * Service API key -> account, in one database round trip. A mistyped key fails its checksum and costs
 * none. The key itself goes no further than its hash.
 */
import { GatewayError } from "../../shared/errors.ts";
import { hashApiKey, hasValidChecksum } from "../api-key.ts";
import { findApiKey } from "../db/api-keys.ts";
import type { EdgeMiddleware } from "./context.ts";

/** `Authorization: Bearer <key>` or `x-api-key: <key>`; undefined when neither is there in form. */
export function readApiKey(headers: Headers): string | undefined {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1];
  return bearer ?? (headers.get("x-api-key")?.trim() || undefined);
}

/** As `readApiKey`, and the key alone in `Authorization`. */
function readBareApiKey(headers: Headers): string | undefined {
  return readApiKey(headers) ?? /^ *(svc_sk_\S+) *$/.exec(headers.get("authorization") ?? "")?.[1];
}

const invalidKey = (): GatewayError =>
  new GatewayError(
    "invalid_api_key",
    "This API key is unknown, revoked or mistyped; check it or create a new one.",
  );

const authenticateBy =
  (readKey: (headers: Headers) => string | undefined): EdgeMiddleware =>
  async (context, next) => {
    const key = readKey(context.req.raw.headers);
    if (key === undefined) {
      throw new GatewayError(
        "missing_api_key",
        "Send your API key as 'Authorization: Bearer svc_sk_live_...' or in the header x-api-key.",
      );
    }
    if (!hasValidChecksum(key)) throw invalidKey();
    const account = await findApiKey(context.var.services.database, await hashApiKey(key));
    if (account === undefined) throw invalidKey();
    context.var.logFields.account_id = account.accountId;
    if (account.suspended) {
      throw new GatewayError(
        "account_suspended",
        "This account is suspended; write to the operator of this service.",
      );
    }
    context.set("account", account);
    await next();
  };

export const authenticate = authenticateBy(readApiKey);
/** For the one endpoint whose `Authorization` may be the bare key. */
export const authenticateBareKey = authenticateBy(readBareApiKey);
