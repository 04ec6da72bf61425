/**
 * /v1/account/llm-keys: a caller's own provider keys. POST checks their form, then each with its provider,
 * then stores all or none; GET says for which providers a key is stored, never the key; DELETE deletes one or all.
 */
import { z } from "zod";
import { GatewayError } from "../../../shared/errors.ts";
import { inlineKeyHeaders, type ProviderKind, providerKinds } from "../../../shared/providers.ts";
import { deleteKeys } from "../../db/provider-keys.ts";
import { authenticate } from "../../middleware/authenticate.ts";
import { createHandlers, type EdgeContext, type EdgeMiddleware } from "../../middleware/context.ts";
import { requireUnlimited } from "../../middleware/key-rights.ts";
import { limitConcurrency } from "../../middleware/limit-concurrency.ts";
import { noStore } from "../../middleware/no-store.ts";
import { countHits } from "../../middleware/rate-limit.ts";
import { jsonBody } from "../../middleware/request-body.ts";
import type { Services } from "../../pipeline/services.ts";
import { checkKey, type KeyVerdict } from "../../providers/check-key.ts";
import { baseUrlOf, providers } from "../../providers/registry.ts";
import { providerTimeouts } from "../../providers/timeouts.ts";
import { type NewKeys, sealAndStore, type Vault } from "../../vault/provider-keys.ts";
import { isoTime } from "./account-values.ts";
import type { FlatError } from "./flat-error.ts";

const maxKeyChars = 512;
/** Keys tried a minute: each is a call from the operator's address, which providers lock out after many wrong keys. */
const keyChecks = { name: "key-checks", limit: 120, counts: "provider keys" };
const fieldOf = (kind: ProviderKind) => `${kind}_key`;
const fields = providerKinds.map(fieldOf);

/** Unknown fields are refused: a misspelt field must not look like a stored key. */
export const NewKeysBody = z.strictObject(
  Object.fromEntries(
    providerKinds.map((kind) => [fieldOf(kind), z.string().trim().max(maxKeyChars).optional()]),
  ),
);

function requireVault({ vault }: Services): Vault {
  if (vault !== undefined) return vault;
  throw new GatewayError(
    "vault_unavailable",
    "The vault is disabled on this service, so it stores no provider keys: send yours with each request, " +
      `in the headers ${Object.values(inlineKeyHeaders).join(", ")}.`,
  );
}

const vaultEnabled: EdgeMiddleware = async (context, next) => {
  requireVault(context.var.services);
  await next();
};

const refuse = (context: EdgeContext, body: FlatError) => {
  context.var.logFields.code = body.error;
  context.header("x-should-retry", "false");
  return context.json(body, 400);
};

/** The keys of a body, or what is wrong with it. Pure. */
function readKeys(body: unknown): { keys: NewKeys } | { problem: FlatError } {
  const parsed = NewKeysBody.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = String(issue?.path[0] ?? "");
    const provider = providerKinds.find((kind) => fieldOf(kind) === field);
    const about = provider === undefined ? "The body" : field;
    const message = `${about} is not valid: send a JSON object with any of ${fields.join(", ")}, each a string.`;
    return { problem: { error: "invalid_request", message, ...(provider && { provider }) } };
  }
  const keys: NewKeys = {};
  for (const kind of providerKinds) {
    const key = parsed.data[fieldOf(kind)];
    if (key === undefined) continue;
    const { pattern, shape } = providers[kind].keyCheck;
    if (!pattern.test(key)) {
      const message = `${fieldOf(kind)} has not the form of a key for ${providers[kind].title}: ${shape}.`;
      return { problem: { error: "invalid_request", message, provider: kind } };
    }
    keys[kind] = key;
  }
  return { keys };
}

