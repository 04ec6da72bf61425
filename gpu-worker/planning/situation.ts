/**
 * Encodes a batch of requests without tools: one encoder call for all their texts, then the latents of goal and state, the
 * memory of the steps already taken, the library's nearest episodes, and whether the goal is a robot's.
 */
import type { PlanRequest } from "../../shared/planning.ts";
import type { EncodedText, TextToEncode } from "../world-model/encoder.ts";
import type { Latent, Place } from "../world-model/heads.ts";
import type { Recalled } from "../world-model/plan-library.ts";
import { actionText } from "../world-model/text-templates.ts";
import { dot } from "../world-model/vectors.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import { findErrands, readRobots } from "./actions/robot-goals.ts";
import { inOneCall } from "./in-one-call.ts";
import { type Denial, readDenials } from "./message/denials.ts";
import { splitGoal } from "./message/goal-text.ts";
import { looksFailed } from "./session/events.ts";

/** Most steps that are read; older ones are left out. */
const historyWindow = 16;

const recentHistory = ({ history }: PlanRequest): PlanRequest["history"] => history.slice(-historyWindow);

export type Situation = {
  request: PlanRequest;
  /** Unit vectors of the goal, the state and the goal's parts, for the plan decoder. */
  goal: Float32Array;
  state: Float32Array;
  parts: readonly Float32Array[];
  /** The parts of the goal that say what not to do. */
  denied: readonly (Denial & { vector: Float32Array })[];
  /** The world model's starting point: latents of state and goal, memory of the steps already taken. */
  place: Place;
  /** Actions already taken, without those that failed. */
  taken: readonly TakenAction[];
  /** Cosine of the state's and the goal's latents. */
  proximity: number;
  /** What the library's episodes of the most similar goals did after as many steps as the request has taken. */
  recalled: readonly Recalled[];
  /** Whether the goal is a household robot's (robot-goals.ts). For a person's goal `recalled` has no robot's errands. */
  isRobots: boolean;
  /** Tokens that are charged: those of goal, state and actions. Parts and denials repeat words of the goal. */
  tokens: number;
};

/** Vectors of the goal's parts, or of the goal itself when it has one part. */
export const askingParts = ({ goal, parts }: Pick<Situation, "goal" | "parts">): readonly Float32Array[] =>
  parts.length > 0 ? parts : [goal];

/** `vector`: of the action's gloss; `input`: what the dynamics take. For a name outside the 903 both are the vector of its text. */
type TakenAction = { name: string; vector: Float32Array; input: Float32Array };

/** The texts of a request (`TextToEncode`), or what the encoder made of them (`EncodedText`). `actions`: the steps already taken. */
type Texts<Text> = { goal: Text; state: Text; parts: Text[]; denied: Text[]; actions: Text[] };

/** The texts in the order in which they are encoded. */
const listTexts = ({ goal, state, parts, denied, actions }: Texts<TextToEncode>): TextToEncode[] => [
  goal,
  state,
  ...parts,
  ...denied,
  ...actions,
];

/** One situation per request, in order. One call of the encoder for all texts, one of each head. */
export async function readSituations(
  model: WorldModel,
  requests: readonly PlanRequest[],
): Promise<Situation[]> {
  const denials = requests.map(({ goal }) => readDenials(goal));
  const texts = requests.map((request, at) => textsOf(model, request, denials[at]!));
  const encoded = await inOneCall(texts.map(listTexts), model.encoder.encode);
  const read = texts.map((of, at) => sortTexts(of, encoded[at]!));
  const latents = await inOneCall(
    read.map(({ goal, state }) => [goal.vector, state.vector]),
    model.heads.latents,
  );
  const taken = requests.map((request, at) => readTaken(model, request, read[at]!.actions));
  const memories = await foldHistory(
    model,
    taken.map((actions) => actions.map(({ input }) => input)),
  );
  const recalled = await recallEpisodes(
    model,
    read.map(({ goal, state, parts }, at) => ({
      request: requests[at]!,
      goal: goal.vector,
      state: state.vector,
      parts: parts.map(({ vector }) => vector),
      taken: taken[at]!,
    })),
  );
  return requests.map((request, at): Situation => {
    const { goal, state, parts, denied, actions } = read[at]!;
    const [ofGoal, ofState] = latents[at] as [Latent, Latent];
    return {
      request,
      goal: goal.vector,
      state: state.vector,
      parts: parts.map(({ vector }) => vector),
      denied: denials[at]!.map((one, row) => ({ ...one, vector: denied[row]!.vector })),
      place: { state: ofState.latent, goal: ofGoal.latent, history: memories[at]! },
      taken: taken[at]!,
      ...recalled[at]!,
      proximity: dot(ofState.latent, ofGoal.latent) / (ofState.magnitude * ofGoal.magnitude),
      tokens: [goal, state, ...actions].reduce((sum, { tokens }) => sum + tokens, 0),
    };
  });
}

