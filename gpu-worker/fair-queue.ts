/**
 * The order in which requests of several accounts leave: start-time fair queueing (Goyal, Vin, Cheng 1996). Each request gets a start tag,
 * the weight of what its account has asked for so far, and the lowest tag leaves first.
 * An account that was idle begins at the tag last served: it does not wait behind another's backlog, nor is it served first for as
 * long as it was idle. A piece of a task goes behind the piece before it, and before what its account asked for later: otherwise
 * the pieces of many tasks would alternate, and all tasks would end late. Costs a binary search per request.
 */

export type QueuePlace = {
  /** The account's pseudonym; empty for a request signed without one. */
  share: string;
  /** Estimated tokens, which count against a batch's limit. */
  tokens: number;
  /** What it counts in its account's share (task-cost.ts). */
  weight: number;
  /** Start tag of the piece before, if this is a further piece of a task. */
  after?: number | undefined;
};

/** `start`: its start tag. */
type Entry<Item> = { item: Item; tokens: number; start: number };

export type FairQueue<Item> = {
  push(item: Item, place: QueuePlace): Entry<Item>;
  /** Does nothing if the entry has been taken already. */
  remove(entry: Entry<Item>): void;
  /** Removes and returns the first entries. `count` is given the tokens of all that wait, and says how many to take. */
  take(count: (tokens: readonly number[]) => number): Entry<Item>[];
  size(): number;
};

export function createFairQueue<Item>(): FairQueue<Item> {
  let waiting: Entry<Item>[] = [];
  /** Tag of the latest request that left. */
  let served = 0;
  /** Start tag of each account's next request. An account that is not ahead of `served` is left out: it starts there. */
  const next = new Map<string, number>();

  const indexAfter = (start: number): number => {
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
    push(item, { share, tokens, weight, after }) {
      const own = next.get(share) ?? 0;
      const start = Math.max(served, after === undefined ? own : after + weight);
      const entry = { item, tokens, start };
      next.set(share, Math.max(own, start + weight));
      waiting.splice(indexAfter(start), 0, entry);
      return entry;
    },
    remove(entry) {
      const index = waiting.indexOf(entry);
      if (index !== -1) waiting.splice(index, 1);
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
