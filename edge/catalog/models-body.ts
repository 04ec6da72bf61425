/** The body of GET /v1/models, written once per catalogue: some 3,000 entries are not rebuilt per request. */
import { modelSizes } from "../../shared/planning.ts";
import { writeModelName } from "./model-name.ts";

export type ModelsBody = {
  /** JSON text. */
  body: string;
  /** Strong validator, quotes included (RFC 9110 §8.8.3); the same in every isolate with the same list. */
  etag: string;
};

type ListedModel = { id: string; created: number };

/** Embedding-only names first, then every size with every LLM, in the order given. */
export function writeModelsBody(models: readonly ListedModel[], embeddingCreated: number): ModelsBody {
  const entries = modelSizes.flatMap((size) => [
    { id: writeModelName(size), created: embeddingCreated },
    ...models.map(({ id, created }) => ({ id: writeModelName(size, id), created })),
  ]);
  const data = entries.map(({ id, created }) => ({ id, object: "model", created, owned_by: "svc" }));
  const body = JSON.stringify({ object: "list", data });
  return { body, etag: `"${hashText(body)}"` };
}

/** 64 bits of two FNV-1a lanes: enough to tell lists apart; WebCrypto's digests are asynchronous. */
function hashText(text: string): string {
  let first = 0x811c9dc5;
  let second = 0x1b873593;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ (code + index), 0x01000193);
  }
  return [first, second].map((lane) => (lane >>> 0).toString(16).padStart(8, "0")).join("");
}
