/**
 * Sequences over the 903 actions, planned or given: walked by the dynamics, and what each step changes told by how likely the
 * whole reaches its goal.
 */
import { actionIds } from "../world-model/actions.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import { likelihoodOf, readEvidence, shareOut } from "./outcome.ts";
import { recallFor, type Situation } from "./situation.ts";
import { type Walk, walk } from "./walk.ts";

export type ActionSequence = Pick<Situation, "goal" | "state" | "parts" | "place" | "recalled"> & {
  ids: readonly number[];
  /** Of planned steps: how likely each is right. A plan reaches its goal no more surely than its weakest step is right. */
  chances?: readonly number[];
};

/** Walks in order; a step's `change` is its share of the goal. */
export async function followActions(
  model: WorldModel,
  sequences: readonly ActionSequence[],
): Promise<Walk[]> {
  const { outcome, proposals } = model.manifest.planning;
  const recalled = await recallFor(model, sequences);
  const walks = await walk(
    model,
    sequences.map(({ place, ids }) => ({
      place,
      moves: ids.map((id) => ({ id, vector: model.heads.actionVector(id) })),
    })),
  );
  return walks.map((walked, at): Walk => {
    const { goal, parts, ids, chances = [] } = sequences[at]!;
    const { steps } = walked;
    if (ids.every((id) => id === actionIds.end)) return walked;
    const evidence = readEvidence(
      model.table,
      parts.length > 0 ? parts : [goal],
      ids,
      steps,
      recalled[at]!,
      proposals.recallSharpness,
    );
    const likelihood = likelihoodOf(evidence, outcome) * Math.min(1, ...chances);
    const changes = shareOut(model.table.actions, ids, steps, likelihood);
    return { ...walked, steps: steps.map((step, row) => ({ ...step, change: changes[row]! })) };
  });
}
