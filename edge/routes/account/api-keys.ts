/**
 * /v1/account/api-keys: the account's own API keys, for callers that may manage them. A key is shown once, when it is made; later
 * answers hold only its name, limits and spending.
 */
import { z } from "zod";
import { toCredits, toMicro } from "../../../shared/credits.ts";
import { GatewayError } from "../../../shared/errors.ts";
import { createApiKey, hashApiKey, showPrefix } from "../../api-key.ts";
import { addApiKey, changeApiKey, type KeySettings, revokeApiKey } from "../../db/api-keys.ts";
import { type ListedKey, listApiKeys } from "../../db/list-api-keys.ts";
import { maxActiveKeys, maxKeyNameChars } from "../../db/schema.ts";
import { authenticate } from "../../middleware/authenticate.ts";
import { createHandlers, type EdgeContext } from "../../middleware/context.ts";
import { requireManage } from "../../middleware/key-rights.ts";
import { noStore } from "../../middleware/no-store.ts";
import { rateLimit } from "../../middleware/rate-limit.ts";
import { jsonBody } from "../../middleware/request-body.ts";
import { listTurn } from "../../middleware/take-turn.ts";
import { Credits, isoTime, ModelNames, readBody, readModelNames } from "./account-values.ts";

const newKeysPerMinute = 60;
/** An ended key keeps its row, of some kilobytes if it has a list of models. */
const newKeysPerDay = 500;
/** Listing every key that ever existed would take the edge seconds. */
const maxListed = 500;

const settings = {
  expires_at: z.iso
    .datetime({ offset: true, error: "must be a time such as 2027-01-31T00:00:00Z" })
    .nullish(),
  monthly_budget: Credits.nullish(),
  models: ModelNames.nullish(),
};
const KeyName = z.string().trim().min(1).max(maxKeyNameChars);
/** Unknown fields are refused: a misspelt limit must not appear to be set. */
export const NewKeyBody = z.strictObject({ name: KeyName, ...settings });
export const KeyChangesBody = z.strictObject({ name: KeyName.optional(), ...settings });

function describe(key: ListedKey) {
  return {
    id: key.keyId,
    name: key.name,
    prefix: key.prefix,
    created_at: isoTime(key.createdAt),
    last_used_at: isoTime(key.lastUsedAt),
    expires_at: isoTime(key.expiresAt),
    monthly_budget: key.monthlyBudgetMicro === null ? null : toCredits(key.monthlyBudgetMicro),
    spent_this_month: toCredits(key.spentThisMonthMicro),
    models: key.models,
    manage: key.manage,
    revoked_at: isoTime(key.revokedAt),
  };
}

/** The settings that a body sets, in our own units. Throws invalid_request. */
async function readSettings(
  { var: { services } }: EdgeContext,
  body: z.infer<typeof KeyChangesBody>,
): Promise<Partial<KeySettings>> {
  const { name, expires_at: expiry, monthly_budget: budget, models } = body;
  const expiresAt = expiry == null ? null : Date.parse(expiry);
  if (expiresAt !== null && expiresAt <= services.now()) {
    throw new GatewayError(
      "invalid_request",
      "expires_at has passed; give a time to come, or delete the key.",
    );
  }
  return {
    ...(name !== undefined && { name }),
    ...(expiry !== undefined && { expiresAt }),
    ...(budget !== undefined && { monthlyBudgetMicro: budget === null ? null : toMicro(budget) }),
    ...(models !== undefined && {
      models: models === null ? null : readModelNames(models, await services.catalog()),
    }),
  };
}

const noSuchKey = () => new GatewayError("not_found", "This account has no active API key with that id.");

async function readKey({ var: { services, account } }: EdgeContext, keyId: string) {
  const { accountId } = account;
  const [key] = await listApiKeys(services.database, { accountId, keyId, now: services.now() });
  if (key === undefined) throw noSuchKey();
  return describe(key);
}

const list = createHandlers(authenticate, noStore, requireManage, listTurn, async (context) => {
  const { services, account } = context.var;
  const asked = { accountId: account.accountId, limit: maxListed, now: services.now() };
  const keys = await listApiKeys(services.database, asked);
  return context.json({ object: "list", data: keys.map(describe) });
});

const create = createHandlers(
  authenticate,
  noStore,
  requireManage,
  rateLimit({ name: "api-keys", limit: newKeysPerMinute }),
  jsonBody,
  async (context) => {
    const { services, account } = context.var;
    const body = readBody(NewKeyBody, context.var.body);
    const limits = await readSettings(context, body);
    const apiKey = createApiKey(services.randomBytes(32));
    const keyId = `key_${services.randomId()}`;
    const outcome = await addApiKey(services.database, {
      ...limits,
      keyId,
      accountId: account.accountId,
      name: body.name,
      hash: await hashApiKey(apiKey),
      prefix: showPrefix(apiKey),
      now: services.now(),
      maxPerDay: newKeysPerDay,
    });
    if (outcome !== "added") {
      const message =
        outcome === "too_many_today"
          ? `This account has made ${newKeysPerDay} API keys in 24 hours, the most there may be; use one for longer, or tokens.`
          : `This account has ${maxActiveKeys} active API keys, the most there may be; delete one first.`;
      throw new GatewayError("limit_reached", message);
    }
    return context.json({ ...(await readKey(context, keyId)), api_key: apiKey }, 201);
  },
);

const change = createHandlers(authenticate, noStore, requireManage, jsonBody, async (context) => {
  const { services, account } = context.var;
  const keyId = context.req.param("id")!;
  const changes = await readSettings(context, readBody(KeyChangesBody, context.var.body));
  const changed = await changeApiKey(services.database, { keyId, accountId: account.accountId }, changes);
  if (!changed) throw noSuchKey();
  return context.json(await readKey(context, keyId));
});

const end = createHandlers(authenticate, noStore, requireManage, async (context) => {
  const { services, account } = context.var;
  const keyId = context.req.param("id")!;
  if (!(await revokeApiKey(services.database, keyId, services.now(), account.accountId))) throw noSuchKey();
  return context.json({ success: true, message: "The key is deleted, and its tokens with it." });
});

export const apiKeys = { list, create, change, end };
