/**
 * The evaluation from its arguments to its figures: measures the served model on every set of a folder, with the code that
 * answers requests, on threads that each hold the model.
 */
import { measureSet, type SetFigures, spread } from "./measure-set.ts";
import { auroc } from "./measures.ts";
import { type EvaluationSet, listSets, readSet } from "./rows.ts";
import { createThreads } from "./threads.ts";
import type { Margins } from "./tool-rows.ts";

export type EvaluationFigures = { sets: Record<string, SetFigures> };

export type EvaluationOptions = {
  dataDir: string;
  checkpointDir: string;
  threads: number;
  /** Most rows of each set, evenly spread. */
  maxRows?: number | undefined;
  /** Called as rows are done. */
  onProgress(set: string, done: number, total: number): void;
  /** Called with what was left out and why. */
  warn(message: string): void;
};

/** Throws if there is no set, or the checkpoint cannot be loaded. */
export async function runEvaluation(options: EvaluationOptions): Promise<EvaluationFigures> {
  const { dataDir, warn, maxRows = Number.POSITIVE_INFINITY } = options;
  const files = listSets(dataDir);
  if (files.length === 0) throw new Error(`no *.jsonl or *.jsonl.gz in ${dataDir}`);
  const threads = createThreads(options.threads, options.checkpointDir);
  const sets: Record<string, SetFigures> = {};
  const margins = new Map<string, Margins>();
  try {
    for (const file of files) {
      let set: EvaluationSet;
      try {
        set = readSet(dataDir, file);
      } catch (error) {
        warn(`${file} is left out: ${(error as Error).message}`);
        continue;
      }
      if (set.skipped > 0) warn(`${file}: ${set.skipped} lines are no rows and were left out`);
      const { name } = set;
      const some = { ...set, rows: spread(set.rows, maxRows) };
      const measured = await measureSet(threads, some, (done, total) =>
        options.onProgress(name, done, total),
      );
      sets[name] = measured.figures;
      if (measured.margins) margins.set(name, measured.margins);
    }
  } finally {
    await threads.close();
  }
  for (const [name, { none }] of margins) {
    const fitting = none.length > 0 ? fittingRowsFor(name, margins) : [];
    if (fitting.length > 0) sets[name]!.irrelevance_auroc = auroc(fitting, none);
  }
  return { sets };
}

/**
 * Margins of rows with a fitting tool, to compare with rows without one: the set's own; else those of the sets with the same
 * first word (`bfcl_irrelevance`, `bfcl_multiple`); else of all sets.
 */
function fittingRowsFor(name: string, margins: ReadonlyMap<string, Margins>): number[] {
  const family = (set: string) => set.split(/[_-]/, 1)[0];
  const candidates = [
    (set: string) => set === name,
    (set: string) => family(set) === family(name),
    () => true,
  ].map((belongs) => [...margins].filter(([set]) => belongs(set)).flatMap(([, { fitting }]) => fitting));
  return candidates.find((found) => found.length > 0) ?? [];
}
