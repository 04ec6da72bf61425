/**
 * Predicts what a sequence of the 903 actions, planned or given, changes. The dynamics predict a change for each step. Two logistic
 * regressions, over four features and over seven, mixed by how similar the library's nearest goal is, give the probability that the
 * sequence reaches its goal (training/fits/outcome_fit.py). The sum of the changes is adjusted to that probability, and divided among
 * the steps.
 */
import { achievedAbove, progressFrom } from "../../../shared/bands.ts";
import { maxPlanSteps } from "../../../shared/planning.ts";
import { type ActionTable, actionIds } from "../../world-model/actions.ts";
import type { Recalled } from "../../world-model/plan-library.ts";
import type { PlanningConfig } from "../../world-model/planning-config.ts";
import { sigmoid } from "../../world-model/vectors.ts";
import type { WorldModel } from "../../world-model/world-model.ts";
import { askingParts, type Situation } from "../situation.ts";
import type { Proposed } from "./plan-actions.ts";
import { agreement, likenessF1 } from "./proposals.ts";
import { type DecodedFrom, openSequenceReader } from "./sequence-reader.ts";
import { sequenceMarks, type Walk, type Walked, walk } from "./walk.ts";

type OutcomeConfig = PlanningConfig["outcome"];

export type ActionSequence = Pick<Situation, "goal" | "state" | "parts" | "taken" | "place" | "recalled"> & {
  ids: readonly number[];
  /** What decoder, library and wishes propose for the goal. Without `read` the decoder reads the sequence from its beginning. */
  proposed: Pick<Proposed, "proposals" | "best"> & Partial<Pick<Proposed, "read">>;
  /** For planned steps, the probability that each is right. The lowest one multiplies the probability of the whole plan. */
  chances?: readonly number[];
};

/** The walks, in order. A step's `change` is its share of the sequence's whole change. */
export async function followActions(
  model: WorldModel,
  sequences: readonly ActionSequence[],
): Promise<Walk[]> {
  const { walks, features } = await gatherFeatures(model, sequences);
  return walks.map((walked, at): Walk => {
    const { ids, chances = [] } = sequences[at]!;
    const { steps } = walked;
    if (ids.every((id) => id === actionIds.end)) return walked;
    const likelihood = likelihoodOf(features[at]!, model.manifest.planning.outcome) * Math.min(1, ...chances);
    const changes = shareOut(model.table.actions, ids, steps, likelihood);
    return { ...walked, steps: steps.map((step, row) => ({ ...step, change: changes[row]! })) };
  });
}

/** The features of each sequence, and the dynamics' own predictions. */
export async function gatherFeatures(
  model: WorldModel,
  sequences: readonly ActionSequence[],
): Promise<{ walks: Walk[]; features: OutcomeFeatures[] }> {
  const walks = await walk(
    model,
    sequences.map(({ place, ids }) => ({
      place,
      moves: ids.map((id) => ({ id, vector: model.heads.actionVector(id) })),
    })),
  );
  const stops = await readStopChances(
    model,
    sequences.map(({ ids, ...situation }) => ({ ...situation, ids: proposable(ids) })),
  );
  const features = sequences.map(({ ids, proposed, recalled, ...situation }, at) =>
    readFeatures(model.table, {
      parts: askingParts(situation),
      ids,
      walked: walks[at]!.steps,
      stop: stops[at]!,
      proposed,
      episodes: recalled,
      sharpness: model.manifest.planning.proposals.recallSharpness,
    }),
  );
  return { walks, features };
}

type Ended = DecodedFrom & { ids: readonly number[]; proposed: Partial<Pick<Proposed, "read">> };

/** The decoder's probability that a plan ends after each sequence. Sequences whose proposals share a reader are read side by side. */
export async function readStopChances(model: WorldModel, sequences: readonly Ended[]): Promise<number[]> {
  const unread = sequences.filter(({ proposed }) => !proposed.read);
  const opened = unread.length > 0 ? await openSequenceReader(model, unread) : undefined;
  const places = sequences.map((one) => one.proposed.read ?? { reader: opened!, owner: unread.indexOf(one) });
  const chances = new Array<number>(sequences.length);
  for (const [reader, chosen] of Map.groupBy(places.keys(), (at) => places[at]!.reader)) {
    const stops = await reader.readStops(
      chosen.map((at) => ({ owner: places[at]!.owner, actions: sequences[at]!.ids })),
    );
    for (const [row, at] of chosen.entries()) chances[at] = stops[row]!;
  }
  return chances;
}

/**
 * The actions without marks and `noop`, which no proposal holds, so that their presence does not count against a sequence. `unk` stays,
 * since plans of the library hold it and the decoder has learned to read it.
 */
const proposable = (ids: readonly number[]): number[] =>
  ids.filter((id) => !sequenceMarks.has(id) && id !== actionIds.noop);

