/**
 * API key, token or session -> account, in one database round trip. A mistyped key fails its checksum and costs none, and neither
 * does a remembered caller where the hold reads the account anyway (`authenticateCachedFor`). The key itself goes no further than its hash.
 */
import { GatewayError } from "../../shared/errors.ts";
import { inlineKeyHeaders } from "../../shared/providers.ts";
import type { KnownCaller } from "../admission/known-callers.ts";
import { hashApiKey, hasValidChecksum, isAccessToken, readTokenExpiry } from "../api-key.ts";
import { accountSuspended, tokenExpired } from "../billing/hold.ts";
import { findAccessToken, type TokenEndpoint } from "../db/access-tokens.ts";
import { type Account, findApiKey } from "../db/api-keys.ts";
import { isDatabaseUnavailable } from "../db/connection.ts";
import type { Services } from "../pipeline/services.ts";
import type { CallerAdmission, EdgeContext, EdgeMiddleware } from "./context.ts";
import { takeRead } from "./limit-concurrency.ts";
import { readRequestSession, readSessionSecret } from "./session.ts";

const readAuthorization = (headers: Headers, form: RegExp): string | undefined =>
  form.exec(headers.get("authorization") ?? "")?.[1];
const readBearer = (headers: Headers) => readAuthorization(headers, /^Bearer +(\S+) *$/i);
const readBare = (headers: Headers) => readAuthorization(headers, /^ *(svc_(?:sk|tk)_\S+) *$/);

/**
 * `Authorization: Bearer <key>` or `x-api-key: <key>`; undefined if neither header holds one. The first may hold a token of something else:
 * of a proxy that checks who comes, or of another service (Anthropic's client sends both headers if both its variables are set).
 */
function readApiKey(headers: Headers, authorized = readBearer(headers)): string | undefined {
  const key = headers.get("x-api-key")?.trim() || undefined;
  return [authorized, key].find((given) => given?.startsWith("svc_")) ?? authorized ?? key;
}

/** As `readApiKey`; also accepts the bare key in `Authorization`. */
const readBareApiKey = (headers: Headers): string | undefined =>
  readApiKey(headers, readBearer(headers) ?? readBare(headers));

const invalidKey = (): GatewayError =>
  new GatewayError(
    "invalid_api_key",
    "This API key is unknown, revoked or mistyped; check it or create a new one.",
  );
/** SDKs take a provider's key from their usual variable by themselves. */
const foreignKey = (): GatewayError =>
  new GatewayError(
    "invalid_api_key",
    "This is no API key of this service: its keys begin with svc_sk_live_. Send a provider's key beside one, in " +
      `${Object.values(inlineKeyHeaders).join(", ")}.`,
  );
const expiredKey = (): GatewayError =>
  new GatewayError(
    "invalid_api_key",
    "This API key has expired; give it a later expires_at, or create a new one.",
  );

async function findKey({ database, now }: Services, key: string): Promise<Account> {
  if (!key.startsWith("svc_")) throw foreignKey();
  if (!hasValidChecksum(key)) throw invalidKey();
  const account = await findApiKey(database, await hashApiKey(key));
  if (account === undefined) throw invalidKey();
  if (account.expiresAt !== null && account.expiresAt <= now()) throw expiredKey();
  return account;
}

