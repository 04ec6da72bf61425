// The estimate of a text's tokens against the tokenizer.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commonPairs, estimateTextTokens } from "../../../gpu-worker/world-model/token-estimate.ts";
import { createTokenizer, TokenizerFile } from "../../../gpu-worker/world-model/tokenizer.ts";

const path = new URL("../../../gpu-worker/checkpoints/base/tokenizer.json", import.meta.url);
const file = TokenizerFile.parse(JSON.parse(readFileSync(path, "utf8")));
const tokenizer = createTokenizer(file);
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

  it.each([
    ["letters at random", "qzxjkwvbhgfp ".repeat(20)],
    ["base64", "c3ZjIGlzIGFuIExMTSBnYXRld2F5IHRoYXQgcGxhbnMgYmVmb3JlIGl0IGZvcndhcmRz"],
    [
      "German",
      "Bitte buchen Sie mir für morgen ein ruhiges Hotelzimmer in der Nähe des Bahnhofs und schicken Sie die Bestätigung an meinen Vorgesetzten.",
    ],
    [
      "Polish",
      "Proszę zarezerwować na jutro cichy pokój w hotelu niedaleko dworca i wysłać potwierdzenie do mojego przełożonego.",
    ],
    [
      "Turkish",
      "Lütfen yarın için istasyona yakın sessiz bir otel odası ayırtın ve onayı yöneticime gönderin.",
    ],
    [
      "Finnish",
      "Varaa minulle huomiseksi rauhallinen hotellihuone rautatieaseman läheltä ja lähetä vahvistus.",
    ],
    ["Korean", "내일 상하이에서 베이징으로 가는 비행기를 예약하고 일정을 제 매니저에게 보내 주세요."],
  ])("is at least six tenths of the count for %s, and no more than a fifth above", (_name, text) => {
    expect(estimateTextTokens(text, unlimited)).toBeGreaterThan(count(text) * 0.6);
    expect(estimateTextTokens(text, unlimited)).toBeLessThan(count(text) * 1.2);
  });

  it("knows the most frequent pairs of letters in the vocabulary's words", () => {
    const pairs = new Map<string, number>();
    for (const word of Object.keys(file.model.vocab).filter((token) => /^[a-z]{3,}$/.test(token))) {
      for (let at = 1; at < word.length; at++) {
        const pair = word.slice(at - 1, at + 1);
        pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
      }
    }
    const frequent = [...pairs].sort(([, left], [, right]) => right - left).slice(0, 200);
    const known = commonPairs
      .split(" ")
      .flatMap(([first, ...others]) => others.map((other) => `${first}${other}`));
    expect(known).toEqual(frequent.map(([pair]) => pair).sort());
  });

  it("is never more than is read of it, and the same for all texts beyond", () => {
    const words = "a long story ".repeat(1_000);
    expect(estimateTextTokens(words, 64)).toBe(64);
    expect(estimateTextTokens("", 64)).toBe(count(""));
  });
});