function textsOf(model: WorldModel, request: PlanRequest, denials: readonly Denial[]): Texts<TextToEncode> {
  const { neutralGoal, neutralState } = model.manifest.planning;
  const { goalTokens, stateTokens, toolTokens } = model.heads.settings;
  const { share: owner } = request;
  const recent = recentHistory(request);
  const goal = request.goal.trim() || neutralGoal;
  const state = request.state.trim() || recent.at(-1)?.observation.trim() || neutralState;
  const asGoal = (text: string): TextToEncode => {
    return { text, keep: "start", remember: "passing", owner, maxTokens: goalTokens };
  };
  return {
    goal: asGoal(goal),
    parts: splitGoal(goal).map(asGoal),
    denied: denials.map(({ text }) => asGoal(text)),
    // Of a long state the newest part, its end, is read. It may be the same system prompt in each request.
    state: {
      text: state,
      keep: "end",
      maxTokens: stateTokens,
      ...(state === neutralState ? { remember: "lasting" } : { remember: "passing", owner }),
    },
    actions: recent.map(({ action }) => {
      return { text: actionText(action), keep: "start", remember: "passing", owner, maxTokens: toolTokens };
    }),
  };
}

/** Sorts encoded texts, given in the order of `listTexts`, by kind. */
function sortTexts(
  { parts, denied }: Texts<TextToEncode>,
  encoded: readonly EncodedText[],
): Texts<EncodedText> {
  const [goal, state] = encoded as [EncodedText, EncodedText];
  const deniedAt = 2 + parts.length;
  const actionsAt = deniedAt + denied.length;
  return {
    goal,
    state,
    parts: encoded.slice(2, deniedAt),
    denied: encoded.slice(deniedAt, actionsAt),
    actions: encoded.slice(actionsAt),
  };
}

/**
 * For each goal what the nearest episodes did after as many steps as were taken, and whether the goal is a robot's. An episode that was
 * over by then says nothing of the rest, and is left out; so are a robot's errands for a person's goal.
 */
export async function recallEpisodes(
  model: WorldModel,
  asked: readonly Pick<Situation, "request" | "goal" | "parts" | "state" | "taken">[],
): Promise<Pick<Situation, "recalled" | "isRobots">[]> {
  const nearest = await model.library.recall(asked);
  const robots = await readRobots(
    model,
    asked.map((goal, at) => ({ ...goal, parts: askingParts(goal), recalled: nearest[at]! })),
  );
  const isErrand = findErrands(model);
  return asked.map(({ taken }, at) => {
    const isRobots = robots[at]!;
    const recalled = nearest[at]!.filter((episode) => isRobots || !isErrand(episode))
      .map((episode) => ({ ...episode, actions: episode.actions.slice(taken.length) }))
      .filter(({ actions }) => actions.length > 0);
    return { recalled, isRobots };
  });
}

/**
 * The steps already taken, but for those whose results look like failures: a step that failed and its retry are one step, and the plan
 * may try again.
 */
function readTaken(model: WorldModel, request: PlanRequest, encoded: readonly EncodedText[]): TakenAction[] {
  return recentHistory(request).flatMap(({ action, observation }, step) => {
    if (looksFailed(observation)) return [];
    const id = model.table.idOfName(action);
    const { vector } = encoded[step]!;
    if (id === undefined) return [{ name: action, vector, input: vector }];
    return [{ name: action, vector: model.table.vectorOf(id), input: model.heads.actionVector(id) }];
  });
}

/** The memory after each list of steps. All lists advance together: one call of the heads for each step of the longest. */
async function foldHistory(
  { heads }: WorldModel,
  lists: readonly (readonly Float32Array[])[],
): Promise<Float32Array[]> {
  const memories = lists.map(() => heads.noHistory);
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  for (let step = 0; step < longest; step++) {
    const going = [...lists.keys()].filter((at) => lists[at]!.length > step);
    const next = await heads.remember(
      going.map((at) => ({ history: memories[at]!, action: lists[at]![step]! })),
    );
    for (const [row, at] of going.entries()) memories[at] = next[row]!;
  }
  return memories;
}
