/**
 * Tells the goals of a household robot from those of a person. A large share of the training data are errands of robots ("put a clean mug
 * in the coffee machine": walk, pick up, walk, clean, ...). They use the words of any household, so the decoder writes such a walk
 * for "turn on the TV" as well. So what only a robot does is planned only for a robot's goal. A goal is a robot's if most steps of the
 * history are such actions, if the state reads like what a robot sees, or if the library's nearest episodes are errands similar
 * enough to it, unless every part of the goal surely asks for something else.
 */
import type { PlanRequest } from "../../../shared/planning.ts";
import { sumChances } from "../../world-model/actions.ts";
import type { Recalled } from "../../world-model/plan-library.ts";
import { dot } from "../../world-model/vectors.ts";
import type { WorldModel } from "../../world-model/world-model.ts";
import { inOneCall } from "../in-one-call.ts";

type Planning = Pick<WorldModel, "table" | "manifest">;

function robotActions({ table, manifest }: Planning): ReadonlySet<number> {
  const ids = manifest.planning.robot.actions.map((name) => {
    const id = table.idOfName(name);
    if (id === undefined) throw new Error(`planning.robot.actions names ${name}, which is no action`);
    return id;
  });
  return new Set(ids);
}

const isMost = <One>(all: readonly One[], holds: (one: One) => boolean): boolean =>
  2 * all.filter(holds).length > all.length;

/** Whether an episode is a robot's errand: most of its actions are such as only a robot does. */
export function findErrands(model: Planning): (episode: Recalled) => boolean {
  const ids = robotActions(model);
  return ({ actions }) => isMost(actions, (id) => ids.has(id));
}

/**
 * What says whose goal it is: its text, the state, the steps taken, the nearest episodes. `parts`: vectors of the goal's parts, or of the
 * goal itself.
 */
type Signs = {
  request: Pick<PlanRequest, "state">;
  goal: Float32Array;
  parts: readonly Float32Array[];
  state: Float32Array;
  taken: readonly { name: string }[];
  recalled: readonly Recalled[];
};

/** Words of a state that speaks of a person, to an assistant, or of what is on a screen. */
const personal = /\b(?:i|i'm|my|me|user|assistant|customer|page|screen|site|cart)\b/iu;

/** For each goal, whether it is a robot's. */
export async function readRobots(model: WorldModel, goals: readonly Signs[]): Promise<boolean[]> {
  const { actions, opening, states, statesFrom, errandsFrom } = model.manifest.planning.robot;
  const { stateTokens } = model.heads.settings;
  const views = await model.encoder.encode(
    states.map((text) => ({ text, keep: "end", remember: "lasting", maxTokens: stateTokens })),
  );
  const isSeen = ({ request, state }: Signs) =>
    request.state.trim() === opening ||
    (!personal.test(request.state) && views.some(({ vector }) => dot(vector, state) >= statesFrom));
  // A single step may be a person's own: "wash the car".
  const hasBegun = ({ taken }: Signs) =>
    taken.length > 1 && isMost(taken, ({ name }) => actions.includes(name));
  const isErrand = findErrands(model);
  const acts = goals.map((goal) => hasBegun(goal) || isSeen(goal));
  const isNear = goals.map(({ recalled }, at) => !acts[at] && likenessTo(recalled, isErrand) >= errandsFrom);
  const persons = await findPersons(
    model,
    goals.filter((_, at) => isNear[at]),
  );
  return goals.map((goal, at) => acts[at]! || (isNear[at]! && !persons.has(goal)));
}

/** The goals whose every part surely asks for something that not only a robot does: "turn on the lamp and set an alarm". */
async function findPersons(model: WorldModel, goals: readonly Signs[]): Promise<ReadonlySet<Signs>> {
  const { table, heads, manifest } = model;
  const ids = robotActions(model);
  const lists = goals.map(({ goal, parts }) => parts.map((part) => ({ part, goal })));
  const read = await inOneCall(lists, heads.wishes);
  const isSure = (chances: Float32Array) => {
    const ofActions = chances.subarray(0, table.actions.length);
    const likeliest = ofActions.indexOf(Math.max(...ofActions));
    const ofVerb = sumChances(table.ofVerb(likeliest), chances);
    return !ids.has(likeliest) && ofVerb >= manifest.planning.wishes.wholeFrom;
  };
  return new Set(goals.filter((_, at) => read[at]!.every(isSure)));
}

/** Mean similarity of the recalled episodes, in which those that are no errands count 0: one errand in similar words is not enough. */
const likenessTo = (recalled: readonly Recalled[], isErrand: (episode: Recalled) => boolean): number =>
  recalled.reduce((sum, episode) => sum + (isErrand(episode) ? episode.similarity : 0), 0) /
  Math.max(1, recalled.length);

/**
 * The actions that are not to be proposed: for a person's goal those of a robot, unless a part of it asks for one ("slice the
 * array"). `asked`: the probabilities of every action by the reader of wishes, for each part that it read. It reads no part of a familiar
 * goal, and none once steps were taken.
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
