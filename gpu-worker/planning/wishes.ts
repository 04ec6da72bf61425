/**
 * What the parts of a goal ask for by themselves: one more proposal of a plan, and steps that a plan lacks. Plans that agree
 * best with others leave out what only some proposals hold ("order brake pads and book a garage": the garage), so each part is
 * read alone too.
 */
import { actionIds } from "../world-model/actions.ts";
import { memoryRows } from "../world-model/plan-decoder.ts";
import { softmax } from "../world-model/vectors.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import { type ActionStep, type Proposal, withoutUnwritten } from "./proposals.ts";

/** The action that a part asks for, how likely a step for it is right, and whether another action does as well. */
export type Wish = ActionStep & {
  /** Of the action, by the decoder. */
  chance: number;
  isServedBy(actionId: number): boolean;
};

/**
 * What each part asks for, list by list: the action that the decoder begins with where it reads the part without a state, weighed
 * by how far its gloss stands out. Nothing where no action is likely enough: most sentences of a long goal only tell.
 */
export async function readWishes(
  model: WorldModel,
  lists: readonly (readonly Float32Array[])[],
): Promise<(Wish | undefined)[][]> {
  // A goal is cut into two parts or more, or is one.
  const parts = lists.flatMap((list, owner) =>
    list.map((vector) => ({ vector, owner, isWhole: list.length === 1 })),
  );
  const found = await readParts(model, parts);
  return lists.map((_, at) => found.filter((_, row) => parts[row]!.owner === at));
}

type Part = { vector: Float32Array; isWhole: boolean };

async function readParts(model: WorldModel, parts: readonly Part[]): Promise<(Wish | undefined)[]> {
  if (parts.length === 0) return [];
  const { wishes } = model.manifest.planning;
  // Without a state the decoder says what a text asks for, not how to begin (plan_rows.py, wish_rows).
  const { hidden, step } = await model.decoder.open(
    parts.map(({ vector }) => [{ at: memoryRows.goal, vector }]),
  );
  const begun = await step(
    parts.map((_, owner) => ({ owner, hidden: hidden[owner]!, last: actionIds.start })),
  );
  return parts.map(({ vector, isWhole }, row) => {
    const chances = softmax(withoutUnwritten(begun[row]!.logits));
    const standing = model.table.standingBeside(vector);
    let [wanted, most]: [number, number] = [actionIds.unk, Number.NEGATIVE_INFINITY];
    for (const { id, effect } of model.table.actions) {
      // What changes nothing is talk, or says how a plan goes on.
      if (effect === "none" || chances[id]! < wishes.leastChance) continue;
      const score = Math.log(chances[id]!) + wishes.standing * standing(id);
      if (score > most) [wanted, most] = [id, score];
    }
    const chance = chances[wanted]!;
    if (most < wishes.from || (isWhole && chance < wishes.wholeFrom)) return undefined;
    return {
      actionId: wanted,
      chance,
      probability: 1 / (1 + Math.exp(-(wishes.sureness.scale * most + wishes.sureness.shift))),
      isServedBy: (id) => chances[id]! >= wishes.servedFrom * chance,
    };
  });
}

/**
 * The wishes in their order as a proposal among others; none where nothing is asked for. A goal that is one part is mostly a
 * plain command: its wish counts by its probability.
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
 * The plan with a step more for each wish that none of its steps serves: before the first step that serves a later part, else
 * behind the last that serves an earlier one, and never first, since how to begin is what proposals know best. Wishes are in
 * the order of the parts.
 */
export function serveWishes(
  plan: readonly ActionStep[],
  wishes: readonly (Wish | undefined)[],
  maxSteps: number,
): ActionStep[] {
  /** Places of the steps that serve each wish. */
  const served = wishes.map((wish) =>
    [...plan.keys()].filter((place) => wish?.isServedBy(plan[place]!.actionId)),
  );
  /** Steps to add in front of each place of the plan, and at its end. */
  const added = Array.from({ length: plan.length + 1 }, (): ActionStep[] => []);
  const known = new Set(plan.map(({ actionId }) => actionId));
  let room = maxSteps - plan.length;
  for (const [at, wish] of wishes.entries()) {
    if (!wish || served[at]!.length > 0 || known.has(wish.actionId) || room === 0) continue;
    const behind = Math.max(-1, ...served.slice(0, at).map((places) => places.at(-1) ?? -1));
    const later = served
      .slice(at + 1)
      .flatMap(([first]) => (first !== undefined && first > behind ? [first] : []));
    const place = later.length > 0 ? Math.min(...later) : behind + 1;
    const { actionId, probability } = wish;
    added[Math.min(Math.max(place, 1), plan.length)]!.push({ actionId, probability });
    known.add(actionId);
    room--;
  }
  return added.flatMap((steps, place) => [...steps, ...plan.slice(place, place + 1)]);
}
