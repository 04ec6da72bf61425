/** The public model names `svc-x1ac-{size}[-{llm}]`: writes and reads them, and finds names close to a wrong one. */
import { measureDistance } from "../../shared/edit-distance.ts";
import { GatewayError } from "../../shared/errors.ts";
import { maskKeys } from "../../shared/mask-keys.ts";
import { ModelSize, modelSizes } from "../../shared/model-sizes.ts";

const prefix = "svc-x1ac-";
const pattern = /^svc-x1ac-([^-/]+)(?:-(.+))?$/s;

/** The sizes, for messages: "small, base, …". */
export const sizeList = modelSizes.join(", ");

export type ParsedModelName =
  | { kind: "chat"; size: ModelSize; llm: string }
  | { kind: "embedding"; size: ModelSize }
  | { kind: "unknown"; reason: "size" | "format" };

/** `svc-x1ac-base-gpt-4o`, or `svc-x1ac-base` without an LLM. */
export function writeModelName(size: ModelSize, llm?: string): string {
  return llm === undefined ? `${prefix}${size}` : `${prefix}${size}-${llm}`;
}

/** Checks a name's form only; whether its LLM exists is looked up in the catalogue. */
export function parseModelName(name: string): ParsedModelName {
  const [, sizeText, llm] = pattern.exec(name) ?? [];
  if (sizeText === undefined) return { kind: "unknown", reason: "format" };
  const size = ModelSize.safeParse(sizeText);
  if (!size.success) return { kind: "unknown", reason: "size" };
  return llm === undefined ? { kind: "embedding", size: size.data } : { kind: "chat", size: size.data, llm };
}

const beforeLlm = new RegExp(`^.*${prefix}(?:(${modelSizes.join("|")})(?:[-/]|$))?`, "is");

/**
 * What a name of another form means: the LLM `gpt-4o` for itself, as callers who come from its own provider write it, and for
 * `openai/svc-x1ac-large-gpt-4o` (LiteLLM's names), `svc-x1ac-gpt-4o` and `SVC-X1AC-LARGE-GPT-4O`. The size is `base` where none is named.
 */
export function guessName(name: string): { size: ModelSize; llm: string } {
  const text = name.trim();
  const [before = "", size] = beforeLlm.exec(text) ?? [];
  return { size: ModelSize.catch("base").parse(size?.toLowerCase()), llm: text.slice(before.length) };
}

/** A name as an error may quote it: shortened, with keys masked. */
export const quoteName = (name: string): string => maskKeys(JSON.stringify(name.slice(0, 120)));

/**
 * The size in a name without an LLM, for embeddings and rollouts. Throws GatewayError `invalid_request` for a name with an LLM,
 * `model_not_found` for any other text.
 */
export function readEmbeddingSize(name: string): ModelSize {
  const parsed = parseModelName(name);
  if (parsed.kind === "embedding") return parsed.size;
  const shown = quoteName(name);
  const example = `Use ${prefix}base, or another size of ${sizeList}.`;
  if (parsed.kind === "chat") {
    throw new GatewayError(
      "invalid_request",
      `${shown} is a chat model and makes no embeddings. ${example}`,
      { param: "model" },
    );
  }
  throw new GatewayError("model_not_found", `Unknown model ${shown}. ${example}`, { param: "model" });
}

const maxComparedLength = 80;

/**
 * Up to three ids close to `wanted`, nearest first; `o3` is as close to `openai/o3` as to itself, unless the catalogue has `o3` too. Takes a
 * few milliseconds for 700 ids, so it is used for errors only.
 */
export function listClosest(wanted: string, ids: Iterable<string>): string[] {
  const listed = new Set(ids);
  const text = wanted.slice(0, maxComparedLength).toLowerCase();
  const limit = Math.max(2, Math.floor(text.length / 3));
  const measure = (name: string): number =>
    Math.abs(Math.min(name.length, maxComparedLength) - text.length) > limit
      ? Number.POSITIVE_INFINITY
      : measureDistance(text, name.slice(0, maxComparedLength));
  const isBare = !text.includes("/");
  const namesOf = (id: string) => {
    const bare = id.slice(id.indexOf("/") + 1);
    return isBare && !listed.has(bare) ? [id, bare] : [id];
  };
  return [...listed]
    .map((id) => ({ id, distance: Math.min(...namesOf(id).map(measure)) }))
    .filter(({ distance }) => distance <= limit)
    .sort((left, right) => left.distance - right.distance)
    .slice(0, 3)
    .map(({ id }) => id);
}
