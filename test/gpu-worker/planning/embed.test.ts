import { describe, expect, it, vi } from "vitest";
import { EmbedResponse } from "../../../shared/embedding.ts";
import { loadBasePlanner } from "../support/base-planner.ts";

vi.setConfig({ testTimeout: 60_000 });

const planner = await loadBasePlanner();

const embed = async (...texts: string[]): Promise<EmbedResponse> =>
  EmbedResponse.parse((await planner.embed([{ size: "base", texts }]))[0]);
const floats = (base64: string) => {
  const bytes = Buffer.from(base64, "base64");
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
};
const dot = (left: number[], right: number[]) => left.reduce((sum, value, at) => sum + value * right[at]!, 0);

const hundred = Array.from(
  { length: 100 },
  (_, index) => `${"the quick brown fox jumps over it ".repeat((index * 13) % 9)} number ${index}`,
);

describe("embeddings", () => {
  it("are unit vectors of the checkpoint's dimension, the same bits alone and among a hundred", async () => {
    const together = await embed(...hundred);
    expect(together.dimension).toBe(planner.describe().dimension);
    for (const place of [0, 17, 41, 99]) {
      expect((await embed(hundred[place]!)).vectors[0]).toBe(together.vectors[place]);
    }
    for (const vector of together.vectors) {
      const values = floats(vector);
      expect(values).toHaveLength(together.dimension);
      expect(Math.sqrt(dot(values, values))).toBeCloseTo(1, 5);
    }
  });

  it("of several requests at once are those of each alone", async () => {
    const requests = [hundred.slice(0, 3), ["another"]].map((texts) => ({ size: "base", texts }) as const);
    const answers = await planner.embed(requests);
    for (const [place, answer] of answers.entries()) {
      const alone = await embed(...requests[place]!.texts);
      expect({ ...answer, timings: undefined }).toEqual({ ...alone, timings: undefined });
    }
  });

  it("of a text beyond the window hold all of it, and count every token that was read", async () => {
    const cooking = "Chop the onions and fry them in butter. ".repeat(20);
    const orbits = "The satellite leaves its orbit above the planet. ".repeat(60);
    const { vectors, tokens } = await embed(`${cooking}${orbits}`, cooking, orbits);
    const [both, first, second] = vectors.map(floats);
    expect(dot(both!, second!)).toBeGreaterThan(dot(first!, second!) + 0.15);
    expect(dot(both!, first!)).toBeGreaterThan(dot(first!, second!) + 0.05);
    expect(tokens).toBeGreaterThan(1_400);
    expect((await embed("one two three")).tokens).toBe(5);
  });

  it("takes 2048 tokens and refuses 2049, naming the text", async () => {
    expect((await embed("word ".repeat(2048))).vectors).toHaveLength(1);
    const answer = await planner.embed([
      { size: "base", texts: ["fine", "word ".repeat(2049)] },
      { size: "base", texts: ["fine"] },
      { size: "base", texts: ["w ".repeat(400_000)] },
    ]);
    expect(answer[0]).toEqual({ refused: "text_too_long", index: 1 });
    expect(answer[1]).toMatchObject({ tokens: 3 });
    expect(answer[2]).toEqual({ refused: "text_too_long", index: 0 });
  });

  it.each([
    ["an emoji", "🎉"],
    ["ideographs", "日本語の文章"],
    ["nothing visible", "\u0000\u200b"],
    ["one endless word", "x".repeat(100_000)],
    ["the model's own marks", "[CLS] [SEP] [PAD]"],
  ])("takes %s", async (_name, text) => {
    const [vector] = (await embed(text)).vectors;
    expect(floats(vector!).every(Number.isFinite)).toBe(true);
  });
});
