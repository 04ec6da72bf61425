/**
 * Encodes token ids with the served graph where Python has no onnxruntime: `node encode-ids.ts ENCODER IDS VECTORS THREADS`.
 * IDS holds int32: per text its length and its ids. VECTORS receives float32, a row per text in their order.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { argv, stderr } from "node:process";
import { type OnnxSession, openSession } from "../inference/session.ts";

const rowsPerRun = 64;
const progressEvery = 20_000;

function readTexts(path: string): Int32Array[] {
  const bytes = readFileSync(path);
  const numbers = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  const texts: Int32Array[] = [];
  for (let at = 0; at < numbers.length; at += numbers[at]! + 1)
    texts.push(numbers.subarray(at + 1, at + 1 + numbers[at]!));
  return texts;
}

/** Texts of equal length share a run: the checkpoint's own graph takes no others. The server rewrites it (packed-encoder.ts). */
async function encode(session: OnnxSession, texts: readonly Int32Array[]): Promise<Float32Array> {
  const [width = 0] = session.rowShapes.embedding!;
  const vectors = new Float32Array(texts.length * width);
  let done = 0;
  for (const [length, rows] of Map.groupBy(texts.keys(), (row) => texts[row]!.length)) {
    for (let begin = 0; begin < rows.length; begin += rowsPerRun) {
      const part = rows.slice(begin, begin + rowsPerRun);
      const shape = [part.length, length];
      const ids = BigInt64Array.from(part.flatMap((row) => Array.from(texts[row]!, BigInt)));
      const found = new Float32Array(part.length * width);
      await session.run(
        {
          input_ids: { kind: "int64", values: ids, shape },
          attention_mask: { kind: "int64", values: ids.map(() => 1n), shape },
        },
        { embedding: { kind: "float32", values: found, shape: [part.length, width] } },
      );
      for (const [at, row] of part.entries())
        vectors.set(found.subarray(at * width, (at + 1) * width), row * width);
      done += part.length;
      if (done % progressEvery < part.length) stderr.write(`encoded ${done}/${texts.length}\n`);
    }
  }
  return vectors;
}

const [encoderPath, idsPath, vectorsPath, threads] = argv.slice(2) as [string, string, string, string];
const session = await openSession({
  model: readFileSync(encoderPath),
  device: "cpu",
  intraOpThreads: Number(threads),
});
const vectors = await encode(session, readTexts(idsPath));
writeFileSync(vectorsPath, new Uint8Array(vectors.buffer));
await session.close();
