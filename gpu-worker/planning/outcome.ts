/**
 * Sequences over the 903 actions, planned or given: walked by the dynamics, then weighed by how likely the whole reaches its
 * goal, and how much of that each step does. Evidence in, numbers out is pure; its few weights were fitted on training rows,
 * right sequences against those of other goals.
 */
import { type ActionTable, actionIds } from "../world-model/actions.ts";
import type { PlanningConfig } from "../world-model/manifest.ts";
import type { Recalled } from "../world-model/plan-library.ts";
import { sigmoid } from "../world-model/vectors.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import { likenessF1 } from "./proposals.ts";
import { askingParts, recallFor, type Situation } from "./situation.ts";
import { sequenceMarks, type Walk, type Walked, walk } from "./walk.ts";

type OutcomeConfig = PlanningConfig["outcome"];

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
    const { ids, chances = [] } = sequences[at]!;
    const { steps } = walked;
    if (ids.every((id) => id === actionIds.end)) return walked;
    const evidence = readEvidence(
      model.table,
      askingParts(sequences[at]!),
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

export type Evidence = {
  /** How far the actions' glosses stand out from others where the goal is compared with them, in standard deviations: mean of the actions. */
  fit: number;
  /** The same for what is asked: how well the best action of the sequence fits each part of the goal. */
  covered: number;
  /** Mean F1 of the common subsequence with what was done for the nearest goals, and how near the nearest is. */
  recalled: number;
  similarity: number;
  /** Sum of the predicted changes, and mean ln of the policy's probability. */
  change: number;
  chance: number;
};

/** A change above 20 in all reads "goal likely achieved", one above 10 "significant progress". */
const achieved = 20;
const progress = 10;
/** More than this is no better evidence. */
const mostChange = 30;
const leastChance = 1e-12;
/** What an action does at least, where it does anything. */
const leastEffect = 2;
/** Actions that leave the world as it is. */
const stillActions: ReadonlySet<string> = new Set(["unk", "noop", "wait"]);

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** `asked`: vectors of the goal's parts, or of the goal where it is one. */
export function readEvidence(
  table: ActionTable,
  asked: readonly Float32Array[],
  ids: readonly number[],
  walked: readonly Walked[],
  episodes: readonly Recalled[],
  sharpness: number,
): Evidence {
  const taken = ids.filter((id) => !sequenceMarks.has(id));
  const fits = asked.map((vector) => taken.map(table.standingBeside(vector)));
  const best = (values: readonly number[]) => Math.max(...values);
  const weights = episodes.map(({ similarity }) => Math.exp(sharpness * (similarity - 1)));
  const weight = weights.reduce((sum, one) => sum + one, 0);
  return {
    fit: mean(taken.map((_, step) => best(fits.map((fit) => fit[step]!)))),
    covered: taken.length === 0 ? 0 : mean(fits.map(best)),
    recalled:
      weight === 0
        ? 0
        : episodes.reduce((sum, { actions }, at) => sum + weights[at]! * likenessF1(taken, actions), 0) /
          weight,
    similarity: Math.max(0, ...episodes.map(({ similarity }) => similarity)),
    change: walked.reduce((sum, { change }) => sum + change, 0),
    chance: mean(walked.map(({ chance }) => Math.log(Math.max(chance, leastChance)))),
  };
}

/**
 * Probability that the sequence reaches the goal. Where the library knows goals like this one, what was done for them and the
 * dynamics tell; where it does not, they say nothing, and how well goal and actions fit each other is what is left.
 */
export function likelihoodOf(evidence: Evidence, { known, unlike, like }: OutcomeConfig): number {
  const { fit, covered, recalled, similarity, change, chance } = evidence;
  const isKnown = sigmoid((similarity - known.from) / known.spread);
  const byFit = unlike.fit * fit + unlike.covered * covered + unlike.shift;
  const byPast =
    like.recalled * recalled +
    like.change * Math.min(mostChange, change) +
    like.chance * chance +
    like.fit * fit +
    like.covered * covered +
    like.shift;
  return sigmoid((1 - isKnown) * byFit + isKnown * byPast);
}

/**
 * A change in all that says what the likelihood says: the predicted one wherever it does. Where it does not it is moved to the right
 * side of the bar and no further than the likelihood goes, so that more change stays more.
 */
function wholeOf(change: number, likelihood: number): number {
  if (likelihood <= 0.5) return Math.min(change, progress + 2 * (achieved - progress) * likelihood);
  const over = (2 * likelihood - 1) * Math.min(achieved, Math.max(change, leastEffect));
  return Math.max(change, achieved + over);
}

/**
 * What each step changes: shares of the whole by what each action does on its way or would do at once, whichever is more. The
 * dynamics alone give nearly all of it to the step after which they take the goal for reached.
 */
export function shareOut(
  actions: ActionTable["actions"],
  ids: readonly number[],
  walked: readonly Walked[],
  likelihood: number,
): number[] {
  const effects = ids.map((id, step) => {
    if (sequenceMarks.has(id)) return 0;
    const { change, atOnce } = walked[step]!;
    return Math.max(change, atOnce, stillActions.has(actions[id]!.name) ? 0 : leastEffect);
  });
  const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0);
  const whole = wholeOf(sum(walked.map(({ change }) => change)), likelihood);
  const total = Math.max(sum(effects), leastEffect);
  return effects.map((effect) => (effect * whole) / total);
}
