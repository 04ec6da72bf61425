/** The texts of a request that the encoder reads, and nothing about what they mean. Pure. */
import type { PlanRequest } from "../../shared/planning.ts";
import type { TextToEncode } from "../world-model/encoder.ts";
import { wordsOfName } from "../world-model/lexicon.ts";
import { textOfTool } from "../world-model/tools.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import { splitClauses } from "./clauses.ts";

/** Older steps than these say nothing new about what to do next. */
const historyWindow = 16;

/** Characters of a goal that are read for its clauses: the encoder's window ends before. */
export const longestInstruction = 2_000;

/** A state longer than this is a conversation's, which never comes again; instructions come with every request. */
const longestRemembered = 2_000;

export const recentHistory = ({ history }: PlanRequest): PlanRequest["history"] =>
  history.slice(-historyWindow);

export type RequestTexts = {
  goal: TextToEncode;
  clauses: TextToEncode[];
  state: TextToEncode;
  actions: TextToEncode[];
  observation: TextToEncode[];
  tools: TextToEncode[];
};

export function textsOf(model: WorldModel, request: PlanRequest): RequestTexts {
  const { planning } = model.manifest;
  const goal = request.goal.trim() || planning.neutralGoal;
  const clauses = splitClauses(goal.slice(0, longestInstruction), model.lexicon.isVerb, planning.maxClauses);
  const recent = recentHistory(request);
  const lastSeen = recent.at(-1)?.observation.trim() ?? "";
  const state = request.state.trim() || lastSeen || planning.neutralState;
  return {
    goal: { text: goal, keep: "start", remember: false },
    clauses: clauses.length > 1 ? clauses.map((text) => ({ text, keep: "start", remember: false })) : [],
    // The newest part of a long state is what counts.
    state: { text: state, keep: "end", remember: state.length <= longestRemembered },
    actions: recent.map(({ action }) => ({
      text: wordsOfName(action).join(" "),
      keep: "start",
      remember: true,
    })),
    observation:
      lastSeen === ""
        ? []
        : [{ text: lastSeen, keep: "start", remember: false, maxTokens: planning.observation.maxTokens }],
    tools: request.tools.map((tool) => ({ text: textOfTool(tool), keep: "start", remember: true })),
  };
}
