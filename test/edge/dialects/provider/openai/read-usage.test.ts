import { describe, expect, test } from "vitest";
import { delta, finish, usageChunk } from "../../../../fixtures/openai-streams.ts";
import { ofType, readFrames } from "./read-frames.ts";

describe("usage in OpenAI's format", () => {
  const read = (usage: unknown) =>
    ofType(readFrames([delta({ content: "a" }), usageChunk(usage), finish("stop")]), "usage")[0]?.usage;
  test.each([
    [
      "negative counts stay as reported",
      { prompt_tokens: -1e6, completion_tokens: -1 },
      { input: -1e6, output: -1, total: -1000001 },
    ],
    ["huge but finite counts stay", { prompt_tokens: 1e300, completion_tokens: 0 }, { input: 1e300 }],
    [
      "numbers as text are read",
      { prompt_tokens: "12", completion_tokens: "3", total_tokens: "15" },
      { input: 12, output: 3, total: 15 },
    ],
    ["output follows from the total", { prompt_tokens: 10, total_tokens: 14 }, { output: 4 }],
    [
      "details are read",
      {
        prompt_tokens: 10,
        completion_tokens: 9,
        total_tokens: 19,
        cost: 0.5,
        prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 2, audio_tokens: 1 },
        completion_tokens_details: { reasoning_tokens: 5, audio_tokens: 3 },
      },
      { cachedInput: 4, cacheWrite: 2, reasoning: 5, audioInput: 1, audioOutput: 3, costUsd: 0.5 },
    ],
    [
      "DeepSeek's cache field is read",
      { prompt_tokens: 8, completion_tokens: 1, prompt_cache_hit_tokens: 6 },
      { cachedInput: 6 },
    ],
  ])("%s", (_, raw, expected) => {
    expect(read(raw)).toMatchObject({ ...expected, raw });
  });

  test.each([
    ["NaN as text", { prompt_tokens: "NaN", completion_tokens: 1 }],
    ["nulls", { prompt_tokens: null, completion_tokens: null }],
    ["not an object", 7],
    ["an empty object", {}],
  ])("%s is no usage, so that we count ourselves", (_, raw) => {
    expect(read(raw)).toBeUndefined();
  });

  test("Infinity (1e999 in JSON) is no usage", () => {
    const frame = `{"choices":[],"usage":{"prompt_tokens":1e999,"completion_tokens":1}}`;
    expect(ofType(readFrames([delta({ content: "a" }), frame, finish("stop")]), "usage")).toEqual([]);
  });
});
