/**
 * The frame of the commands that write evidence for gpu-worker/training: `ROWS EVIDENCE`, where ROWS is a folder of sets and
 * EVIDENCE receives lines of JSON.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { argv, stderr } from "node:process";
import { fileURLToPath } from "node:url";
import { loadWorldModel, type WorldModel } from "../../gpu-worker/world-model/world-model.ts";
import { type EvaluationRow, listSets, readSet } from "./rows.ts";

const checkpoint = fileURLToPath(new URL("../../gpu-worker/checkpoints/base", import.meta.url));
const rowsPerRun = 16;

/** As many rows as one run of the model takes. */
export function* runsOf(rows: readonly EvaluationRow[]): Generator<EvaluationRow[]> {
  for (let begin = 0; begin < rows.length; begin += rowsPerRun) yield rows.slice(begin, begin + rowsPerRun);
}

/** The lines of one set, without the set's name. */
type ReadLines = (rows: readonly EvaluationRow[]) => AsyncIterable<Record<string, unknown>>;

/**
 * @param script the command's file, for its usage
 * @throws Error without both arguments
 */
export async function writeEvidence(
  script: string,
  prepare: (model: WorldModel) => ReadLines,
): Promise<void> {
  const [directory, evidencePath] = argv.slice(2);
  if (!directory || !evidencePath) throw new Error(`usage: npx node scripts/${script} ROWS EVIDENCE`);
  const model = await loadWorldModel({ checkpointDir: checkpoint, device: "cpu", intraOpThreads: 1 });
  const readLines = prepare(model);
  const file = openSync(evidencePath, "w");
  for (const set of listSets(directory)) {
    const { rows } = readSet(directory, set);
    for await (const line of readLines(rows)) writeSync(file, `${JSON.stringify({ set, ...line })}\n`);
    stderr.write(`${set}: ${rows.length} rows\n`);
  }
  closeSync(file);
  await model.close();
}