/** `endpoint` undefined: tokens are refused. */
async function findToken(services: Services, token: string, endpoint?: TokenEndpoint): Promise<Account> {
  const now = services.now();
  const expiresAt = readTokenExpiry(token);
  if (expiresAt === undefined) throw invalidKey();
  if (expiresAt <= now) throw tokenExpired();
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

type Accepted = {
  readKey: (headers: Headers) => string | undefined;
  /** The endpoint whose tokens are accepted; undefined: none. */
  endpoint?: TokenEndpoint;
  /** Whether a console session is accepted if the request has no key. */
  session?: boolean;
};

async function findCaller(context: EdgeContext, { readKey, endpoint, session }: Accepted): Promise<Account> {
  const services = context.get("services");
  const key = readKey(context.req.raw.headers);
  if (key !== undefined)
    return isAccessToken(key) ? findToken(services, key, endpoint) : findKey(services, key);
  const found = session ? await readRequestSession(context) : undefined;
  if (found !== undefined) return found.account;
  throw new GatewayError(
    "missing_api_key",
    "Send your API key as 'Authorization: Bearer svc_sk_live_...' or in the header x-api-key.",
  );
}

/** Sets `account` to what the database holds now. */
async function readCaller(context: EdgeContext, accepted: Accepted): Promise<void> {
  const services = context.get("services");
  const logFields = context.get("logFields");
  const account = await services.requestRecord.time("auth", () => findCaller(context, accepted));
  logFields.account_id = account.accountId;
  if (account.suspended) throw accountSuspended();
  context.set("account", account);
}

/** For requests that are answered from the database. Bounds how many of one key or session run at once (`takeRead`). */
const authenticateReadBy =
  (readKey: Accepted["readKey"]): EdgeMiddleware =>
  async (context, next) => {
    const secret = readKey(context.req.raw.headers) ?? readSessionSecret(context);
    const lease = secret === undefined ? undefined : await takeRead(context, secret);
    try {
      await readCaller(context, { readKey, session: true });
      await next();
    } finally {
      lease?.end();
    }
  };

/** Accepts an API key, or a console session from its own pages. Tokens are refused: only a path that says so accepts them. */
export const authenticate = authenticateReadBy(readApiKey);
/** Accepts an API key, or a token made for this endpoint. */
export const authenticateFor =
  (endpoint: TokenEndpoint): EdgeMiddleware =>
  async (context, next) => {
    await readCaller(context, { readKey: readApiKey, endpoint });
    await next();
  };
/**
 * As `authenticateFor`, but saves the round trip for an API key that was admitted in this isolate lately: the request goes on with
 * the remembered account, and the statement that takes its hold compares that with the database (`admission.snapshot`). Only for
 * routes that take a hold through `admission`. A request with an Idempotency-Key writes its claim before its hold, so its account
 * is always read.
 */
export const authenticateCachedFor =
  (endpoint: TokenEndpoint): EdgeMiddleware =>
  async (context, next) => {
    const services = context.get("services");
    const logFields = context.get("logFields");
    const accepted: Accepted = { readKey: readApiKey, endpoint };
    const keyHash = await hashKnownShape(readApiKey(context.req.raw.headers));
    const isKept = context.req.header("idempotency-key") !== undefined;
    const known = isKept || keyHash === undefined ? undefined : recall(services, keyHash);
    const admission = openAdmission(context, accepted, keyHash, known);
    context.set("admission", admission);
    if (known === undefined) await readCaller(context, accepted);
    else {
      context.set("account", known.account);
      logFields.account_id = known.account.accountId;
    }
    await next();
    // The request failed before its hold compared the account: if the key has been revoked since, the answer is 401.
    if (context.error && admission.isUnconfirmed && !isTurnedAway(context.error)) await admission.reload();
  };

/** `keyHash`: undefined if the caller cannot be remembered. `known`: the remembered caller that the request begins with. */
function openAdmission(
  context: EdgeContext,
  accepted: Accepted,
  keyHash: string | undefined,
  known: KnownCaller | undefined,
): CallerAdmission {
  const { knownCallers, now } = context.get("services");
  let snapshot = known?.account.snapshot;
  let granted = false;
  return {
    get snapshot() {
      return snapshot;
    },
    get isUnconfirmed() {
      return snapshot !== undefined && !granted;
    },
    /** A plan occupies a worker's thread for up to seconds, whether or not the hold is granted afterwards. */
    get mayPlanAhead() {
      if (knownCallers.wasRefused(context.get("account").accountId, now())) return false;
      return known === undefined || now() - known.admittedAt < planAheadMs;
    },
    refuse: () => knownCallers.refuse(context.get("account").accountId, now()),
    grant() {
      granted = true;
      if (keyHash !== undefined) knownCallers.admit(keyHash, context.get("account"), now());
    },
    async reload() {
      if (keyHash !== undefined) knownCallers.forget(keyHash);
      snapshot = undefined;
      await readCaller(context, accepted);
    },
  };
}

/** How recent a key's last granted hold must be for planning to begin before the next one is granted. */
const planAheadMs = 60_000;

/** Undefined if the caller cannot be remembered: a token (its session may have ended), or a string that is not a key. */
const hashKnownShape = async (key: string | undefined): Promise<string | undefined> =>
  key !== undefined && !isAccessToken(key) && hasValidChecksum(key) ? hashApiKey(key) : undefined;

function recall({ knownCallers, now }: Services, keyHash: string): KnownCaller | undefined {
  const known = knownCallers.recall(keyHash, now());
  const { expiresAt = null } = known?.account ?? {};
  return expiresAt !== null && expiresAt <= now() ? undefined : known;
}

/**
 * Whether too many requests of the key were running, or the database is slow or away. The account is not read for such a refusal: a
 * flood of them costs the database nothing, and nobody waits for a second time-out.
 */
const isTurnedAway = (error: Error): boolean =>
  isDatabaseUnavailable(error) ||
  (error instanceof GatewayError && ["rate_limit_exceeded", "billing_unavailable"].includes(error.code));

/** As `authenticate`, for the one endpoint that accepts the bare key in `Authorization`. */
export const authenticateBareKey = authenticateReadBy(readBareApiKey);
