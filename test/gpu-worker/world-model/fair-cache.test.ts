import { beforeEach, describe, expect, it } from "vitest";
import {
  createFairCache,
  type FairCache,
  freshMs,
  textKey,
} from "../../../gpu-worker/world-model/fair-cache.ts";

const size = 16;

describe("a cache shared by accounts", () => {
  let time = 0;
  let cache: FairCache<string>;
  const add = (owner: string, name: string) => {
    if (cache.taken() === size) cache.evict();
    cache.add(`${owner} ${name}`, owner, name);
  };
  const addMany = (owner: string, count: number) => {
    for (let at = 0; at < count; at++) add(owner, `entry ${at}`);
  };
  const keptOf = (owner: string, count: number) =>
    Array.from({ length: count }, (_, at) => `entry ${at}`).filter(
      (name) => cache.get(`${owner} ${name}`) !== undefined,
    );

  beforeEach(() => {
    time = 0;
    cache = createFairCache(size, () => time);
  });

  it("lets an account have all places while nobody else asks for them", () => {
    addMany("one", size);
    expect(keptOf("one", size)).toHaveLength(size);
  });

  it("gives places back to who comes later, about half of them", () => {
    addMany("one", size);
    addMany("two", 3 * size);
    expect(Math.abs(keptOf("one", size).length - size / 2)).toBeLessThanOrEqual(1);
  });

  it("evicts an account's own entries where it sends ever new ones, and keeps what others use", () => {
    for (const owner of ["a", "b", "c", "d"]) addMany(owner, 2);
    addMany("greedy", 10 * size);
    for (const owner of ["a", "b", "c", "d"]) expect(keptOf(owner, 2)).toHaveLength(2);
    expect(cache.taken()).toBe(size);
    expect(cache.get(`greedy entry ${10 * size - 1}`)).toBeDefined();
    expect(cache.get("greedy entry 0")).toBeUndefined();
  });

  it("evicts what was unused longest while nobody has more than a share", () => {
    for (let at = 0; at < size; at++) add(`owner ${at}`, "own");
    cache.use("owner 0 own");
    add("owner 0", "further");
    expect(cache.get("owner 0 own")).toBe("own");
    expect(cache.get("owner 1 own")).toBeUndefined();
  });

  it("takes from who has more than a share only what is above it", () => {
    const share = size / 8;
    for (let at = 0; at < size - share - 1; at++) add(`owner ${at}`, "own");
    addMany("large", share + 1);
    add("newcomer 0", "own");
    add("newcomer 1", "own");
    expect(keptOf("large", share + 1)).toEqual(["entry 1", "entry 2"]);
    expect(cache.get("owner 0 own")).toBeUndefined();
  });

  it("keeps the entry of a small account that is still used, however long ago it was added", () => {
    add("small", "own");
    addMany("greedy", size - 1);
    time = freshMs;
    cache.use("small own");
    for (let at = 0; at < size - 1; at++) cache.use(`greedy entry ${at}`);
    time = 2 * freshMs;
    // Now the small account's entry is the oldest, and fresh.
    for (let at = 0; at < 3 * size; at++) add("greedy", `new ${at}`);
    expect(cache.get("small own")).toBe("own");
  });

  it("takes the places of accounts that have left, so that one alone can use them", () => {
    for (let at = 0; at < size; at++) add(`owner ${at}`, "own");
    time = freshMs + 1;
    cache.use("owner 3 own");
    addMany("one", size - 1);
    expect(keptOf("one", size - 1)).toHaveLength(size - 1);
    expect(cache.get("owner 3 own")).toBe("own");
  });

  it("finds what to evict without a search through what others keep", () => {
    const evictions = 1_000;
    const timeOf = (places: number) => {
      const large = createFairCache<number>(places, () => 0);
      for (let at = 0; at < 0.8 * places; at++) large.add(`other ${at}`, `owner ${at % 40}`, at);
      for (let at = 0; at < 0.2 * places; at++) large.add(`own ${at}`, "greedy", at);
      const started = performance.now();
      for (let at = 0; at < evictions; at++) large.add(`new ${at}`, "greedy", large.evict());
      return performance.now() - started;
    };
    const fastest = (places: number) => Math.min(...[1, 2, 3, 4, 5].map(() => timeOf(places)));
    // A search would make it 32 times.
    expect(fastest(32_768)).toBeLessThan(10 * fastest(1_024));
  });

  it("has another key for a text that is written like a long text's key", () => {
    const long = "x".repeat(10_000);
    expect(textKey(long).length).toBeLessThan(100);
    expect(textKey(textKey(long))).not.toBe(textKey(long));
  });

  it("counts an entry's places until it is removed", () => {
    cache.add("wide", "one", "value", 5);
    expect(cache.taken()).toBe(5);
    cache.remove("wide");
    cache.remove("wide");
    expect([cache.taken(), cache.use("wide")]).toEqual([0, undefined]);
  });
});
