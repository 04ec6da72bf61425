/**
 * The entries of GET /v1/models, and its body in OpenAI's shape. Built once per catalogue and set of loaded sizes, so that some
 * 3,000 entries are not rebuilt for each request.
 */
import { type ModelSize, modelSizes } from "../../shared/model-sizes.ts";
import { writeModelName } from "./model-name.ts";

export type ModelsBody = {
  /** JSON text. */
  body: string;
  /** Strong validator, quotes included (RFC 9110 §8.8.3); the same in every isolate with the same list. */
  etag: string;
};

type ListedModel = { id: string; created: number };

/** One name a caller may use. `created` is in Unix seconds. */
export type ModelEntry = { id: string; object: "model"; created: number; owned_by: "svc" };

export const modelEntry = (id: string, created: number): ModelEntry => ({
  id,
  object: "model",
  created,
  owned_by: "svc",
});

/** The sizes with the loaded ones first; the order of each part stays. */
export const loadedFirst = (loaded: readonly ModelSize[]): ModelSize[] => [
  ...modelSizes.filter((size) => loaded.includes(size)),
  ...modelSizes.filter((size) => !loaded.includes(size)),
];

/**
 * By size, in the order given: a name with each LLM, then its embedding-only name. Clients without a chosen model take the first one,
 * which therefore has to be one that answers.
 */
export function listEntries(
  models: readonly ListedModel[],
  { order, embeddingCreated }: { order: readonly ModelSize[]; embeddingCreated: number },
): ModelEntry[] {
  return order.flatMap((size) => [
    ...models.map(({ id, created }) => modelEntry(writeModelName(size, id), created)),
    modelEntry(writeModelName(size), embeddingCreated),
  ]);
}

export function writeModelsBody(data: readonly ModelEntry[]): ModelsBody {
  const body = JSON.stringify({ object: "list", data });
  return { body, etag: createEtag(body) };
}

/** 64 bits, from two FNV-1a hashes: enough to tell lists apart. WebCrypto's digests are asynchronous. */
function createEtag(text: string): string {
  let first = 0x811c9dc5;
  let second = 0x1b873593;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ (code + index), 0x01000193);
  }
  const digits = [first, second].map((half) => (half >>> 0).toString(16).padStart(8, "0"));
  return `"${digits.join("")}"`;
}
