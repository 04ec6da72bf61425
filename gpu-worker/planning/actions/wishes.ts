/**
 * Reads the action that each part of a goal asks for: a wish. All wishes together form one more proposal. A wish that no step of
 * the chosen plan serves adds a step: the plan that agrees best with all proposals drops an action that only some of them hold
 * ("order brake pads and book a garage": the garage).
 */
import { type Action, type ActionTable, sumChances } from "../../world-model/actions.ts";
import type { PlanningConfig } from "../../world-model/planning-config.ts";
import { sigmoid } from "../../world-model/vectors.ts";
import type { WorldModel } from "../../world-model/world-model.ts";
import { inOneCall } from "../in-one-call.ts";
import { type Asking, readAskings } from "../message/asking.ts";
import { isBrief, partsOf } from "../message/goal-text.ts";
import { askingParts, type Situation } from "../situation.ts";
import { findLikeliest, limitByForm } from "./asked-by-form.ts";
import type { ActionStep, Proposal } from "./proposals.ts";

/** The action that a part asks for, and the probability that a step for it is right. */
export type Wish = ActionStep & {
  /** The sum of the reader's probabilities of all actions that have this action's verb. */
  chance: number;
  /** The reader's probabilities of every action by id, and of none of them last. */
  chances: Float32Array;
  isServedBy(actionId: number): boolean;
};

/** The output of the reader of wishes for a goal's parts: the probability of every action by id, and of none of them last. */
export type Readings = {
  /** For each part; 0 for actions that a part of its form cannot ask for (asked-by-form.ts). */
  asked: readonly Float32Array[];
  /** Unchanged outputs for the parts that only ask about an action, deny it, or want it stopped. */
  named: readonly Float32Array[];
};

const namesOnly: ReadonlySet<Asking> = new Set(["answer", "nothing", "stop"]);

/** The readings of each goal; empty for a goal that is not to be read (undefined). */
export async function readParts(
  model: WorldModel,
  goals: readonly (Pick<Situation, "goal" | "parts" | "request" | "denied"> | undefined)[],
): Promise<Readings[]> {
  const lists = goals.map((one) => (one ? askingParts(one).map((part) => ({ part, goal: one.goal })) : []));
  const read = await inOneCall(lists, model.heads.wishes);
  const { actions } = model.table;
  const { statedFrom } = model.manifest.planning.wishes;
  return read.map((said, at) => {
    const one = goals[at];
    const parts = one ? partsOf(one.request.goal) : [];
    const askings = one ? readAskings(parts, one.denied) : [];
    const least = askings.length === 1 ? statedFrom.alone : statedFrom.beside;
    const isTooBrief = one !== undefined && isBrief(one.request.goal);
    const named = said.filter((_, row) => namesOnly.has(askings[row]!));
    const asked = said.map((chances, row) =>
      limitByForm(model.table, parts[row]!, askings[row]!, chances, least),
    );
    // No part in training was as brief as "weather?", so the probability of "none" is not reliable and is set to 0.
    if (isTooBrief) for (const chances of asked) chances[actions.length] = 0;
    return { asked, named };
  });
}

/** The wish of each part: the likeliest action, or undefined when none is likely enough. Many sentences of a long goal only inform. */
export function findWishes({ table, manifest }: WorldModel, { asked }: Readings): (Wish | undefined)[] {
  const { wishes } = manifest.planning;
  // A single entry means that the goal was not divided: a divided goal has two parts or more.
  const from = asked.length === 1 ? wishes.wholeFrom : wishes.from;
  return asked.map((chances) => readWish(table, chances, from, wishes));
}

/**
 * Whether some part asks for an action: its probability is at least `askedFrom` times that of the part's likeliest action, or it adds an
 * object to that action's verb. Half of the steps that no part asks for are wrong, as the proposals agree on something for any text.
 */
export function findAsked(
  { table: { actions }, manifest }: WorldModel,
  readings: readonly Float32Array[],
): (actionId: number) => boolean {
  const { askedFrom } = manifest.planning.wishes;
  const parts = readings.map((chances) => {
    let most = 0;
    for (const { id } of actions) if (chances[id]! > most) most = chances[id]!;
    return { chances, most, asks: 1 - chances[actions.length]!, likeliest: findLikeliest(actions, chances) };
  });
  return (actionId) =>
    parts.some(({ chances, most, asks, likeliest }) => {
      if (most === 0) return false;
      if (asks * chances[actionId]! >= askedFrom * most) return true;
      return asks > 0.5 && likeliest !== undefined && specifies(actions[actionId]!, likeliest);
    });
}

