/**
 * The order in which requests of several accounts leave: start-time fair queueing (Goyal, Vin, Cheng 1996).
 * Each request gets a start tag, the tokens its account has asked for so far, and the lowest tag leaves first.
 * An account that was idle begins at the tag last served: it neither waits behind another's backlog nor has
 * saved up a right to be served alone. Costs a binary search per request.
 */

export type Entry<Item> = { item: Item; share: string; tokens: number; start: number };

export type FairQueue<Item> = {
  push(item: Item, share: string, tokens: number): Entry<Item>;
  /** Nothing happens when it has left already. */
  remove(entry: Entry<Item>): void;
  /** The first, as many as `count` says of their tokens in order. */
  take(count: (tokens: readonly number[]) => number): Entry<Item>[];
  size(): number;
};

export function createFairQueue<Item>(): FairQueue<Item> {
  let waiting: Entry<Item>[] = [];
  /** Tag of the latest request that left. */
  let served = 0;
  /** Where each account's next request starts; only of accounts that are ahead of `served`. */
  const next = new Map<string, number>();

  const placeAfter = (start: number): number => {
    let low = 0;
    let high = waiting.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (waiting[middle]!.start <= start) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    push(item, share, tokens) {
      const start = Math.max(served, next.get(share) ?? 0);
      const entry = { item, share, tokens, start };
      next.set(share, start + tokens);
      waiting.splice(placeAfter(start), 0, entry);
      return entry;
    },
    remove(entry) {
      const place = waiting.indexOf(entry);
      if (place !== -1) waiting.splice(place, 1);
    },
    take(count) {
      const length = count(waiting.map(({ tokens }) => tokens));
      const taken = waiting.slice(0, length);
      waiting = waiting.slice(length);
      served = taken.at(-1)?.start ?? served;
      for (const [share, start] of next) if (start <= served) next.delete(share);
      return taken;
    },
    size: () => waiting.length,
  };
}
