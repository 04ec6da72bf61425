/** The texts of a request that the encoder reads, and nothing about what they mean. Pure. */
import type { PlanRequest } from "../../shared/planning.ts";
import type { TextToEncode } from "../world-model/encoder.ts";
import { actionText, sentencesOf, toolText } from "../world-model/text-templates.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import { splitClauses } from "./clauses.ts";

/** Older steps than these say nothing new about what to do next. */
const historyWindow = 16;

/** A state longer than this is a conversation's, which never comes again; instructions and goals come again. */
const longestRemembered = 2_000;
const memoryFor = (text: string) => (text.length <= longestRemembered ? "passing" : false);

/** Characters of a goal that are read for its clauses: the encoder's window ends before. */
const longestInstruction = 2_000;

export const recentHistory = ({ history }: PlanRequest): PlanRequest["history"] =>
  history.slice(-historyWindow);

export type RequestTexts = {
  goal: TextToEncode;
  /** The instructions the goal joins, in their order; none where it is one. */
  clauses: TextToEncode[];
  /** The sentences of a goal that is no chain of instructions, where there are tools to find in it. */
  sentences: TextToEncode[];
  state: TextToEncode;
  actions: TextToEncode[];
  observation: TextToEncode[];
  tools: TextToEncode[];
};

export function textsOf(model: WorldModel, request: PlanRequest): RequestTexts {
  const { planning } = model.manifest;
  const { goalTokens, stateTokens, toolTokens } = model.heads.settings;
  const recent = recentHistory(request);
  const lastSeen = recent.at(-1)?.observation.trim() ?? "";
  const state = request.state.trim() || lastSeen || planning.neutralState;
  const goal = request.goal.trim() || planning.neutralGoal;
  const clauses = splitClauses(goal.slice(0, longestInstruction), model.lexicon.isVerb, planning.maxClauses);
  const opensWithVerb = (clause: string) => {
    const [first = ""] = clause.toLowerCase().split(/[^\p{L}]+/u);
    return model.lexicon.isVerb(first);
  };
  // In a loop of tool calls the goal stays while the state moves on.
  const asGoal = (text: string): TextToEncode => {
    return { text, keep: "start", remember: memoryFor(text), maxTokens: goalTokens };
  };
  // A chain of instructions; where one is none (a name, a mood), the goal is read as a whole.
  const isChain = clauses.length > 1 && clauses.every(opensWithVerb);
  return {
    goal: asGoal(goal),
    clauses: isChain ? clauses.map(asGoal) : [],
    sentences: isChain || request.tools.length === 0 ? [] : sentencesOf(goal).map(asGoal),
    // The newest part of a long state is what counts.
    state: {
      text: state,
      keep: "end",
      remember: memoryFor(state),
      maxTokens: stateTokens,
    },
    actions: recent.map(({ action }) => ({
      text: actionText(action),
      keep: "start",
      remember: "passing",
      maxTokens: toolTokens,
    })),
    observation:
      lastSeen === ""
        ? []
        : [{ text: lastSeen, keep: "start", remember: false, maxTokens: planning.observation.maxTokens }],
    tools: request.tools.map((tool) => ({
      text: toolText(tool),
      keep: "start",
      remember: "lasting",
      maxTokens: toolTokens,
    })),
  };
}
