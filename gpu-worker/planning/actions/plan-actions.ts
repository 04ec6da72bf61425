/**
 * Plans over the 903 actions. Decoder, library and wishes each propose plans. The proposal that agrees best with all others is chosen,
 * then corrected by what the goal's parts ask for. The share of the proposals that also hold a step gives the step's probability.
 */
import { actionIds } from "../../world-model/actions.ts";
import type { Recalled } from "../../world-model/plan-library.ts";
import { sigmoid } from "../../world-model/vectors.ts";
import type { WorldModel } from "../../world-model/world-model.ts";
import { isEnglish } from "../message/english.ts";
import { isBrief, partsOf } from "../message/goal-text.ts";
import { readTold } from "../message/telling.ts";
import type { Situation } from "../situation.ts";
import { dropForbidden, readForbidden } from "./forbidden-actions.ts";
import {
  type ActionStep,
  type Agreed,
  agree,
  type Drawn,
  type Proposal,
  proposePlans,
  weighActions,
} from "./proposals.ts";
import { barActions } from "./robot-goals.ts";
import {
  alignWithProposals,
  findAsked,
  findWishes,
  measureWish,
  proposeWishes,
  type Readings,
  readParts,
  serveWishes,
  type Wish,
} from "./wishes.ts";

/** What decoder, library and wishes propose for a goal. */
export type Proposed = {
  /** Of all three sources. */
  proposals: readonly Proposal[];
  /** The proposal that agrees best with all of them. */
  best: Agreed;
  /** What the decoder has read for them. */
  read: Drawn["read"];
  /** The weight of the decoder's proposals that hold each action. */
  held: ReadonlyMap<number, number>;
  /** For each part of the goal; empty for a goal whose parts were not read. */
  readings: Readings;
  wishes: readonly (Wish | undefined)[];
  /** Whether the library has episodes of similar goals. */
  isFamiliar: boolean;
};

/** The proposals of each situation, in order. */
export async function gatherProposals(
  model: WorldModel,
  situations: readonly Situation[],
): Promise<Proposed[]> {
  const forbids = await readForbidden(model, situations);
  const recalled = situations.map((situation, at) => dropForbidden(situation.recalled, forbids[at]!));
  const familiar = recalled.map((episodes, at) => isFamiliar(model, situations[at]!, episodes));
  const readings = await readParts(
    model,
    situations.map((situation, at) => (familiar[at] || situation.taken.length > 0 ? undefined : situation)),
  );
  const barred = readings.map(({ asked }, at) => barActions(model, situations[at]!, asked));
  const drawn = await proposePlans(model, situations, barred);
  return situations.map(({ request }, at) =>
    joinProposals(model, request.maxSteps, {
      drawn: drawn[at]!,
      recalled: recalled[at]!,
      isFamiliar: familiar[at]!,
      readings: readings[at]!,
      isForbidden: forbids[at]!,
    }),
  );
}

/** What the three sources hold for a situation. `recalled` is already without forbidden actions, the others are not. */
type Sources = Pick<Proposed, "readings" | "isFamiliar"> & {
  drawn: Drawn;
  recalled: readonly Recalled[];
  isForbidden: (actionId: number) => boolean;
};

function joinProposals(
  model: WorldModel,
  maxSteps: number,
  { drawn, recalled, isFamiliar, readings, isForbidden }: Sources,
): Proposed {
  const { wishes: wished, proposals: sampling } = model.manifest.planning;
  const written = dropForbidden(drawn.proposals, isForbidden);
  const held = weighActions(written);
  const allowed = findWishes(model, readings).map((wish) =>
    wish && isForbidden(wish.actionId) ? undefined : wish,
  );
  const wishes = alignWithProposals(allowed, held, wished.unheld);
  const proposals = [
    ...written,
    ...withSharedAction(model, recalled, held, isFamiliar).map(({ actions, similarity }) => ({
      actions: actions.slice(0, maxSteps),
      weight: sampling.recallWeight * Math.exp(sampling.recallSharpness * (similarity - 1)),
    })),
    ...proposeWishes(wishes, maxSteps, wished.weight),
  ];
  return { proposals, read: drawn.read, best: agree(proposals), held, readings, wishes, isFamiliar };
}

/** One plan per situation. */
export async function planActions(
  model: WorldModel,
  situations: readonly Situation[],
): Promise<ActionStep[][]> {
  const proposed = await gatherProposals(model, situations);
  return situations.map((situation, at) => choosePlan(model, situation, proposed[at]!));
}

/** A plan of at least one step; the step is `end` if nothing is left to do. */
export function choosePlan(
  model: WorldModel,
  { request: { goal, maxSteps } }: Situation,
  { best: { actions, support }, wishes, readings, held, isFamiliar }: Proposed,
): ActionStep[] {
  const agreed = actions.map((actionId, step) => ({ actionId, probability: sureOf(model, support[step]!) }));
  const served = dropTwins(model, serveWishes(agreed, wishes, maxSteps), wishes);
  const asked = trustAsked(model, served, readings, held);
  const left = isFamiliar ? asked : dropRepeats(asked);
  const plan = left.length > 0 ? left : [{ actionId: actionIds.end, probability: sureOf(model, 1) }];
  const trust = trustInGoal(model, goal);
  return plan.map(({ actionId, probability, isDoubted }, step) => {
    const ofLater = isDoubted && step > 0 ? model.manifest.planning.wishes.unaskedTrust : 1;
    return { actionId, probability: probability * ofLater * trust, ...(isDoubted && { isDoubted }) };
  });
}

/** The probability that a step with this support among the proposals is right. */
export function sureOf({ manifest }: WorldModel, support: number): number {
  const { scale, shift } = manifest.planning.proposals.sureness;
  return sigmoid(scale * support + shift);
}

