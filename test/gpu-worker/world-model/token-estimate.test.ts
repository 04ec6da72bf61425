// The estimate of a text's tokens against the tokenizer.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { estimateTextTokens } from "../../../gpu-worker/world-model/token-estimate.ts";
import { createTokenizer, TokenizerFile } from "../../../gpu-worker/world-model/tokenizer.ts";

const path = new URL("../../../gpu-worker/checkpoints/base/tokenizer.json", import.meta.url);
const tokenizer = createTokenizer(TokenizerFile.parse(JSON.parse(readFileSync(path, "utf8"))));
const unlimited = 10_000;
const count = (text: string) => tokenizer.encode(text, unlimited).length;

describe("the estimate of a text's tokens", () => {
  it.each([
    "Find a raised-bed kit no longer than 120 cm, compare what it costs in three shops and order the cheapest.",
    "You work at the enquiry desk of a public library. Whoever writes to you has already been identified there.",
    "search_flights Search for available flights between two airports on a date, with the number of passengers",
    '{"id":"a8f3-22","rows":[{"sku":"X-99812","qty":3,"price":19.99},{"sku":"B-1","qty":1}]}',
    "const rows = await load(path); return rows.filter(({ id }) => id !== undefined);",
    "请帮我预订明天从上海到北京的机票，并且把行程发给我的经理。酒店要安静，靠近地铁站。",
    "明日の東京から大阪までの新幹線を予約して、確認メールを送ってください。",
    "Забронируйте тихую гостиницу у реки и отправьте подробности моему менеджеру.",
  ])("is within 30 %% of the tokenizer's count: %s", (text) => {
    const tokens = count(text);
    expect(estimateTextTokens(text, unlimited)).toBeGreaterThan(tokens * 0.7);
    expect(estimateTextTokens(text, unlimited)).toBeLessThan(tokens * 1.3);
  });

  it("is no less than three tenths of what letters at random have", () => {
    const random = "qzxjkwvbhgfp ".repeat(20);
    expect(estimateTextTokens(random, unlimited)).toBeGreaterThan(count(random) * 0.3);
  });

  it("is never more than is read of it, and the same for all texts beyond", () => {
    const words = "a long story ".repeat(1_000);
    expect(estimateTextTokens(words, 64)).toBe(64);
    expect(estimateTextTokens("", 64)).toBe(count(""));
  });
});
