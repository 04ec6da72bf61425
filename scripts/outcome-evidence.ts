/**
 * `node scripts/outcome-evidence.ts ROWS EVIDENCE`: writes what the server reads of right and wrong sequences, for
 * gpu-worker/training/outcome_fit.py. ROWS is a folder of sets, EVIDENCE receives one line of JSON for each sequence.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { argv, stderr } from "node:process";
import { fileURLToPath } from "node:url";
import { type ActionSequence, gatherFeatures } from "../gpu-worker/planning/outcome.ts";
import { gatherProposals } from "../gpu-worker/planning/plan-actions.ts";
import { recallEpisodes } from "../gpu-worker/planning/situation.ts";
import { loadWorldModel, type WorldModel } from "../gpu-worker/world-model/world-model.ts";
import { type ActionMap, createActionMap, readEpisodes } from "./eval/episodes.ts";
import { listSets, readSet } from "./eval/rows.ts";
import { lcsF1 } from "./eval/sequences.ts";

const checkpoint = fileURLToPath(new URL("../gpu-worker/checkpoints/base", import.meta.url));
const rowsPerRun = 16;
/** Distances, in rows of the same set, to the rows whose actions serve as a row's wrong sequences. */
const otherRows = [37, 101] as const;

type Read = Omit<ActionSequence, "chances">;
type Sample = { kind: "right" | "half" | "other"; ids: readonly number[] };

/** The right actions of a row, their first half, and those of other rows of the set. */
function samplesOf(rows: readonly Read[], at: number): Sample[] {
  const { ids } = rows[at]!;
  const half: Sample = { kind: "half", ids: ids.slice(0, Math.ceil(ids.length / 2)) };
  const others = otherRows.map((below): Sample => {
    return { kind: "other", ids: rows[(at + below) % rows.length]!.ids };
  });
  return [{ kind: "right", ids }, ...(ids.length > 1 ? [half] : []), ...others];
}

async function readRows(
  model: WorldModel,
  mapActions: ActionMap,
  directory: string,
  file: string,
): Promise<Read[]> {
  const { rows } = readSet(directory, file);
  const read: Read[] = [];
  for (let begin = 0; begin < rows.length; begin += rowsPerRun) {
    const some = rows.slice(begin, begin + rowsPerRun).map((row) => {
      return { ...row, plans: true, totals: false, keepsNext: () => false };
    });
    const episodes = await readEpisodes(model, mapActions, some);
    const bare = episodes.map(({ situationAt }) => situationAt(0));
    const recalled = await recallEpisodes(model, bare);
    const situations = bare.map((situation, at) => ({ ...situation, ...recalled[at]! }));
    const proposed = await gatherProposals(model, situations);
    for (const [at, situation] of situations.entries())
      read.push({ ...situation, proposed: proposed[at]!, ids: episodes[at]!.actions });
  }
  return read;
}

async function main([directory, evidencePath]: readonly string[]): Promise<void> {
  if (!directory || !evidencePath) throw new Error("usage: node scripts/outcome-evidence.ts ROWS EVIDENCE");
  const model = await loadWorldModel({ checkpointDir: checkpoint, device: "cpu", intraOpThreads: 1 });
  const mapName = createActionMap(model);
  // Our own texts name actions of the 903 directly; the rows of data sets have other names, which are mapped.
  const mapActions: ActionMap = async (names) => {
    const mapped = await mapName(names);
    return names.map((name, at) => model.table.idOfName(name) ?? mapped[at]!);
  };
  const file = openSync(evidencePath, "w");
  for (const set of listSets(directory)) {
    const rows = await readRows(model, mapActions, directory, set);
    for (let at = 0; at < rows.length; at++) {
      const samples = samplesOf(rows, at);
      const { features } = await gatherFeatures(
        model,
        samples.map(({ ids }) => ({ ...rows[at]!, ids })),
      );
      for (const [of, { kind, ids }] of samples.entries()) {
        const line = { set, row: at, kind, likeness: lcsF1(ids, rows[at]!.ids), ...features[of]! };
        writeSync(file, `${JSON.stringify(line)}\n`);
      }
    }
    stderr.write(`${set}: ${rows.length} rows\n`);
  }
  closeSync(file);
  await model.close();
}

await main(argv.slice(2));