/** Factor on the probabilities of a plan for this goal: below 1 in another language than English. */
export const trustInGoal = ({ manifest, tokenizer }: WorldModel, goal: string): number =>
  isEnglish(goal, tokenizer.isWord) ? 1 : manifest.planning.foreignTrust.actions;

/**
 * Of steps that have the same verb and serve the same single wish the likeliest stays: "turn off all lights" is one of turn_off and
 * turn_off_light.
 */
function dropTwins(
  { table }: WorldModel,
  plan: readonly ActionStep[],
  wishes: readonly (Wish | undefined)[],
): ActionStep[] {
  const kinds = plan.map(({ actionId }) => {
    const served = [...wishes.keys()].filter((at) => wishes[at]?.isServedBy(actionId));
    return served.length === 1 ? `${served[0]} ${table.actions[actionId]!.verb}` : undefined;
  });
  return plan.filter((step, at) => {
    const isBetter = (other: ActionStep, place: number) =>
      place !== at &&
      kinds[place] === kinds[at] &&
      (other.probability > step.probability || (other.probability === step.probability && place < at));
    return kinds[at] === undefined || !plan.some(isBetter);
  });
}

const dropRepeats = (plan: readonly ActionStep[]): readonly ActionStep[] =>
  plan.filter(({ actionId }, step) => plan[step - 1]?.actionId !== actionId);

/** Whether a part of the goal asks for the step, only asks about it ("how do I delete a branch?"), or no part mentions it. */
type Standing = "asked" | "named" | "unsaid";

/**
 * Judges each step by what the goal asks for:
 * - asked for: stays, but is doubted unless the reader of wishes and the decoder's proposals together give it enough (`backedFrom`).
 *   The decoder proposes something for any text ("draft a job posting": search_job), and the reader finds a wish in many statements
 *   ("my oven only goes to 200": set_goal). A doubted first step keeps its probability, which is calibrated on goals that ask for
 *   actions, and is reported as unsure; the probability of a later one is multiplied by `unaskedTrust`;
 * - only asked about: removed;
 * - unsaid, before the first step that is asked for: stays if the proposals agree on it (`agreedFrom`) and it commits to nothing, since
 *   few goals name the search that they need; else removed;
 * - unsaid, later, or in a plan where nothing is asked for ("thanks!"): its probability is multiplied by `unaskedTrust`.
 * `held`: the weight of the decoder's proposals that hold each action. `asked` is empty for a goal that was not read: then the plan
 * stays as it is.
 */
function trustAsked(
  model: WorldModel,
  plan: readonly ActionStep[],
  { asked, named }: Readings,
  held: ReadonlyMap<number, number>,
): readonly ActionStep[] {
  if (asked.length === 0) return plan;
  const { unaskedTrust, agreedFrom, backedFrom } = model.manifest.planning.wishes;
  const doubt = (step: ActionStep) => ({ ...step, probability: unaskedTrust * step.probability });
  const wishFor = measureWish(model, asked);
  const doubtIfAlone = (step: ActionStep): ActionStep => {
    const wish = wishFor(step.actionId);
    const isBacked = wish >= backedFrom.wish && wish + (held.get(step.actionId) ?? 0) >= backedFrom.both;
    return isBacked ? step : { ...step, isDoubted: true };
  };
  const effects = plan.map(({ actionId }) => model.table.actions[actionId]!.effect);
  const [isAsked, isNamed] = [findAsked(model, asked), findAsked(model, named)];
  const standings = plan.map(({ actionId }): Standing => {
    if (isAsked(actionId)) return "asked";
    return isNamed(actionId) ? "named" : "unsaid";
  });
  if (!standings.includes("asked")) return plan.map(doubt);
  // Moves are kept as well: people ask for a thing, not for the way to it.
  const stays = (at: number) => standings[at] === "asked" || effects[at] === "move";
  const firstAsked = [...plan.keys()].findIndex(stays);
  return plan.flatMap((step, at) => {
    if (stays(at)) return [doubtIfAlone(step)];
    if (standings[at] === "named") return [];
    if (at > firstAsked) return [doubt(step)];
    return step.probability >= agreedFrom && effects[at] !== "commit" ? [doubtIfAlone(step)] : [];
  });
}

/**
 * Keeps the episodes that share an action with enough of the decoder's proposals. Vectors of short goals are similar whatever
 * they ask for ("send an email to Anna", "examine an alarm clock"), so unrelated episodes could outvote the proposals. For a
 * familiar goal whose proposals agree on no action, every episode is kept.
 */
function withSharedAction(
  { manifest }: WorldModel,
  recalled: readonly Recalled[],
  held: ReadonlyMap<number, number>,
  isFamiliar: boolean,
): readonly Recalled[] {
  const { from, agreedFrom } = manifest.planning.proposals.shared;
  if (isFamiliar && Math.max(0, ...held.values()) < agreedFrom) return recalled;
  return recalled.filter(({ actions }) => actions.some((id) => (held.get(id) ?? 0) >= from));
}

/**
 * Whether the library has episodes of similar goals. They then count for more than the goal's parts, and repeated actions are
 * kept ("walk there, walk on"). Never for a brief goal, whose vector is close to unrelated episodes ("dinner ideas": a walk to
 * the kitchen), nor where somebody is told something: such an episode may be of what is told.
 */
const isFamiliar = (
  { manifest }: WorldModel,
  { request }: Pick<Situation, "request">,
  recalled: readonly Recalled[],
): boolean =>
  !isBrief(request.goal) &&
  !partsOf(request.goal).some((part) => readTold(part) === "statement") &&
  recalled.some(({ similarity }) => similarity >= manifest.planning.familiarFrom);
