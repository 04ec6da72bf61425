import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OnnxSession, openSession } from "../../../gpu-worker/inference/session.ts";
import {
  type CacheName,
  cacheNames,
  createEncoder,
  type EncodedText,
  type Encoder,
  type TextToEncode,
} from "../../../gpu-worker/world-model/encoder.ts";
import { toPackedEncoder } from "../../../gpu-worker/world-model/packed-encoder.ts";
import { createScratch } from "../../../gpu-worker/world-model/scratch.ts";
import { createTokenizer, TokenizerFile } from "../../../gpu-worker/world-model/tokenizer.ts";
import { dot, norm } from "../../../gpu-worker/world-model/vectors.ts";

const checkpoint = new URL("../../../gpu-worker/checkpoints/base/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, checkpoint));
const text = (value: string, remember: CacheName | false = false): TextToEncode => ({
  text: value,
  keep: "start",
  remember,
});

const sentences = Array.from({ length: 32 }, (_, i) =>
  Array.from(
    { length: 1 + ((i * 7) % 60) },
    (_, word) => ["book", "flights", "to", "Rome", "née", "42", "and"][(i + word * 3) % 7],
  ).join(" "),
);

describe("encoder", () => {
  let session: OnnxSession;
  let runs = 0;
  let encoder: Encoder;
  let openEncoder: (cacheSize: number) => Encoder;
  const scratch = createScratch(64 * 1024);

  beforeAll(async () => {
    const opened = await openSession({ model: toPackedEncoder(read("encoder.onnx")), device: "cpu" });
    session = {
      ...opened,
      run: (inputs, outputs) => {
        runs++;
        return opened.run(inputs, outputs);
      },
    };
    const tokenizer = createTokenizer(
      TokenizerFile.parse(JSON.parse(read("tokenizer.json").toString("utf8"))),
    );
    openEncoder = (size) =>
      createEncoder({
        session,
        tokenizer,
        dimension: 384,
        windowTokens: 256,
        cacheSizes: { lasting: size, session: size, passing: size },
        scratch,
        now: () => 0,
      });
    encoder = openEncoder(2);
  });
  afterAll(() => session.close());

  it("gives a text the same bits alone and among 32 of mixed lengths", async () => {
    const together = await encoder.encode(sentences.map((sentence) => text(sentence)));
    for (const [i, sentence] of sentences.entries()) {
      const [alone] = await encoder.encode([text(sentence)]);
      expect(alone!.vector).toEqual(together[i]!.vector);
    }
  });

  it("gives unit vectors in which like meanings lie closer", async () => {
    const [cat, kitten, tax] = await encoder.encode(
      ["A cat sleeps", "A kitten naps", "Corporate tax law"].map((s) => text(s)),
    );
    expect(norm(cat!.vector)).toBeCloseTo(1, 5);
    expect(dot(cat!.vector, kitten!.vector)).toBeGreaterThan(dot(cat!.vector, tax!.vector) + 0.3);
  });

  it("keeps the newest end of a text beyond the window", async () => {
    const long = `${"padding words here ".repeat(200)} the very end`;
    const [cut] = await encoder.encode([{ text: long, keep: "end", remember: false }]);
    expect(cut!.tokens).toBe(256);
    const [same] = await encoder.encode([{ text: long.slice(-2_000), keep: "end", remember: false }]);
    const [other] = await encoder.encode([{ text: `${long}!`, keep: "end", remember: false }]);
    expect(same!.vector).toEqual(cut!.vector);
    expect(other!.vector).not.toEqual(cut!.vector);
  });

  it.each(cacheNames)(
    "runs the model once for equal texts, and not at all for a %s one known",
    async (cache) => {
      runs = 0;
      const same = text(`same ${cache} text`, cache);
      const [first, second] = await encoder.encode([same, same]);
      const [third] = await encoder.encode([same]);
      expect(runs).toBe(1);
      expect(second).toBe(first);
      expect(third).toEqual(first);
      expect(third!.identity).toBe(first!.identity);
    },
  );

  it("runs the model once for a text under two limits that do not cut it, and again under one that does", async () => {
    const under = async (maxTokens: number) => {
      runs = 0;
      const [{ vector, tokens }] = (await encoder.encode([
        { ...text("find the invoices of last month and pay them", "session"), maxTokens },
      ])) as [EncodedText];
      return { runs, tokens, vector: vector.slice() };
    };
    const first = await under(96);
    expect(await under(64)).toEqual({ ...first, runs: 0 });
    const shorter = first.tokens - 1;
    const cut = await under(shorter);
    expect([cut.runs, cut.tokens]).toEqual([1, shorter]);
    expect(cut.vector).not.toEqual(first.vector);
    for (const limit of [96, first.tokens, 64]) expect(await under(limit)).toEqual({ ...first, runs: 0 });
    expect(await under(shorter)).toEqual({ ...cut, runs: 0 });
  });

  it("remembers a text as each of two limits cuts it, read in turns", async () => {
    const long = "compare the invoices of last month with the orders ".repeat(4);
    const under = async (maxTokens: number) => {
      const [{ vector }] = (await encoder.encode([{ ...text(long, "session"), maxTokens }])) as [EncodedText];
      return vector.slice();
    };
    const [wider, narrower] = [await under(30), await under(20)];
    runs = 0;
    for (let turn = 0; turn < 3; turn++)
      expect([await under(30), await under(20)]).toEqual([wider, narrower]);
    expect(runs).toBe(0);
  });

  it("reads a text once where two limits of one call do not cut it, and apart where one does", async () => {
    const under = (maxTokens: number) => ({ ...text("pay the rent of this month"), maxTokens });
    const [wide, narrow, cut, alike] = await encoder.encode([under(96), under(64), under(4), under(4)]);
    expect(narrow).toBe(wide);
    expect(alike).toBe(cut);
    expect([wide!.tokens > 4, cut!.tokens]).toEqual([true, 4]);
  });

  it("remembers a passing text for its owner alone: how long it takes tells nobody else that it was asked", async () => {
    const ofOwner = (owner: string, cache: CacheName) => ({ ...text(`a ${cache} secret`, cache), owner });
    const runsFor = async (owner: string, cache: CacheName) => {
      runs = 0;
      const [found] = await encoder.encode([ofOwner(owner, cache)]);
      return { runs, vector: found!.vector.slice() };
    };
    const first = await runsFor("one", "passing");
    expect(await runsFor("one", "passing")).toEqual({ ...first, runs: 0 });
    expect(await runsFor("other", "passing")).toEqual(first);
    await runsFor("one", "lasting");
    expect((await runsFor("other", "lasting")).runs).toBe(0);
  });

  it.each(cacheNames)("forgets the %s text unused longest when there are too many", async (cache) => {
    await encoder.encode(["first entry", "second entry", "third entry"].map((value) => text(value, cache)));
    runs = 0;
    await encoder.encode([text("third entry", cache)]);
    expect(runs).toBe(0);
    await encoder.encode([text("first entry", cache)]);
    expect(runs).toBe(1);
  });

  it.each(cacheNames)("forgets no %s text of one account for ever new ones of another", async (cache) => {
    const shared = openEncoder(8);
    const ofOwner = (owner: string, value: string) => ({ ...text(value, cache), owner });
    const kept = ofOwner("patient", "a text of a patient account");
    await shared.encode([kept]);
    for (let at = 0; at < 20; at++) await shared.encode([ofOwner("greedy", `text ${at}`)]);
    runs = 0;
    await shared.encode([kept]);
    expect(runs).toBe(0);
  });

  it("gives a text the same vector whatever was remembered and forgotten, in batches at the same time", async () => {
    const words = ["one", "two", "three", "four", "five", "six"];
    const known = new Map<string, Float32Array>();
    for (const [at, { vector }] of (await encoder.encode(words.map((word) => text(word)))).entries())
      known.set(words[at]!, vector.slice());
    const batch = fc.array(
      fc.record({ word: fc.constantFrom(...words), cache: fc.constantFrom(...cacheNames) }),
      { minLength: 1, maxLength: 5 },
    );
    const check = async (asked: { word: string; cache: CacheName }[]) => {
      const found = await encoder.encode(asked.map(({ word, cache }) => text(word, cache)));
      for (const [at, { word }] of asked.entries()) expect(found[at]!.vector).toEqual(known.get(word));
    };
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(batch, { maxLength: 3 }), { maxLength: 6 }), async (rounds) => {
        for (const round of rounds)
          await Promise.all(round.map((asked) => scratch.during(() => check(asked))));
      }),
      { numRuns: 40 },
    );
  });

  it.each(cacheNames)("forgets no %s text for those of other caches, however many", async (cache) => {
    const kept = text(`kept as ${cache}`, cache);
    await encoder.encode([kept]);
    for (const other of cacheNames.filter((one) => one !== cache))
      for (let turn = 0; turn < 5; turn++) await encoder.encode([text(`${other} of turn ${turn}`, other)]);
    runs = 0;
    await encoder.encode([kept]);
    expect(runs).toBe(0);
  });

  it("reads the first of many unseen texts as far as a bound allows, and none if all are within it", async () => {
    const texts = ["one unseen text", "another unseen text", "a third unseen text"].map((value) =>
      text(value, "lasting"),
    );
    const [one, other] = await encoder.encode(texts.slice(0, 2).map(({ text: value }) => text(value)));
    const bound = one!.tokens + other!.tokens;
    runs = 0;
    const first = await encoder.encodeFirst(texts, bound);
    expect([runs, first!.map(({ vector }) => vector)]).toEqual([1, [one!.vector, other!.vector]]);
    expect(await encoder.encodeFirst(texts, bound)).toBeUndefined();
    expect(runs).toBe(1);
  });

  it("takes over what another encoder has read, and reads it no more", async () => {
    const learned = text("a text read elsewhere", "lasting");
    encoder.learn([learned], [{ vector: new Float32Array(384).fill(0.5), tokens: 6 }]);
    runs = 0;
    const [found] = await encoder.encode([learned]);
    expect([runs, found!.tokens, found!.vector]).toEqual([0, 6, new Float32Array(384).fill(0.5)]);
  });

  it("tells long texts apart by their ends, and by the window they are read through", async () => {
    const long = (end: string) => text(`${"the same beginning ".repeat(4)}${end}`, "session");
    const [one, other] = await encoder.encode([long("one"), long("other")]);
    expect(other!.vector).not.toEqual(one!.vector);
    runs = 0;
    await encoder.encode([long("one")]);
    expect(runs).toBe(0);
    await encoder.encode([{ ...long("one"), maxTokens: 8 }]);
    expect(runs).toBe(1);
  });
});
