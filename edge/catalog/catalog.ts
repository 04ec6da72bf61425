/**
 * The catalogue: every LLM a caller may name, who serves it and what it costs, from the committed price
 * files and the aggregator's snapshot. Immutable once built; no I/O, no clock. Build a new one to refresh.
 */
import { GatewayError } from "../../shared/errors.ts";
import { type ModelSize, modelSizes } from "../../shared/model-sizes.ts";
import { aliases } from "./aliases.ts";
import { completeCard, listOwnCards } from "./complete-card.ts";
import { type CatalogModel, offlineModelId, type PriceCard } from "./model.ts";
import { guessName, listClosest, parseModelName, quoteName, sizeList, writeModelName } from "./model-name.ts";
import { listEntries, type ModelEntry, type ModelsBody, writeModelsBody } from "./models-body.ts";
import { chooseCard, type NativeRow, nativePriceFile, routerPriceFile } from "./price-file.ts";
import { listRouterIds } from "./router-id.ts";
import type { RouterSnapshot } from "./router-snapshot.ts";
import { keepOffPool } from "./unbounded-models.ts";

/** What callers are told where neither the aggregator nor the price file gives a window. */
const assumedContextWindow = 128_000;
/** The window that a hold assumes then: no model takes more. */
const largestContextWindow = 16_000_000;

const windowsOf = (known: number | undefined): Pick<CatalogModel, "contextWindow" | "routerWindow"> =>
  known === undefined
    ? { contextWindow: assumedContextWindow, routerWindow: largestContextWindow }
    : { contextWindow: known };

const freeCard: PriceCard = { input: 0, output: 0 };

type ResolvedModel = {
  size: ModelSize;
  /** The model that runs, with aliases resolved. */
  llm: CatalogModel;
};

export type Catalog = {
  /** The model of an LLM id or alias. */
  find(llmId: string): CatalogModel | undefined;
  /**
   * Size and model of a full name; `field` is the body's field that held it. Throws GatewayError `model_not_found`, or
   * `invalid_request` for a name without an LLM.
   */
  resolveModel(name: string, field?: string): ResolvedModel;
  /** Every name a caller may use, of these sizes in this order; cached. */
  entries(order?: readonly ModelSize[]): readonly ModelEntry[];
  /** GET /v1/models in OpenAI's shape, for the same entries; cached. */
  modelsBody(order?: readonly ModelSize[]): ModelsBody;
  /** `created` of the names without an LLM, Unix seconds. */
  readonly embeddingCreated: number;
  readonly nativeModels: readonly CatalogModel[];
  readonly routerModels: readonly CatalogModel[];
};

export type CatalogOptions = {
  /** The aggregator's list; without one, the price file's ids of the aggregator are used. */
  snapshot?: RouterSnapshot | undefined;
  /** Moment whose prices count, Unix milliseconds: dated price changes take effect when a catalogue is built. */
  startedAtMs: number;
  /** True for a router without a key (`POOL_ROUTER_KEY=none`): a model without a price there costs nothing. */
  freeRouter?: boolean;
};

/** Builds a catalogue; about a millisecond for 600 aggregator models. */
export function buildCatalog(options: CatalogOptions): Catalog {
  const routerModels = buildRouterModels(options).map(keepOffPool);
  const routerById = new Map(routerModels.map((model) => [model.id, model]));
  const nativeModels = nativePriceFile.models.map((row) =>
    keepOffPool(buildNativeModel(row, routerById, options)),
  );
  // A native id wins over a proxy that lists the same bare name.
  const byId = new Map([...routerById, ...nativeModels.map((model) => [model.id, model] as const)]);
  const listed = [...nativeModels, ...routerModels.filter(({ id }) => byId.get(id)?.provider === "router")];
  const embeddingCreated = Date.parse(nativePriceFile.generated) / 1000;
  const entries = keepByOrder((order) => listEntries(listed, { order, embeddingCreated }));

  const find = (llmId: string) => byId.get(llmId) ?? byId.get(aliases.get(llmId) ?? "");
  return {
    find,
    resolveModel: (name, field = "model") => resolveModel(name, { field, find, ids: byId.keys() }),
    entries,
    modelsBody: keepByOrder((order) => writeModelsBody(entries(order))),
    embeddingCreated,
    nativeModels,
    routerModels,
  };
}

/** Caches results by the order of sizes. Few orders occur: all sizes with the loaded ones first, or a single size. */
function keepByOrder<Result>(make: (order: readonly ModelSize[]) => Result) {
  const kept = new Map<string, Result>();
  return (order: readonly ModelSize[] = modelSizes): Result => {
    const key = order.join();
    const known = kept.get(key) ?? make(order);
    kept.set(key, known);
    return known;
  };
}

