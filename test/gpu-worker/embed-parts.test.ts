import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { embedInParts, joinEmbed, splitEmbed } from "../../gpu-worker/embed-parts.ts";
import { estimateEmbedTokens } from "../../gpu-worker/task-cost.ts";
import type { EmbedRequest, EmbedResponse } from "../../shared/embedding.ts";

const answerTo = (texts: readonly string[]) => ({
  vectors: texts.map((text) => `vector of ${text}`),
  dimension: 8,
  tokens: texts.length,
  timings: { queueMs: texts.length, modelMs: 2 },
});

describe("an embeddings request in parts", () => {
  it("keeps every text once, within the bound or alone, and is joined in the caller's order", () => {
    const anyTexts = fc.array(fc.string({ minLength: 1, maxLength: 400 }), { minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(anyTexts, fc.integer({ min: 1, max: 500 }), (texts, maxTokens) => {
        const parts = splitEmbed({ size: "base", texts }, maxTokens);
        for (const { request, indexes } of parts) {
          const tokens = request.texts.reduce((sum, text) => sum + estimateEmbedTokens(text), 0);
          expect(indexes.length === 1 || tokens <= maxTokens).toBe(true);
          expect(request.texts).toEqual(indexes.map((index) => texts[index]));
        }
        const joined = joinEmbed(
          parts,
          parts.map(({ request }) => answerTo(request.texts)),
        );
        expect(joined.vectors).toEqual(answerTo(texts).vectors);
        expect(joined.tokens).toBe(texts.length);
      }),
      { numRuns: 60 },
    );
  });

  it("ends with its first failure: parts that wait leave the queue, and no further part is queued", async () => {
    const texts = Array.from({ length: 12 }, (_, at) => `${at}`.repeat(400));
    const signals: AbortSignal[] = [];
    const ends: { fail: (error: Error) => void; succeed: () => void }[] = [];
    const submit = (request: EmbedRequest, signal: AbortSignal) =>
      new Promise<EmbedResponse>((resolve, fail) => {
        signals.push(signal);
        ends.push({ fail, succeed: () => resolve(answerTo(request.texts)) });
      });
    const caller = { signal: new AbortController().signal };
    const answer = embedInParts({ size: "base", texts }, 1, submit, caller);
    const queuedAtOnce = ends.length;
    ends[0]!.fail(new Error("broke"));
    await expect(answer).rejects.toThrow("broke");
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    for (const { succeed } of ends.slice(1)) succeed();
    await new Promise(setImmediate);
    expect(ends.length).toBe(queuedAtOnce);
  });

  it("fills a part to exactly its bound", () => {
    const texts = ["one two three", "four five"];
    const maxTokens = texts.reduce((sum, text) => sum + estimateEmbedTokens(text), 0);
    expect(splitEmbed({ size: "base", texts }, maxTokens)).toHaveLength(1);
    expect(splitEmbed({ size: "base", texts }, maxTokens - 1)).toHaveLength(2);
  });

  it("begins with the longest text, so that one too long is refused before the rest is worked on", () => {
    const [first] = splitEmbed({ size: "base", texts: ["a", "b".repeat(9_000), "c"] }, 100);
    expect(first?.indexes).toEqual([1]);
  });
});