/** What the regressions are computed from. `similarity` is no feature of its own: it mixes the two (`likelihoodOf`). */
export type OutcomeFeatures = {
  /** Mean over the actions: the highest z-score (`zScores`) of the action's cosine with a part of the goal. */
  fit: number;
  /** Mean over the parts of the goal: the highest such z-score of any action of the sequence. */
  covered: number;
  /** F1 of the common subsequence with each recalled episode, weighted by similarity; and the highest similarity. */
  recalled: number;
  similarity: number;
  /** Sum of the predicted changes, up to `maxChange`, and mean ln of the policy's probability. */
  change: number;
  chance: number;
  /**
   * How much less the sequence agrees with the proposals (`agreement`) than the one that agrees best: 0 or less. Proposals have at
   * most `maxPlanSteps` actions and given sequences up to 50, so only as many are compared: F1 would fall with the length.
   */
  agreed: number;
  /** ln of the decoder's probability that the plan ends after the sequence, at least `leastEnded`. */
  ended: number;
};

/** A total change above this counts as this much in the likelihood. */
const maxChange = 30;
const minChance = 1e-12;
const leastEnded = -5;
/** Least effect of an action that does anything, so that it gets a share of the whole. */
const minEffect = 2;
/** Actions that leave the world as it is. */
const stillActions: ReadonlySet<string> = new Set(["unk", "noop", "wait"]);

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

export type WalkedSequence = {
  /** Vectors of the goal's parts, or of the goal itself if it has one part. */
  parts: readonly Float32Array[];
  ids: readonly number[];
  walked: readonly Walked[];
  /** The decoder's probability that the plan ends after the sequence. */
  stop: number;
  proposed: ActionSequence["proposed"];
  episodes: readonly Recalled[];
  /** How fast an episode's weight falls with its similarity. */
  sharpness: number;
};

/** The features of one sequence. `walked`: one entry per id. No feature is NaN, also of a sequence without actions. */
export function readFeatures(
  table: ActionTable,
  { parts, ids, walked, stop, proposed, episodes, sharpness }: WalkedSequence,
): OutcomeFeatures {
  const taken = ids.filter((id) => !sequenceMarks.has(id));
  const comparable = proposable(ids).slice(0, maxPlanSteps);
  const fits = parts.map((vector) => taken.map(table.zScores(vector)));
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
    change: Math.min(
      maxChange,
      walked.reduce((sum, { change }) => sum + change, 0),
    ),
    chance: mean(walked.map(({ chance }) => Math.log(Math.max(chance, minChance)))),
    agreed: Math.min(0, agreement(comparable, proposed.proposals) - proposed.best.score),
    ended: Math.max(leastEnded, Math.log(stop)),
  };
}

/**
 * Probability that the sequence reaches the goal: two regressions, mixed by how similar the library's nearest goal is. Where no goal
 * is similar, neither the recalled episodes count nor the dynamics.
 */
export function likelihoodOf(read: OutcomeFeatures, { known, unlike, like }: OutcomeConfig): number {
  const { similarity, ...features } = read;
  const familiarity = sigmoid((similarity - known.from) / known.spread);
  const byFit = weigh(features, unlike) + unlike.shift;
  const byPast = weigh(features, like) + like.shift;
  return sigmoid((1 - familiarity) * byFit + familiarity * byPast);
}

type Weighed = Omit<OutcomeFeatures, "similarity">;

const weigh = (features: Weighed, weights: Partial<Weighed>): number =>
  (Object.keys(features) as (keyof Weighed)[]).reduce(
    (sum, name) => sum + (weights[name] ?? 0) * features[name],
    0,
  );

/**
 * The predicted total change, made consistent with the likelihood. A likelihood up to 0.5 caps it at 10 to 20. A higher likelihood
 * raises it above 20, by an amount that grows with the likelihood and with the predicted total.
 */
function adjustTotal(change: number, likelihood: number): number {
  if (likelihood <= 0.5)
    return Math.min(change, progressFrom + 2 * (achievedAbove - progressFrom) * likelihood);
  const over = (2 * likelihood - 1) * Math.min(achievedAbove, Math.max(change, minEffect));
  return Math.max(change, achievedAbove + over);
}

/**
 * Divides the total change among the steps. A step's share is proportional to its predicted change, in the sequence or as a first step,
 * whichever is larger: in the sequence alone, nearly all change falls on the step after which the dynamics take the goal for reached.
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
    return Math.max(change, atOnce, stillActions.has(actions[id]!.name) ? 0 : minEffect);
  });
  const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0);
  const total = adjustTotal(sum(walked.map(({ change }) => change)), likelihood);
  const whole = Math.max(sum(effects), minEffect);
  return effects.map((effect) => (effect * total) / whole);
}
