/** Which provider serves a request, with the key in the clear: the caller's own, a stored one, or the pool's. */
import type { GatewayError } from "../../shared/errors.ts";
import type { CatalogModel } from "../catalog/model.ts";
import type { Account } from "../db/api-keys.ts";
import type { ProviderKeys } from "../providers/registry.ts";
import { type ChosenRoute, type Route, resolveRoute } from "../providers/route.ts";
import { openStoredKey } from "../vault/provider-keys.ts";
import type { Services } from "./services.ts";

/** Throws missing_provider_key, or stored_key_unreadable: a stored key that does not open never falls to the pool. */
export async function chooseRoute(
  llm: CatalogModel,
  { account, inlineKeys }: { account: Account; inlineKeys: ProviderKeys },
  services: Services,
): Promise<Route> {
  const { pool } = services.config;
  const chosen = resolveRoute(llm, { inline: inlineKeys, vault: account.storedKeys, pool });
  return { ...chosen, key: await openKey(chosen.key, account, services) };
}

async function openKey(
  key: ChosenRoute["key"],
  { accountId }: Account,
  { vault, now, log }: Services,
): Promise<string | undefined> {
  if (typeof key !== "object") return key;
  return openStoredKey(vault, accountId, key, now()).catch((error: GatewayError) => {
    const { provider } = key;
    log({
      level: "error",
      event: "stored_key_unreadable",
      account_id: accountId,
      provider,
      reason: error.reason,
    });
    throw error;
  });
}