function buildRouterModels({ snapshot, startedAtMs, freeRouter = false }: CatalogOptions): CatalogModel[] {
  const ownCards = listOwnCards(startedAtMs);
  const generated = Date.parse(routerPriceFile.generated) / 1000;
  const fileById = new Map(routerPriceFile.models.map((row) => [row.id, row]));
  const fallback = (prices: PriceCard | undefined) => prices ?? (freeRouter ? freeCard : undefined);

  const fromSnapshot = (snapshot?.models ?? []).map((model) => {
    const { id, created = generated, contextWindow, outputLimit, prices: listed, ...routerFacts } = model;
    const prices = completeCard(id, listed, ownCards) ?? fallback(undefined);
    return {
      id,
      provider: "router" as const,
      ...windowsOf(contextWindow ?? fileById.get(id)?.contextWindow),
      ...(outputLimit !== undefined && { outputLimit }),
      ...(prices && { prices }),
      routerFacts,
      created,
    };
  });
  const answersAnyId = snapshot === undefined || snapshot.models.some(({ id }) => id === offlineModelId);
  const listed = new Set(fromSnapshot.map(({ id }) => id));
  const filledIn = (answersAnyId ? routerPriceFile.models : [])
    .filter(({ id }) => !listed.has(id))
    .map(({ id, contextWindow, prices: dated }) => {
      const prices = fallback(completeCard(id, chooseCard(dated, startedAtMs), ownCards));
      return {
        id,
        provider: "router" as const,
        ...windowsOf(contextWindow),
        ...(prices && { prices }),
        created: generated,
      };
    });
  return [...fromSnapshot, ...filledIn].sort((left, right) => (left.id < right.id ? -1 : 1));
}

function buildNativeModel(
  { prices: dated, ...row }: NativeRow,
  routerById: ReadonlyMap<string, CatalogModel>,
  { startedAtMs, freeRouter = false }: CatalogOptions,
): CatalogModel {
  const prices = chooseCard(dated, startedAtMs);
  const candidates = listRouterIds(row.id, row.provider);
  const answersAnyId = routerById.has(offlineModelId);
  const routerId = candidates.find((id) => routerById.has(id)) ?? (answersAnyId ? candidates[0] : undefined);
  const listed = routerId === undefined ? undefined : routerById.get(routerId);
  const routerWindow = listed?.routerWindow ?? listed?.contextWindow ?? 0;
  const routerPrices = listed?.prices ?? (freeRouter && prices === undefined ? freeCard : undefined);
  return {
    ...row,
    ...(prices && { prices }),
    ...(routerId !== undefined && { routerId }),
    ...(routerWindow > row.contextWindow && { routerWindow }),
    ...(routerPrices && JSON.stringify(routerPrices) !== JSON.stringify(prices) && { routerPrices }),
    ...(listed?.routerFacts && { routerFacts: listed.routerFacts }),
  };
}

type Lookup = { field: string; find: Catalog["find"]; ids: Iterable<string> };

function resolveModel(name: string, { field: param, find, ids }: Lookup): ResolvedModel {
  const parsed = parseModelName(name);
  const listHint = "GET /v1/models lists every name.";
  if (parsed.kind === "unknown") {
    const why =
      parsed.reason === "size"
        ? `The size must be one of ${sizeList}.`
        : `Model names have the form ${writeModelName("base", "{llm}")}.`;
    const guess = guessName(name);
    const llm = [guess.llm, guess.llm.toLowerCase()].find((text) => find(text) !== undefined);
    const meant = llm === undefined ? "" : `Did you mean ${writeModelName(guess.size, llm)}? `;
    throw new GatewayError(
      "model_not_found",
      `Unknown model ${quoteName(name)}. ${why} ${meant}${listHint}`,
      { param },
    );
  }
  if (parsed.kind === "embedding") {
    const example = writeModelName(parsed.size, "gpt-4o");
    const message = `${quoteName(name)} names no LLM and only makes embeddings (POST /v1/embeddings). Name one to chat, such as ${example}. ${listHint}`;
    throw new GatewayError("invalid_request", message, { param });
  }
  const llm = find(parsed.llm);
  if (!llm) {
    const closest = listClosest(parsed.llm, ids).map((id) => writeModelName(parsed.size, id));
    const hint = closest.length > 0 ? `Did you mean ${closest.join(", ")}? ` : "";
    throw new GatewayError("model_not_found", `Unknown model ${quoteName(name)}. ${hint}${listHint}`, {
      param,
    });
  }
  return { size: parsed.size, llm };
}
