/**
 * Estimates the tokens that the encoder will read for a task from the lengths of its texts, before anything is tokenised. For the
 * queue only: billing counts tokens that were read. The encoder packs texts of any length, so a batch costs the sum of its tasks.
 * Pure.
 */
import { type EmbedRequest, maxEmbedTokens } from "../shared/embedding.ts";
import type { PlanRequest } from "../shared/planning.ts";
import type { RolloutRequest } from "../shared/rollout.ts";
import type { Task, TaskName, TaskRequest } from "../shared/worker-tasks.ts";
import { eventTokens, maxTurns } from "./planning/session-events.ts";

/** Tokens the encoder reads of one text at most, where it does not read all of it. */
const windowTokens = 256;
/** English runs at 4 to 5 characters per WordPiece; 3 errs towards smaller batches. */
const charactersPerToken = 3;
const markerTokens = 2;

/** Of a text of so many characters. */
export const tokensOf = (characters: number, limit = windowTokens): number =>
  Math.min(limit, Math.ceil(characters / charactersPerToken) + markerTokens);
const sum = (tokens: readonly number[]) => tokens.reduce((total, one) => total + one, 0);

/** Estimated tokens of a text that is embedded whole. */
export const estimateTextTokens = (text: string): number => tokensOf(text.length, maxEmbedTokens);

const estimates: { [Name in TaskName]: (request: TaskRequest<Name>) => number } = {
  /** As if none of its tools had been seen before. */
  plan: ({ goal, state, history, turns, tools }: PlanRequest) =>
    sum([
      tokensOf(goal.length),
      tokensOf(state.length),
      ...history.map(({ action }) => tokensOf(action.length)),
      tokensOf(history.at(-1)?.observation.length ?? 0),
      ...turns.slice(-maxTurns).map(({ text }) => tokensOf(text.length, eventTokens)),
      ...tools.map(({ name, description }) => tokensOf(name.length + description.length)),
    ]),
  rollout: ({ goal, initialState }: RolloutRequest) =>
    tokensOf(goal.length) + tokensOf(initialState?.length ?? 0),
  embed: ({ texts }: EmbedRequest) => sum(texts.map(estimateTextTokens)),
};

export function estimateTokens<Name extends TaskName>(task: Task & { name: Name }): number {
  return estimates[task.name as Name](task.request as TaskRequest<Name>);
}
