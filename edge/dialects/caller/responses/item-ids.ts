/**
 * Makes `item_reference` work (clients send back an item by its id alone) without storing items: the id contains its item,
 * deflated. A stream sends an id before its item is complete. So a stream ends with an empty reasoning item, the carrier, whose
 * id contains all the others; clients that send references also send one to the carrier.
 */
import { GatewayError } from "../../../../shared/errors.ts";
import { decompress, tick } from "../../../stream/decompress.ts";
import { decodeBase64url, encodeBase64url } from "../../base64.ts";
import { parseJson, readList, readObject, readText } from "../../json.ts";
import { countValues, maxBodyValues } from "../../json-scan.ts";
import type { OutputItem, ReasoningOutput } from "./reply-types.ts";

const mark = "_svc1.";
/** Bound of all ids of one request after inflating: the same as for a body. */
const maxInflatedBytes = 10 * 1024 * 1024;
/**
 * Bound of their number, above that of any session: however short, each takes the runtime a quarter of a millisecond to inflate. In a
 * body of 2 MB there were 33,000, which took 14 s.
 */
const maxPacked = 2_000;
/** So many are inflated in one turn of the event loop. Between two turns other requests go on. */
const packedPerTurn = 8;

function createPauses(): () => Promise<void> {
  let inflated = 0;
  return async () => {
    inflated += 1;
    if (inflated % packedPerTurn === 0) await tick();
  };
}

async function deflate(value: unknown): Promise<string> {
  const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return encodeBase64url(new Uint8Array(await new Response(stream).arrayBuffer()));
}

type Packed = Uint8Array<ArrayBuffer>;

/** Undefined for an id that contains no item. */
function readPacked(id: string): Packed | undefined {
  const at = id.indexOf(mark);
  return at === -1 ? undefined : decodeBase64url(id.slice(at + mark.length));
}

const tooMany = (): GatewayError =>
  new GatewayError(
    "request_too_large",
    `The input has more than ${maxPacked.toLocaleString("en")} items given by id; send the items themselves.`,
  );

const tooLarge = (): GatewayError =>
  new GatewayError("request_too_large", "The item ids of input hold over 10 MiB; send fewer items.");

/**
 * Most ids are shorter than this: they inflate to 4 MiB at most and are read at once. Longer ones are inflated in steps, with a
 * timer for each.
 */
const shortBytes = 4 * 1024;

function inflateInSteps(packed: Packed): AsyncIterable<Uint8Array> {
  const stream = new Blob([packed]).stream();
  if (packed.byteLength > shortBytes) return decompress(stream, "deflate-raw");
  return stream.pipeThrough(new DecompressionStream("deflate-raw"));
}

/** Size after inflating, counted without keeping it: some kilobytes may inflate to megabytes. Throws request_too_large. */
async function measure(packed: Packed, limitBytes: number): Promise<number> {
  let size = 0;
  try {
    for await (const chunk of inflateInSteps(packed)) {
      size += chunk.byteLength;
      if (size > limitBytes) break;
    }
  } catch {
    // Damaged data: its item is not used.
  }
  if (size > limitBytes) throw tooLarge();
  return size;
}

/** Undefined for damaged data. Throws request_too_large if it holds more values than a body may. */
async function inflate(packed: Packed, budget: { values: number }): Promise<unknown> {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const text = await new Response(stream).text().catch(() => "");
  budget.values -= countValues(text, budget.values);
  if (budget.values < 0) throw tooLarge();
  return parseJson(text);
}

const kindOf = (id: string): string => /^[a-z]+/.exec(id)?.[0] ?? "item";

/** The same items, each with an id that contains it. */
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

/** A reference may leave its type out (openai's `ItemReference`). */
export const isBareReference = ({ type, id, ...others }: Item): boolean =>
  (type ?? undefined) === undefined && typeof id === "string" && Object.keys(others).length === 0;
const isReference = (item: Item): boolean => item.type === "item_reference" || isBareReference(item);

/** Whether a body has items given by id alone. */
export const refersToItems = (body: unknown): boolean =>
  readList(readObject(body)?.input).some((item) => isReference(readObject(item) ?? {}));

/**
 * The `input` with each reference replaced by its item, and without carriers. `claim` reserves memory for their inflated
 * bytes first. Throws invalid_request for an id whose item is neither in itself nor in a carrier of this input.
 */
export async function expandReferences(
  input: readonly unknown[],
  claim: (bytes: number) => Promise<void>,
): Promise<unknown[]> {
  const read = input.map((value) => {
    const item = readObject(value) ?? {};
    const id = isReference(item) || item.type === "reasoning" ? readText(item.id) : undefined;
    return { value, packed: id === undefined ? undefined : readPacked(id) };
  });
  if (read.filter(({ packed }) => packed !== undefined).length > maxPacked) throw tooMany();
  const pause = createPauses();
  let size = 0;
  for (const { packed } of read) {
    if (packed === undefined) continue;
    size += await measure(packed, maxInflatedBytes - size);
    await pause();
  }
  await claim(size);
  const budget = { values: maxBodyValues };
  const known = new Map<string, unknown>();
  const opened: { item: Item; carried: unknown }[] = [];
  for (const { value, packed } of read) {
    const carried = packed && (await inflate(packed, budget));
    if (packed !== undefined) await pause();
    for (const held of readList(readObject(carried)?.items)) {
      const name = readText(readObject(held)?.id);
      if (name !== undefined) known.set(name, held);
    }
    opened.push({ item: value as Item, carried });
  }
  const placed = new Set<string>();
  return opened.flatMap(({ item, carried }) => {
    if (readObject(carried)?.items !== undefined) return [];
    if (!isReference(readObject(item) ?? {})) return [item];
    if (carried !== undefined) return [carried];
    const id = readText(item.id) ?? "";
    const found = known.get(id);
    if (found === undefined) throw unknownItem(id);
    if (placed.has(id)) throw repeatedItem(id);
    placed.add(id);
    return [found];
  });
}

/** OpenAI refuses it, too. An item of a megabyte, referred to ten thousand times, would become an input of ten gigabytes. */
const repeatedItem = (id: string): GatewayError =>
  new GatewayError(
    "invalid_request",
    `Duplicate item found with id '${id.slice(0, 64)}': refer to each item once.`,
    { param: "input" },
  );

const unknownItem = (id: string): GatewayError =>
  new GatewayError(
    "invalid_request",
    `Item '${id.slice(0, 64)}' is not kept here: send the item itself in input, or set store to false in your client.`,
    { param: "input" },
  );
