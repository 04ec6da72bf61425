/**
 * Writes the price files of edge/catalog from the installed @pydantic/genai-prices and our own list of models: `node
 * scripts/generate-catalog.ts`. So the ledger's prices come from files that a reviewer can read, and the Worker does not carry
 * the package (470 kB bundled, most of it about other vendors).
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findProvider, type MatchLogic, type ModelInfo } from "@pydantic/genai-prices";
import type { NativeRow, PriceFile, RouterRow } from "../edge/catalog/price-file.ts";
import { type NativeListEntry, nativeList } from "./catalog/native-list.ts";
import { readPackagePrices } from "./catalog/package-prices.ts";

const packageProvider = { alpha: "openai", beta: "anthropic", gamma: "google" } as const;

/** Ids of the aggregator's models that do not answer a chat with text, answer only later (`:batch`), or no longer (`:beta`). */
const notChat = /embed|tts|whisper|image|lyria|audio|guard|moderation|:batch$|:beta$|-vision$/;

function listProviderModels(providerId: string): ModelInfo[] {
  const provider = findProvider({ providerId });
  if (!provider) throw new Error(`the price package no longer knows "${providerId}"`);
  return provider.models;
}

function matches(logic: MatchLogic, id: string): boolean {
  if ("or" in logic) return logic.or.some((part) => matches(part, id));
  if ("and" in logic) return logic.and.every((part) => matches(part, id));
  if ("equals" in logic) return logic.equals === id;
  if ("starts_with" in logic) return id.startsWith(logic.starts_with);
  if ("ends_with" in logic) return id.endsWith(logic.ends_with);
  if ("contains" in logic) return id.includes(logic.contains);
  return new RegExp(logic.regex).test(id);
}

function listExactIds(logic: MatchLogic): string[] {
  if ("or" in logic) return logic.or.flatMap(listExactIds);
  return "equals" in logic ? [logic.equals] : [];
}

function buildNativeRow(entry: NativeListEntry, today: string): NativeRow {
  const models = listProviderModels(packageProvider[entry.provider]);
  const found =
    models.find(({ id }) => id === entry.id) ?? models.find(({ match }) => matches(match, entry.id));
  const contextWindow = entry.contextWindow ?? found?.context_window;
  const prices = readPackagePrices(entry.prices ?? found?.prices ?? {}, today);
  if (contextWindow === undefined || prices.length === 0) {
    throw new Error(`${entry.id}: no price or context window, add it to scripts/catalog/native-list.ts`);
  }
  const { id, provider, outputLimit } = entry;
  return { id, provider, contextWindow, outputLimit, created: Date.parse(entry.released) / 1000, prices };
}

function buildRouterRows(model: ModelInfo, today: string): RouterRow[] {
  return listExactIds(model.match)
    .filter((id) => id.includes("/") && !notChat.test(id))
    .map((id) => {
      const free = id.endsWith(":free");
      const prices = free ? [{ card: { input: 0, output: 0 } }] : readPackagePrices(model.prices, today);
      return {
        id,
        ...(model.context_window !== undefined && { contextWindow: model.context_window }),
        ...(prices.length > 0 && { prices }),
      };
    });
}

function resolvePath(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

function readPackageVersion(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(resolvePath("node_modules/@pydantic/genai-prices/package.json"), "utf8"),
  );
  return (manifest as { version: string }).version;
}

function writePriceFile<Row extends { id: string }>(name: string, rows: Row[], today: string): void {
  const sorted = rows.toSorted((left, right) => (left.id < right.id ? -1 : 1));
  const models = [...new Map(sorted.map((row) => [row.id, row])).values()];
  const file: PriceFile<Row> = {
    generated: today,
    source: `@pydantic/genai-prices ${readPackageVersion()}`,
    models,
  };
  const path = resolvePath(`edge/catalog/${name}`);
  // One row per line before formatting: short rows stay on one line, so a price change is a small diff.
  writeFileSync(path, `${JSON.stringify(file, null, 0).replaceAll('{"id"', '\n{"id"')}\n`);
  execFileSync(resolvePath("test/node_modules/.bin/biome"), ["format", "--write", path], { stdio: "ignore" });
  process.stdout.write(`${name}: ${models.length} models\n`);
}

const today = new Date().toISOString().slice(0, 10);
writePriceFile(
  "native-models.json",
  nativeList.map((entry) => buildNativeRow(entry, today)),
  today,
);
writePriceFile(
  "router-models.json",
  listProviderModels("openrouter").flatMap((model) => buildRouterRows(model, today)),
  today,
);