/** How much the goal asks for an action: the highest probability that any part gives to all actions of its verb together. */
export const measureWish =
  ({ table }: WorldModel, readings: readonly Float32Array[]) =>
  (actionId: number): number =>
    Math.max(0, ...readings.map((chances) => sumChances(table.ofVerb(actionId), chances)));

/** The wish of a part, if its likeliest action is likely enough. */
export function readWish(
  { actions, alike }: ActionTable,
  chances: Float32Array,
  from: number,
  { servedFrom, sureness }: PlanningConfig["wishes"],
): Wish | undefined {
  const wanted = findLikeliest(actions, chances);
  if (!wanted) return undefined;
  const { id: actionId } = wanted;
  const chance = sumChances(alike(wanted.id), chances);
  if (chance < from) return undefined;
  return {
    actionId,
    chance,
    chances,
    probability: sigmoid(sureness.scale * Math.log(chance) + sureness.shift),
    isServedBy: (id) => chances[id]! >= servedFrom * chances[actionId]! || specifies(actions[id]!, wanted),
  };
}

/** Whether an action adds an object to the wished one, which has none: "book it" is read as `book`, and `book_flight` serves it. */
const specifies = (action: Action, wished: Action): boolean =>
  wished.object === null && action.object !== null && action.verb === wished.verb;

/**
 * Replaces each wish's action by the one that serves it with the highest product of probability and weight among the proposals.
 * Otherwise a wish for "translate" and a proposed "translate_text" would be two steps. `held`: the weight of each action. `unheld`:
 * added to it, so that an action in no proposal can win, too.
 */
export const alignWithProposals = (
  wishes: readonly (Wish | undefined)[],
  held: ReadonlyMap<number, number>,
  unheld: number,
): (Wish | undefined)[] =>
  wishes.map((wish) => {
    if (!wish) return undefined;
    const scoreOf = (id: number) => wish.chances[id]! * ((held.get(id) ?? 0) + unheld);
    let { actionId } = wish;
    for (const id of held.keys()) if (wish.isServedBy(id) && scoreOf(id) > scoreOf(actionId)) actionId = id;
    return { ...wish, actionId };
  });

/**
 * One proposal made of the wishes, in order; none if there is no wish. A goal of one part is usually a plain command: its
 * proposal is weighted by the wish's probability.
 */
export function proposeWishes(
  wishes: readonly (Wish | undefined)[],
  maxSteps: number,
  weight: { single: number; several: number },
): Proposal[] {
  const asked = wishes.filter((wish) => wish !== undefined);
  if (asked.length === 0) return [];
  const actions = [...new Set(asked.map(({ actionId }) => actionId))].slice(0, maxSteps);
  return [{ actions, weight: wishes.length === 1 ? weight.single * asked[0]!.chance : weight.several }];
}

/**
 * Adds a step to the plan for each wish that none of its steps serves: before the first step that serves a later part, else after the
 * last step that serves an earlier one, or after the first step if no step serves another part. Wishes are in the order of the parts.
 */
export function serveWishes(
  plan: readonly ActionStep[],
  wishes: readonly (Wish | undefined)[],
  maxSteps: number,
): ActionStep[] {
  /** For each wish, the places of the steps that serve it. */
  const served = wishes.map((wish) =>
    [...plan.keys()].filter((place) => wish?.isServedBy(plan[place]!.actionId)),
  );
  /** For each place of the plan and its end, the steps to add before it. */
  const added = Array.from({ length: plan.length + 1 }, (): ActionStep[] => []);
  const known = new Set(plan.map(({ actionId }) => actionId));
  let room = maxSteps - plan.length;
  for (const [at, wish] of wishes.entries()) {
    if (!wish || served[at]!.length > 0 || known.has(wish.actionId) || room === 0) continue;
    const behind = Math.max(-1, ...served.slice(0, at).map((places) => places.at(-1) ?? -1));
    const later = served
      .slice(at + 1)
      .flatMap(([first]) => (first !== undefined && first > behind ? [first] : []));
    const place = later.length > 0 ? Math.min(...later) : Math.max(1, behind + 1);
    const { actionId, probability } = wish;
    added[Math.min(place, plan.length)]!.push({ actionId, probability });
    known.add(actionId);
    room--;
  }
  return added.flatMap((steps, place) => [...steps, ...plan.slice(place, place + 1)]);
}
