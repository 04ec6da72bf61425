/**
 * Refuses models that the request's API key or token may not use. Runs after the body is validated and before any other work:
 * every model that the body names must be allowed, fallback models included.
 */
import { GatewayError } from "../../shared/errors.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { parseModelName, writeModelName } from "../catalog/model-name.ts";
import type { CallerAdmission, EdgeContext, EdgeMiddleware } from "./context.ts";

/** A model's own name, whichever alias the body used; undefined for a model that does not exist. */
export function canonicalModelName(name: string, catalog: Catalog): string | undefined {
  const parsed = parseModelName(name);
  if (parsed.kind === "unknown") return undefined;
  if (parsed.kind === "embedding") return name;
  const llm = catalog.find(parsed.llm);
  return llm && writeModelName(parsed.size, llm.id);
}

/** The body's `model` and its fallbacks in `models`. */
function namedModels(context: EdgeContext): string[] {
  const { model, models } = context.get("body") as { model?: unknown; models?: unknown };
  return [model, models].flat().filter((name) => typeof name === "string");
}

/** Throws permission_denied. */
export async function permit(context: EdgeContext, names: readonly string[]): Promise<void> {
  const account = context.get("account");
  const services = context.get("services");
  if (account.modelLists.length === 0) return;
  const catalog = await services.catalog();
  const lists = account.modelLists.map(
    (list) => new Set(list.map((name) => canonicalModelName(name, catalog))),
  );
  for (const name of names) {
    const canonical = canonicalModelName(name, catalog);
    // The route itself answers 404 for a model that does not exist.
    if (canonical === undefined || lists.every((list) => list.has(canonical))) continue;
    const holder = account.tokenId === undefined ? "API key" : "token";
    const isOnAll = (listed: string) => {
      const own = canonicalModelName(listed, catalog);
      return lists.every((list) => list.has(own));
    };
    // A token's list may name models that its API key may not use.
    const usable = account.modelLists.at(-1)!.filter(isOnAll);
    const remedy =
      usable.length > 0 ? `use one of ${usable.join(", ")}` : "its API key may use none on its list";
    throw new GatewayError(
      "permission_denied",
      `This ${holder} may not use the model ${canonical}; ${remedy}.`,
      { param: "model" },
    );
  }
}

export const permitModels: EdgeMiddleware = async (context, next) => {
  const names = namedModels(context);
  const admission = context.get("admission") as CallerAdmission | undefined;
  await permit(context, names).catch(async (error: unknown) => {
    if (!admission?.isUnconfirmed) throw error;
    await admission.reload();
    await permit(context, names);
  });
  await next();
};

/** For a path whose body has no model field. */
export const permitModel =
  (name: string): EdgeMiddleware =>
  async (context, next) => {
    await permit(context, [name]);
    await next();
  };
