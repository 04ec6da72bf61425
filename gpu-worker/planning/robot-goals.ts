/**
 * Tells the goals of a household robot from those of a person. A large share of the training data are errands of robots ("put a clean mug
 * in the coffee machine": walk, pick up, walk, clean, ...). They use the words of any household, so the decoder writes such a walk
 * for "turn on the TV" as well. What only a robot does is therefore planned only where one acts: the history is mostly of such actions,
 * the state reads like what a robot sees, or the library's nearest episodes are all errands and near.
 */
import type { Recalled } from "../world-model/plan-library.ts";
import { dot } from "../world-model/vectors.ts";
import type { WorldModel } from "../world-model/world-model.ts";

type Planning = Pick<WorldModel, "table" | "manifest">;

const robotActions = ({ table, manifest }: Planning): ReadonlySet<number> =>
  new Set(manifest.planning.robot.actions.map((name) => table.idOfName(name)!));

const isMost = <One>(all: readonly One[], holds: (one: One) => boolean): boolean =>
  2 * all.filter(holds).length > all.length;

/** Whether an episode is a robot's errand: most of its actions are such as only a robot does. */
export function findErrands(model: Planning): (episode: Recalled) => boolean {
  const ids = robotActions(model);
  return ({ actions }) => isMost(actions, (id) => ids.has(id));
}

/** What says whose goal it is: the state's vector, the steps taken, the nearest episodes. */
type Signs = {
  state: Float32Array;
  taken: readonly { name: string }[];
  recalled: readonly Recalled[];
};

/** For each goal, whether it is a robot's. */
export async function readRobots(model: WorldModel, goals: readonly Signs[]): Promise<boolean[]> {
  const { actions, states, statesFrom, errandsFrom } = model.manifest.planning.robot;
  const { stateTokens } = model.heads.settings;
  const views = await model.encoder.encode(
    states.map((text) => ({ text, keep: "end", remember: "lasting", maxTokens: stateTokens })),
  );
  const isErrand = findErrands(model);
  return goals.map(
    ({ state, taken, recalled }) =>
      isMost(taken, ({ name }) => actions.includes(name)) ||
      views.some(({ vector }) => dot(vector, state) >= statesFrom) ||
      likenessTo(recalled, isErrand) >= errandsFrom,
  );
}

/** Mean similarity of the recalled episodes that are errands; the others count 0, so a single one of a like wording is not enough. */
const likenessTo = (recalled: readonly Recalled[], isErrand: (episode: Recalled) => boolean): number =>
  recalled.reduce((sum, episode) => sum + (isErrand(episode) ? episode.similarity : 0), 0) /
  Math.max(1, recalled.length);

/**
 * The actions that are not to be proposed: for a person's goal those of a robot, unless a part of it asks for one ("slice the
 * array"). `asked`: the reader of wishes' probabilities of every action, for each part that was read.
 */
export function barActions(
  model: Planning,
  { isRobots }: { isRobots: boolean },
  asked: readonly Float32Array[],
): readonly number[] {
  if (isRobots) return [];
  const { askedFrom } = model.manifest.planning.robot;
  return [...robotActions(model)].filter((id) => !asked.some((chances) => chances[id]! >= askedFrom));
}
