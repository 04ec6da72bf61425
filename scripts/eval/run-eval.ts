/**
 * The evaluation from its arguments to its figures: every set of a folder through the served model, in this
 * process, by the code that answers requests.
 */
import { loadWorldModel, type WorldModel } from "../../gpu-worker/world-model/world-model.ts";
import { createActionMap } from "./episodes.ts";
import { auroc } from "./measures.ts";
import { type EvaluationSet, listSets, readSet } from "./rows.ts";
import { measureSteps, type StepFigures } from "./step-rows.ts";
import { chooseTools, measureTools, splitMargins, type ToolFigures } from "./tool-rows.ts";

export type SetFigures = { n: number } & Partial<ToolFigures> & StepFigures & { irrelevance_auroc?: number };
export type EvaluationFigures = { sets: Record<string, SetFigures> };

export type EvaluationOptions = {
  dataDir: string;
  checkpointDir: string;
  threads: number;
  /** Told as rows are done. */
  onProgress(set: string, done: number, total: number): void;
  /** Told what was left out and why. */
  warn(message: string): void;
};

type Margins = { fitting: number[]; none: number[] };

/** Throws where there is no set, or the checkpoint cannot be loaded. */
export async function runEvaluation(options: EvaluationOptions): Promise<EvaluationFigures> {
  const { dataDir, warn } = options;
  const files = listSets(dataDir);
  if (files.length === 0) throw new Error(`no *.jsonl or *.jsonl.gz in ${dataDir}`);
  const model = await loadWorldModel({
    checkpointDir: options.checkpointDir,
    device: "cpu",
    intraOpThreads: options.threads,
  });
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
      const measured = await measureSet(model, set, options.onProgress);
      sets[set.name] = measured.figures;
      if (measured.margins) margins.set(set.name, measured.margins);
    }
  } finally {
    await model.close();
  }
  for (const [name, { none }] of margins) {
    const fitting = none.length > 0 ? fittingRowsFor(name, margins) : [];
    if (fitting.length > 0) sets[name]!.irrelevance_auroc = auroc(fitting, none);
  }
  return { sets };
}

async function measureSet(
  model: WorldModel,
  { name, rows }: EvaluationSet,
  onProgress: EvaluationOptions["onProgress"],
): Promise<{ figures: SetFigures; margins: Margins | undefined }> {
  const withTools = rows.filter(({ tools }) => tools.length > 0);
  // A row without steps still has its actions: the first is chosen in its state, the rest in the neutral one.
  const withActions = rows.filter(
    ({ tools, steps, actions }) => steps.length > 0 || (tools.length === 0 && actions.length > 0),
  );
  const total = withTools.length + withActions.length;
  let done = 0;
  const onDone = (count: number) => {
    done += count;
    onProgress(name, done, total);
  };
  onProgress(name, 0, total);
  const choices = await chooseTools(model, withTools, onDone);
  const steps = await measureSteps(model, createActionMap(model), withActions, onDone);
  return {
    figures: { n: rows.length, ...measureTools(choices), ...steps },
    margins: choices.length > 0 ? splitMargins(choices) : undefined,
  };
}

/**
 * What rows without a fitting tool are compared with: the set's own rows with one; else those of the sets
 * named alike (`bfcl_irrelevance` with `bfcl_multiple`); else all.
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
