/**
 * `npx node scripts/outcome-evidence.ts ROWS EVIDENCE`: writes the features by which the server judges a sequence of actions, of
 * right and wrong ones; gpu-worker/training/fits/outcome_fit.py fits their weights. ROWS is a folder of sets, EVIDENCE receives one line
 * of JSON for each sequence.
 */
import { type ActionSequence, gatherFeatures } from "../gpu-worker/planning/actions/outcome.ts";
import { gatherProposals } from "../gpu-worker/planning/actions/plan-actions.ts";
import type { WorldModel } from "../gpu-worker/world-model/world-model.ts";
import { type ActionMap, createActionMap, readEpisodes, withRecalled } from "./eval/episodes.ts";
import type { EvaluationRow } from "./eval/rows.ts";
import { lcsF1 } from "./eval/sequences.ts";
import { runsOf, writeEvidence } from "./eval/write-evidence.ts";

/** Distances, in rows of the same set, to the rows whose actions serve as a row's wrong sequences. */
const otherRows = [37, 101] as const;

/** `ids`: the row's right actions. */
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
  rows: readonly EvaluationRow[],
): Promise<Read[]> {
  const read: Read[] = [];
  for (const run of runsOf(rows)) {
    const some = run.map((row) => ({ ...row, plans: true, totals: false, keepsNext: () => false }));
    const episodes = await readEpisodes(model, mapActions, some);
    const situations = await withRecalled(
      model,
      episodes.map(({ situationAt }) => situationAt(0)),
    );
    const proposed = await gatherProposals(model, situations);
    for (const [at, situation] of situations.entries())
      read.push({ ...situation, proposed: proposed[at]!, ids: episodes[at]!.actions });
  }
  return read;
}

await writeEvidence("outcome-evidence.ts", (model) => {
  const mapName = createActionMap(model);
  // Our own texts name actions of the 903 directly; the rows of data sets have other names, which are mapped.
  const mapActions: ActionMap = async (names) => {
    const mapped = await mapName(names);
    return names.map((name, at) => model.table.idOfName(name) ?? mapped[at]!);
  };
  return async function* (set) {
    const rows = await readRows(model, mapActions, set);
    for (const [at, row] of rows.entries()) {
      const samples = samplesOf(rows, at);
      const { features } = await gatherFeatures(
        model,
        samples.map(({ ids }) => ({ ...row, ids })),
      );
      for (const [of, { kind, ids }] of samples.entries())
        yield { row: at, kind, likeness: lcsF1(ids, row.ids), ...features[of]! };
    }
  };
});
