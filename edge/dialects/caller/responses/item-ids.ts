/**
 * Items that clients send back by id alone (`item_reference`), without this service keeping any: the id carries its
 * item, deflated. An id of a stream is sent before its item is whole; such a stream ends with one empty reasoning
 * item whose id carries all the others ("carrier"), and clients that refer to items refer to that one too.
 */
import { GatewayError } from "../../../../shared/errors.ts";
import { decodeBytes, encodeBytes } from "../../base64url.ts";
import { readList, readObject, readText } from "../../json.ts";
import type { OutputItem, ReasoningOutput } from "./reply-types.ts";

const mark = "_svc1.";
/** What the ids of one request may hold in all, inflated: as much as a body may. */
const maxInflatedBytes = 10 * 1024 * 1024;

async function deflate(value: unknown): Promise<string> {
  const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return encodeBytes(new Uint8Array(await new Response(stream).arrayBuffer()));
}

/** Undefined where the id carries nothing. Throws request_too_large past the bound. */
async function inflate(id: string, budget: { bytes: number }): Promise<unknown> {
  const at = id.indexOf(mark);
  const packed = at === -1 ? undefined : decodeBytes(id.slice(at + mark.length));
  if (packed === undefined) return undefined;
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of stream) {
      budget.bytes -= chunk.byteLength;
      if (budget.bytes < 0) break;
      text += decoder.decode(chunk, { stream: true });
    }
    if (budget.bytes >= 0) return JSON.parse(text + decoder.decode());
  } catch {
    return undefined;
  }
  throw new GatewayError("request_too_large", "The item ids of input hold over 10 MiB; send fewer items.");
}

const kindOf = (id: string): string => /^[a-z]+/.exec(id)?.[0] ?? "item";

/** The same items, each under an id that carries it. */
export const carryInIds = (items: readonly OutputItem[]): Promise<OutputItem[]> =>
  Promise.all(
    items.map(async (item) => {
      const { id, ...content } = item;
      return { ...content, id: `${kindOf(id)}${mark}${await deflate(content)}` } as OutputItem;
    }),
  );

/** The last item of a stream whose client refers to items by id. */
export const createCarrier = async (items: readonly OutputItem[]): Promise<ReasoningOutput> => ({
  type: "reasoning",
  id: `rs${mark}${await deflate({ items })}`,
  status: "completed",
  summary: [],
});

type Item = Readonly<Record<string, unknown>>;

const isReference = (item: Item): boolean => item.type === "item_reference";

/** Whether a body has items that are given by id alone. */
export const refersToItems = (body: unknown): boolean =>
  readList(readObject(body)?.input).some((item) => isReference(readObject(item) ?? {}));

/**
 * The `input` with each reference replaced by its item, and carriers left out. Throws invalid_request for an id
 * that neither carries its item nor has one in a carrier beside it.
 */
export async function expandReferences(input: readonly unknown[]): Promise<unknown[]> {
  const budget = { bytes: maxInflatedBytes };
  const known = new Map<string, unknown>();
  const opened: { item: Item; carried: unknown }[] = [];
  for (const value of input) {
    const item = readObject(value) ?? {};
    const id = isReference(item) || item.type === "reasoning" ? readText(item.id) : undefined;
    const carried = id === undefined ? undefined : await inflate(id, budget);
    for (const held of readList(readObject(carried)?.items)) {
      const name = readText(readObject(held)?.id);
      if (name !== undefined) known.set(name, held);
    }
    opened.push({ item: value as Item, carried });
  }
  return opened.flatMap(({ item, carried }) => {
    if (readObject(carried)?.items !== undefined) return [];
    if (!isReference(readObject(item) ?? {})) return [item];
    const id = readText(item.id) ?? "";
    const found = carried ?? known.get(id);
    if (found === undefined) throw unknownItem(id);
    return [found];
  });
}

const unknownItem = (id: string): GatewayError =>
  new GatewayError(
    "invalid_request",
    `Item '${id.slice(0, 64)}' is not kept here: send the item itself in input, or set store to false in your client.`,
    { param: "input" },
  );
