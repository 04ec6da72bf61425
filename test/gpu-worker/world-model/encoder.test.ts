import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OnnxSession, openSession } from "../../../gpu-worker/onnx.ts";
import {
  createEncoder,
  type Encoder,
  type Memory,
  type TextToEncode,
} from "../../../gpu-worker/world-model/encoder.ts";
import { createTokenizer, TokenizerFile } from "../../../gpu-worker/world-model/tokenizer.ts";
import { dot, norm } from "../../../gpu-worker/world-model/vectors.ts";

const checkpoint = new URL("../../../gpu-worker/checkpoints/base/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, checkpoint));
const text = (value: string, remember: Memory | false = false): TextToEncode => ({
  text: value,
  keep: "start",
  remember,
});
const memories: Memory[] = ["lasting", "passing"];

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

  beforeAll(async () => {
    const opened = await openSession({ model: read("encoder.onnx"), device: "cpu" });
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
    encoder = createEncoder({
      session,
      tokenizer,
      dimension: 384,
      windowTokens: 256,
      cacheSizes: { lasting: 2, passing: 2 },
    });
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
    expect(cut!.tokens.length).toBe(256);
    const [tail] = await encoder.encode([text("the very end")]);
    expect(Array.from(cut!.tokens.slice(-4))).toEqual(Array.from(tail!.tokens.slice(-4)));
  });

  it.each(memories)(
    "runs the model once for equal texts, and not at all for a %s one known",
    async (memory) => {
      runs = 0;
      const same = text(`same ${memory} text`, memory);
      const [first, second] = await encoder.encode([same, same]);
      const [third] = await encoder.encode([same]);
      expect(runs).toBe(1);
      expect(second).toBe(first);
      expect(third).toBe(first);
    },
  );

  it.each(memories)("forgets the %s text unused longest when there are too many", async (memory) => {
    await encoder.encode(["first entry", "second entry", "third entry"].map((value) => text(value, memory)));
    runs = 0;
    await encoder.encode([text("third entry", memory)]);
    expect(runs).toBe(0);
    await encoder.encode([text("first entry", memory)]);
    expect(runs).toBe(1);
  });

  it("forgets no lasting text for passing ones, however many", async () => {
    const tool = text("a caller's tool", "lasting");
    await encoder.encode([tool]);
    for (let turn = 0; turn < 5; turn++) await encoder.encode([text(`goal of turn ${turn}`, "passing")]);
    runs = 0;
    await encoder.encode([tool]);
    expect(runs).toBe(0);
  });
});
