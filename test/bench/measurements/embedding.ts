/**
 * Embeddings in this process, one thread each, the same texts and the same int8 weights: the served code, the
 * model run bare on the same tokens, and @huggingface/transformers as its users run it (one padded batch), where
 * `npm ci --prefix test/bench` has installed it: 480 MB that nothing else needs.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { openSession } from "../../../gpu-worker/inference/session.ts";
import { loadPlanner } from "../../../gpu-worker/planning/planner.ts";
import { createTokenizer, TokenizerFile } from "../../../gpu-worker/world-model/tokenizer.ts";
import { root } from "../../support/service.ts";
import type { Measurement } from "../measurement.ts";
import type { Effort, Result } from "../result.ts";
import { summarize } from "../statistics.ts";

const checkpointDir = join(root, "gpu-worker/checkpoints/base");
const words =
  "the traveller asked whether a quiet hotel near the river could still be booked for two nights".split(" ");
/** A hundred texts of 2 to 120 words, most of them short, as callers' are. */
const texts = Array.from({ length: 100 }, (_, index) => {
  const length = Math.round(2 + 118 * (((index * 37) % 100) / 100) ** 3);
  return Array.from({ length }, (_, word) => words[(word * 7 + index) % words.length]).join(" ");
});

type Contender = { label: string; run(): Promise<unknown>; close(): Promise<unknown> };

/** The part of @huggingface/transformers that is used here; its own types exist only where it is installed. */
type Transformers = {
  env: { allowRemoteModels: boolean; localModelPath: string };
  AutoTokenizer: {
    from_pretrained(
      name: string,
    ): Promise<
      (texts: string[], options: object) => Promise<Record<"input_ids" | "attention_mask", unknown>>
    >;
  };
  AutoModel: {
    from_pretrained(
      name: string,
      options: object,
    ): Promise<{ (inputs: object): Promise<unknown>; dispose(): Promise<unknown> }>;
  };
};

/** Imports it by a name that the compiler does not resolve. @returns undefined where it is not installed */
async function findTransformers(): Promise<Transformers | undefined> {
  const name: string = "@huggingface/transformers";
  try {
    return (await import(name)) as Transformers;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

async function createServed(): Promise<Contender> {
  const planner = await loadPlanner({ checkpointDir, device: "cpu", intraOpThreads: 1 });
  return {
    label: "served code",
    run: () => planner.embed([{ size: "base", texts }]),
    close: planner.close,
  };
}

/** The bare limit of the checkpoint's own graph: tokens ready, grouped by length, nothing done with the result. */
async function createBare(): Promise<Contender> {
  const read = (name: string) => readFileSync(join(checkpointDir, name));
  const tokenizer = createTokenizer(TokenizerFile.parse(JSON.parse(read("tokenizer.json").toString("utf8"))));
  const session = await openSession({ model: read("encoder.onnx"), device: "cpu", intraOpThreads: 1 });
  const byLength = Map.groupBy(
    texts.map((text) => tokenizer.encode(text, 256)),
    ({ length }) => length,
  );
  const [width = 0] = session.rowShapes.embedding!;
  const runs = [...byLength].map(([length, rows]) => {
    const shape = [rows.length, length];
    const values = BigInt64Array.from(rows.flatMap((row) => Array.from(row, BigInt)));
    const inputs = {
      input_ids: { kind: "int64", values, shape },
      attention_mask: { kind: "int64", values: new BigInt64Array(values.length).fill(1n), shape },
    } as const;
    const embedding = new Float32Array(rows.length * width);
    const outputs = {
      embedding: { kind: "float32", values: embedding, shape: [rows.length, width] },
    } as const;
    return { inputs, outputs };
  });
  return {
    label: "onnxruntime alone",
    async run() {
      for (const { inputs, outputs } of runs) await session.run(inputs, outputs);
    },
    close: session.close,
  };
}

async function createTransformers({ env, AutoModel, AutoTokenizer }: Transformers): Promise<Contender> {
  const directory = mkdtempSync(join(tmpdir(), "bench-model-"));
  const home = join(directory, "encoder");
  mkdirSync(join(home, "onnx"), { recursive: true });
  copyFileSync(join(checkpointDir, "encoder.onnx"), join(home, "onnx/model_quantized.onnx"));
  copyFileSync(join(checkpointDir, "tokenizer.json"), join(home, "tokenizer.json"));
  const write = (name: string, value: object) => writeFileSync(join(home, name), JSON.stringify(value));
  write("config.json", { model_type: "bert", hidden_size: 384, max_position_embeddings: 256 });
  write("tokenizer_config.json", {
    tokenizer_class: "BertTokenizer",
    model_max_length: 256,
    pad_token: "[PAD]",
    unk_token: "[UNK]",
    cls_token: "[CLS]",
    sep_token: "[SEP]",
  });
  env.allowRemoteModels = false;
  env.localModelPath = directory;
  const tokenizer = await AutoTokenizer.from_pretrained("encoder");
  const model = await AutoModel.from_pretrained("encoder", {
    dtype: "q8",
    device: "cpu",
    session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 },
  });
  return {
    label: "@huggingface/transformers",
    async run() {
      const { input_ids, attention_mask } = await tokenizer(texts, { padding: true, truncation: true });
      return model({ input_ids, attention_mask });
    },
    async close() {
      await model.dispose();
      rmSync(directory, { recursive: true });
    },
  };
}

async function measure(_rig: unknown, effort: Effort): Promise<Result> {
  const transformers = await findTransformers();
  const contenders = [
    await createServed(),
    await createBare(),
    ...(transformers === undefined ? [] : [await createTransformers(transformers)]),
  ];
  try {
    const seconds: number[][] = contenders.map(() => []);
    for (const { run } of contenders) await run();
    const endAt = performance.now() + effort.seconds * 1000;
    do {
      // By turns, so that a busy machine slows all alike.
      for (const [place, { run }] of contenders.entries()) {
        const before = process.cpuUsage();
        await run();
        const { user, system } = process.cpuUsage(before);
        seconds[place]!.push((user + system) / 1e6);
      }
    } while (performance.now() < endAt || seconds[0]!.length < 3);
    const ratios = (place: number) => seconds[0]!.map((own, turn) => seconds[place]![turn]! / own);
    return {
      columns: [
        { key: "perSecond", heading: "texts per CPU second", digits: 0 },
        { key: "ratio", heading: "served code is x times this", digits: 2 },
      ],
      rows: contenders.map(({ label }, place) => ({
        label,
        figures: {
          perSecond: summarize(seconds[place]!.map((time) => texts.length / time)),
          ratio: summarize(ratios(place)),
        },
      })),
      notes: [
        "One thread each, by CPU time (which a busy machine does not stretch): 100 texts of 2 to 120 words at a time, the checkpoint's own int8 encoder in all of them.",
        "The ratio is taken turn by turn: the bars are 0.85 against onnxruntime, 1.3 against transformers.",
        ...(transformers === undefined
          ? ["@huggingface/transformers is not installed and left out: npm ci --prefix test/bench."]
          : []),
      ],
    };
  } finally {
    for (const { close } of contenders) await close();
  }
}

export const embedding: Measurement = {
  name: "embedding",
  title: "Embeddings: served code, bare runtime, transformers",
  run: measure,
};
