/** The texts of a request without tools that the encoder reads, and nothing about what they mean. Pure. */
import type { PlanRequest } from "../../shared/planning.ts";
import type { TextToEncode } from "../world-model/encoder.ts";
import { actionText } from "../world-model/text-templates.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import { splitGoal } from "./goal-parts.ts";

/** Older steps than these say nothing new about what to do next. */
const historyWindow = 16;

/** A state longer than this is a conversation's, which never comes again; instructions and goals come again. */
const longestRemembered = 2_000;
const memoryFor = (text: string) => (text.length <= longestRemembered ? "passing" : false);

export const recentHistory = ({ history }: PlanRequest): PlanRequest["history"] =>
  history.slice(-historyWindow);

export type RequestTexts = {
  goal: TextToEncode;
  state: TextToEncode;
  parts: TextToEncode[];
  /** Names of the steps already taken. */
  actions: TextToEncode[];
};

/** In the order in which they are encoded. */
export const listTexts = ({ goal, state, parts, actions }: RequestTexts): TextToEncode[] => [
  goal,
  state,
  ...parts,
  ...actions,
];

export function textsOf(model: WorldModel, request: PlanRequest): RequestTexts {
  const { neutralGoal, neutralState } = model.manifest.planning;
  const { goalTokens, stateTokens, toolTokens } = model.heads.settings;
  const recent = recentHistory(request);
  const goal = request.goal.trim() || neutralGoal;
  const state = request.state.trim() || recent.at(-1)?.observation.trim() || neutralState;
  const asGoal = (text: string): TextToEncode => {
    return { text, keep: "start", remember: memoryFor(text), maxTokens: goalTokens };
  };
  return {
    goal: asGoal(goal),
    parts: splitGoal(goal).map(asGoal),
    // The newest part of a long state is what counts.
    state: { text: state, keep: "end", remember: memoryFor(state), maxTokens: stateTokens },
    actions: recent.map(({ action }) => {
      return { text: actionText(action), keep: "start", remember: "passing", maxTokens: toolTokens };
    }),
  };
}
