// The fake provider's frames in each wire's format.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wires } from "../support/fake-provider.ts";
import { readSseData } from "../support/read-sse-data.ts";

describe("any answer", () => {
  it("keeps its text through the pieces of every format", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const usage = { input: 1, output: 1, cachedInput: 0, cacheWrite: 0, reasoning: 0, costUsd: 0 };
        const answer = { text, reasoning: "", toolCalls: [], model: "m", finish: "stop" as const, usage };
        const data = readSseData(wires.alpha.writeFrames(answer, { includeUsage: false }).join("")).slice(
          0,
          -1,
        );
        type Chunk = { choices: { delta: { content?: string } }[] };
        expect(
          data.map((chunk) => (JSON.parse(chunk) as Chunk).choices[0]?.delta.content ?? "").join(""),
        ).toBe(text);
      }),
    );
  });
});
