/** The first step of a chat request: which models, whose keys, what the world model is asked, and what it may cost at most. */
import type { ChatRequest } from "../../shared/chat.ts";
import { bodyError, GatewayError } from "../../shared/errors.ts";
import type { ModelSize } from "../../shared/model-sizes.ts";
import type { PlanRequest } from "../../shared/planning.ts";
import { priceOfSize } from "../billing/price.ts";
import type { CatalogModel } from "../catalog/model.ts";
import type { Account } from "../db/api-keys.ts";
import { countValues, maxBodyValues } from "../dialects/json-scan.ts";
import { buildPlanRequest } from "../planning/plan-request.ts";
import { type ChosenRoute, type ProviderKeys, type Route, resolveRoute } from "../providers/resolve-route.ts";
import { openStoredKey } from "../vault/provider-keys.ts";
import type { ChatInput } from "./chat-input.ts";
import { type Bill, type LineItem, openBill } from "./money/bill.ts";
import { limitToPool, type PoolRequest } from "./pool-fields.ts";
import { hasToWait, refuseWrongKey } from "./refuse-wrong-keys.ts";
import type { Services } from "./services.ts";
import { boundPlanningTokens } from "./tokens/planning-bounds.ts";

/** A model that may answer: how it is reached, and the caller's request as it may travel there. */
export type Candidate = PoolRequest & {
  /** As the caller wrote it. */
  name: string;
  route: Route;
  lineItem: LineItem;
};

export type RequestTerms = {
  size: ModelSize;
  /** In the order in which they are tried. */
  candidates: readonly [Candidate, ...Candidate[]];
  planRequest: PlanRequest;
  planningPriceMicro: number;
  bill: Bill;
};

/**
 * Throws model_not_found, missing_provider_key, stored_key_unreadable, world_model_not_loaded. Fallback models are resolved
 * too, so that a list that cannot work fails now and not when it is needed.
 */
export async function resolveTerms(input: ChatInput, services: Services): Promise<RequestTerms> {
  checkArguments(input.request);
  const { size, models } = await resolveModels(input, services);
  const routed = (
    await Promise.all(
      models.map(async ({ name, llm }, at) => {
        const choosing = chooseRoute(llm, input, services);
        const route = await (at === 0 ? choosing : choosing.catch(skipWaiting));
        return route && { name, route, ...limitRequest(input.request, route) };
      }),
    )
  ).filter((model) => model !== undefined);
  const planRequest = buildPlanRequest(input.request, size);
  const planningPriceMicro = priceOfSize(size);
  const bill = openBill({
    models: routed,
    planningPriceMicro,
    planningTokenBound: boundPlanningTokens(planRequest),
    ...input.options,
  });
  const [first, ...others] = routed.map(
    (model, index): Candidate => ({ ...model, lineItem: bill.lineItems[index]! }),
  );
  return { size, candidates: [first!, ...others], planRequest, planningPriceMicro, bill };
}

/** A model to go on with is left out while its key has to wait: the others need not. */
function skipWaiting(error: unknown): undefined {
  if (!hasToWait(error)) throw error;
}

const limitRequest = (request: ChatRequest, { keySource }: Route): PoolRequest =>
  keySource === "pool" ? limitToPool(request) : { request, unsupported: [] };

type Named = { name: string; llm: CatalogModel };

/** Each model once: a second attempt at a model that has just failed would only delay the answer. */
async function resolveModels({ modelName, fallbacks }: ChatInput, services: Services) {
  const catalog = await services.catalog();
  const { size, llm } = catalog.resolveModel(modelName);
  const models: Named[] = [{ name: modelName, llm }];
  for (const name of fallbacks) {
    const other = catalog.resolveModel(name, "models");
    if (other.size !== size) throw differentSize(size);
    if (models.every((known) => known.llm !== other.llm)) models.push({ name, llm: other.llm });
  }
  return { size, models };
}

/** Only one plan is made and charged for a request, so all its models must have one size. */
function differentSize(size: ModelSize): GatewayError {
  const line = `models: every name must have the size of model (${size}), which makes the one plan of this request`;
  return bodyError([line], { param: "models" });
}

/**
 * The arguments of tool calls are JSON inside strings: the bound on a body's values does not count them, but some providers need
 * them parsed. Throws request_too_large when all together hold more values than a body may.
 */
export function checkArguments({ messages }: ChatRequest): void {
  const texts = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-call" ? [part.arguments] : [])),
  );
  // A JSON value takes one character at least: texts this short hold no more values than the bound.
  if (texts.reduce((sum, { length }) => sum + length, 0) <= maxBodyValues) return;
  let left = maxBodyValues;
  for (const text of texts) left -= countValues(text, left);
  if (left >= 0) return;
  throw new GatewayError(
    "request_too_large",
    `The arguments of the tool calls hold more than ${maxBodyValues.toLocaleString("en")} JSON values; send fewer.`,
  );
}

/**
 * Which provider serves a model, with the key in the clear: the caller's own, a stored one, or the pool's. Throws
 * missing_provider_key, rate_limit_exceeded for a key that was refused too often, or stored_key_unreadable: a stored key that does not
 * open never falls to the pool.
 */
export async function chooseRoute(
  llm: CatalogModel,
  { account, inlineKeys }: { account: Account; inlineKeys: ProviderKeys },
  services: Services,
): Promise<Route> {
  const { pool } = services.config;
  const chosen = resolveRoute(llm, { inline: inlineKeys, vault: account.storedKeys, pool });
  const route = { ...chosen, key: await openKey(chosen.key, account, services) };
  await refuseWrongKey(route, account, services);
  return route;
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
