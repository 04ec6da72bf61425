import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Heads } from "../../../gpu-worker/world-model/heads.ts";
import { nameWords } from "../../../gpu-worker/world-model/text-templates.ts";
import {
  mixTools,
  poolLikeness,
  readList,
  readToolWords,
  stemsOf,
} from "../../../gpu-worker/world-model/tool-ranking.ts";
import { dot, norm } from "../../../gpu-worker/world-model/vectors.ts";

const unit = fc
  .array(fc.integer({ min: -9, max: 9 }), { minLength: 4, maxLength: 4 })
  .filter((values) => values.some((value) => value !== 0))
  .map((values) => {
    const vector = Float32Array.from(values);
    const length = norm(vector);
    return vector.map((value) => value / length);
  });
const likenessOf = (vectors: readonly Float32Array[], tool: Float32Array): number =>
  poolLikeness(vectors.map((vector) => dot(vector, tool)));

describe("how like a tool is to a goal", () => {
  it("is their cosine where the goal is one sentence", () => {
    fc.assert(
      fc.property(unit, unit, (goal, tool) => {
        expect(likenessOf([goal], tool)).toBeCloseTo(dot(goal, tool), 6);
      }),
    );
  });

  it("lies between the mean and the best of its cosines with the goal's parts", () => {
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 9 }), unit, (parts, tool) => {
        const cosines = parts.map((part) => dot(part, tool));
        const likeness = likenessOf(parts, tool);
        const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length;
        expect(likeness).toBeGreaterThanOrEqual(mean - 1e-9);
        expect(likeness).toBeLessThanOrEqual(Math.max(...cosines) + 1e-9);
      }),
    );
  });

  it("does not depend on the order of the parts", () => {
    fc.assert(
      fc.property(fc.array(unit, { minLength: 2, maxLength: 9 }), unit, (parts, tool) => {
        expect(likenessOf(parts, tool)).toBeCloseTo(likenessOf(parts.toReversed(), tool), 9);
      }),
    );
  });
});

describe("the mixer", () => {
  const mix = async (lists: readonly Float32Array[]) =>
    lists.map((numbers) => ({ scale: 2, words: numbers[0]!, name: 0.5, threshold: 0.25 }));
  const list = (first: number, likeness: number[]) => ({
    likeness,
    words: Float64Array.from(likeness, () => 0.5),
    names: Float64Array.from(likeness, (_, row) => row),
    known: 0,
    numbers: [first, 0, 0, 0, 0, 0, 0],
  });

  it("weighs likeness, words and names by its list, and puts none of them last", async () => {
    const logits = await mixTools({ mix } as unknown as Heads, [list(1, [0.1, 0.2]), list(0, [0.3])]);
    expect(logits.map((one) => [...one].map((value) => Number(value.toFixed(6))))).toEqual([
      [1.2, 2.4, 0.5],
      [0.6, 0.5],
    ]);
  });
});

const read = (name: string, description = "") => readToolWords(nameWords(name), description);

describe("words of a text", () => {
  it("are stemmed, in order, without those that say nothing", () => {
    expect(stemsOf("Booking the flights, studies & classes; he passed 3 boxes")).toEqual(
      "book flight study classe he pass 3 boxe".split(" "),
    );
    expect(stemsOf("I would like to have it")).toEqual(["like"]);
  });
});

// Expected numbers: training/tools/lexical.py on the same texts.
describe("a goal against a list of tools", () => {
  const tools = [
    read("searchFlights", "Search for available flights between two cities"),
    read("hotels.book_room", "Book a room in a hotel. Booking needs dates."),
    read("get_weather"),
    read("get_weather"),
  ];
  const list = readList("Please find cheap flights to Lisbon and book a hotel", tools);
  const rounded = (values: ArrayLike<number>) => Array.from(values, (value) => Number(value.toFixed(6)));

  it("is weighed as training weighed it", () => {
    expect(rounded(list.words)).toEqual([0.287467, 0.601541, 0, 0]);
    expect(rounded(list.names)).toEqual([0.5, 0.666667, 0, 0]);
    expect(rounded(list.numbers)).toEqual([1.386294, 0.3, 0.301934, 0.314074, 0.666667, 0.5, 0.2625]);
  });

  it("is all zeros where there are no words", () => {
    expect(rounded(readList("", [read("a_b")]).numbers)).toEqual([0, 0, 0, 0, 0, 0, 0.05]);
  });

  it("has bounds for the length of the goal and of the tools' texts", () => {
    const many = Array.from({ length: 100 }, (_, at) => `word${at}`).join(" ");
    const { numbers } = readList(many, [read("a", many)]);
    expect([numbers[1], numbers.at(-1)]).toEqual([3, 3]);
  });

  it("gives finite numbers for any texts", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 80 });
    fc.assert(
      fc.property(text, fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 6 }), (goal, pairs) => {
        const { words, names, numbers } = readList(
          goal,
          pairs.map(([name, description]) => read(name, description)),
        );
        for (const value of [...words, ...names, ...numbers]) expect(Number.isFinite(value)).toBe(true);
        for (const share of [...words, ...names]) {
          expect(share).toBeGreaterThanOrEqual(0);
          expect(share).toBeLessThanOrEqual(1 + 1e-12);
        }
      }),
    );
  });
});