/** What a verdict other than `valid` means for the caller; nothing is stored then. */
function describeVerdict(kind: ProviderKind, { verdict, status }: KeyVerdict): FlatError {
  const { title } = providers[kind];
  const said = status === undefined ? "the provider did not answer" : `the provider answered ${status}`;
  if (verdict === "rejected") {
    const message = `Invalid API key for ${title}: ${said}. No key was stored.`;
    return { error: "validation_failed", message, provider: kind };
  }
  const message = `The key for ${title} could not be validated: ${said}. No key was stored; retry later.`;
  return { error: "service_unavailable", message, provider: kind };
}

const store = createHandlers(
  authenticate,
  noStore,
  requireUnlimited,
  vaultEnabled,
  limitConcurrency,
  jsonBody,
  async (context) => {
    const { services, account } = context.var;
    const read = readKeys(context.var.body);
    if ("problem" in read) return refuse(context, read.problem);
    const entries = Object.entries(read.keys) as [ProviderKind, string][];
    if (entries.length === 0)
      return context.json({ success: true, message: "No key was sent; nothing was changed." });

    await countHits(context, keyChecks, entries.length);
    const verdicts = await Promise.all(
      entries.map(async ([kind, key]) => {
        const baseUrl = baseUrlOf(kind, services.config.baseUrls);
        const check = await checkKey(kind, key, {
          fetch: services.fetch,
          baseUrl,
          timeoutMs: providerTimeouts.keyCheckMs,
        });
        return { kind, ...check };
      }),
    );
    // A key that is surely wrong is reported first: the caller can correct it.
    const failed =
      verdicts.find(({ verdict }) => verdict === "rejected") ??
      verdicts.find(({ verdict }) => verdict === "unclear");
    if (failed !== undefined) {
      const problem = describeVerdict(failed.kind, failed);
      if (failed.verdict === "rejected") return refuse(context, problem);
      context.var.logFields.code = problem.error;
      return context.json(problem, 503);
    }
    await sealAndStore(services.database, requireVault(services), {
      accountId: account.accountId,
      keys: read.keys,
      now: services.now(),
    });
    const names = entries.map(([kind]) => kind).join(", ");
    return context.json({ success: true, message: `Keys were validated and stored: ${names}.` });
  },
);

const status = createHandlers(authenticate, noStore, vaultEnabled, (context) => {
  const { services, account } = context.var;
  const stored = new Map(account.storedKeys.map((key) => [key.provider, key]));
  const has = providerKinds.map((kind) => [`has_${kind}_key`, stored.has(kind)] as const);
  const validated = providerKinds.map(
    (kind) => [`${kind}_last_validated`, isoTime(stored.get(kind)?.validatedAt ?? null)] as const,
  );
  return context.json({
    pool_keys_available: services.config.pool.on,
    ...Object.fromEntries([...has, ...validated]),
  });
});

const forget = createHandlers(authenticate, noStore, requireUnlimited, vaultEnabled, async (context) => {
  const { services, account } = context.var;
  const { provider: asked, ...others } = context.req.query();
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    // Otherwise a misspelt `?providers=alpha` would delete every key.
    const message = `Unknown query parameter ${JSON.stringify(unknown.slice(0, 64))}; there is only provider.`;
    return refuse(context, { error: "invalid_request", message });
  }
  const provider = providerKinds.find((kind) => kind === asked);
  // With several values only the first would be deleted.
  const asksTwice = (context.req.queries("provider") ?? []).length > 1;
  if (asksTwice || (asked !== undefined && provider === undefined)) {
    const message = `provider must be one of ${providerKinds.join(", ")}; leave it out to delete all keys.`;
    return refuse(context, { error: "invalid_request", message });
  }
  const owner = { accountId: account.accountId, ...(provider && { provider }) };
  const deleted = await deleteKeys(services.database, owner);
  const message =
    deleted.length === 0 ? "There was no key to delete." : `Deleted: ${deleted.sort().join(", ")}.`;
  return context.json({ success: true, message });
});

export const llmKeys = { store, status, forget };
