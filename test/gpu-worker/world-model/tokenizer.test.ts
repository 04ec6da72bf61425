import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTokenizer, TokenizerFile } from "../../../gpu-worker/world-model/tokenizer.ts";
import { leastMs } from "../../support/least-ms.ts";
import { tokenizerTable } from "./tokenizer-table.ts";

const path = new URL("../../../gpu-worker/checkpoints/base/tokenizer.json", import.meta.url);
const file = TokenizerFile.parse(JSON.parse(readFileSync(path, "utf8")));
const tokenizer = createTokenizer(file);

describe("tokenizer", () => {
  it.each(tokenizerTable)("gives the reference's ids for %j", (text, ids) => {
    expect(Array.from(tokenizer.encode(text, 10_000))).toEqual(ids);
  });

  it("cuts to the window and keeps the asked end", () => {
    const text = "one two three four five";
    expect(Array.from(tokenizer.encode(text, 4, "start"))).toEqual([
      101,
      ...tokenizer.encode("one two", 99).slice(1, -1),
      102,
    ]);
    expect(Array.from(tokenizer.encode(text, 4, "end"))).toEqual([
      101,
      ...tokenizer.encode("four five", 99).slice(1, -1),
      102,
    ]);
  });

  it("reads on where few words stand far apart, until the window is full", () => {
    const text = Array.from({ length: 40 }, () => "word").join(" ".repeat(32));
    for (const keep of ["start", "end"] as const) expect(tokenizer.encode(text, 12, keep)).toHaveLength(12);
  });

  it("gives a text without words one window, which holds the marks of beginning and end alone", () => {
    expect(tokenizer.encodeWindows(" \n", 256, 2_048)).toEqual([Int32Array.of(101, 102)]);
  });

  it("takes any string, lone surrogates too, and gives ids of the vocabulary", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), (left, right) => {
        const ids = tokenizer.encode(`${left}\ud800${right}`, 64);
        expect(ids.length).toBeLessThanOrEqual(64);
        expect(ids.every((id) => id >= 0 && id < tokenizer.vocabularySize)).toBe(true);
      }),
    );
  });

  it("leaves out half a surrogate pair, as it does other characters without a meaning", () => {
    expect(tokenizer.encode("book\ud800ing\udc00 a table", 64)).toEqual(
      tokenizer.encode("booking a table", 64),
    );
  });

  it.each([
    ["ж", 5_000_000],
    ["a", 4_096],
    ["a", 4_097],
    ["é", 8_192],
    ["\u{1d4d0}", 5_000],
  ])("takes a word of %s, %i times over, for one that it does not know", (letter, times) => {
    const word = letter.repeat(times);
    const unknown = tokenizer.encodeWindows(letter.repeat(200), 256, 2_048)![0]!;
    expect(tokenizer.encodeWindows(word, 256, 2_048)).toEqual([unknown]);
    const among = tokenizer.encodeWindows(`one ${word}, two`, 256, 2_048)![0]!;
    expect(among).toEqual(tokenizer.encodeWindows(`one ${letter.repeat(200)}, two`, 256, 2_048)![0]!);
  });

  it("reads of a huge text only what the window needs, with the same result", async () => {
    const text = "Some words, naïve and long: supercalifragilistic! ".repeat(100_000);
    const head = () => tokenizer.encode(text, 256, "start");
    const tail = () => tokenizer.encode(text, 256, "end");
    expect(await leastMs(250, head)).toBeLessThan(250);
    expect(await leastMs(250, tail)).toBeLessThan(250);
    expect(head()).toEqual(tokenizer.encode(text.slice(0, 5_000), 256, "start"));
    expect(tail()).toEqual(tokenizer.encode(text.slice(-5_000), 256, "end"));
  });

  it.each([
    ["accents", "\u0301", "\u0316"],
    ["marks that stay", "\u302e", "\u{16ff0}"],
  ])(
    "reads a letter with tens of thousands of %s in no more than linear time",
    async (_what, above, below) => {
      const marked = `cafe${above.repeat(30_000)}${below.repeat(30_000)}`;
      const read = () => tokenizer.encodeWindows(`one ${marked} two`, 256, 2_048);
      expect(read()).toHaveLength(1);
      expect(await leastMs(500, read)).toBeLessThan(500);
    },
  );

  it("drops accents, however many a letter has", () => {
    const plain = tokenizer.encode("cafe au lait", 64);
    for (const count of [1, 29, 30, 31, 200])
      expect(tokenizer.encode(`cafe${"\u0301\u0316".repeat(count)} au lait`, 64)).toEqual(plain);
  });

  it("divides a text into windows of which none is longer than the encoder's, and keeps every token once", () => {
    const text = "book a flight to Rome ".repeat(30);
    const own = (ids: Int32Array) => [...ids.slice(1, -1)];
    const windows = tokenizer.encodeWindows(text, 16, 2_048)!;
    expect(windows.map(({ length }) => length)).toEqual([...Array(10).fill(16), 150 - 140 + 2]);
    expect(windows.flatMap(own)).toEqual(own(tokenizer.encode(text, 1_000)));
  });

  it("takes a text of exactly the limit's tokens, and none with one more", () => {
    expect(tokenizer.encodeWindows("book ".repeat(64), 256, 64)).toHaveLength(1);
    expect(tokenizer.encodeWindows("book ".repeat(65), 256, 64)).toBeUndefined();
  });

  it("gives a word the same pieces whatever was read before it", () => {
    const fresh = createTokenizer(file);
    expect(fresh.encode("Unbelievable flights", 64)).toEqual(tokenizer.encode("Unbelievable flights", 64));
  });

  it("refuses a tokenizer of another kind", () => {
    expect(() => TokenizerFile.parse({ ...file, pre_tokenizer: { type: "ByteLevel" } })).toThrow();
  });
});
