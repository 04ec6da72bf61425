/**
 * A cheap guess of the tokens the encoder will read for one task, made from lengths alone, before anything
 * is tokenised. Only the queue reads it: billing uses the tokens really read. The encoder runs texts of
 * equal length together and so pads nothing: a batch costs the sum of its tasks.
 */
import { type EmbedRequest, maxEmbedTokens } from "../shared/embedding.ts";
import type { PlanRequest } from "../shared/planning.ts";
import type { RolloutRequest } from "../shared/rollout.ts";
import type { Task, TaskName, TaskRequest } from "../shared/worker-tasks.ts";

/** Tokens the encoder reads of one text at most, where it does not read all of it. */
const windowTokens = 256;
/** English runs at 4 to 5 characters per WordPiece; 3 errs towards smaller batches. */
const charactersPerToken = 3;
const markerTokens = 2;

const tokensOf = (characters: number, most = windowTokens) =>
  Math.min(most, Math.ceil(characters / charactersPerToken) + markerTokens);
const sum = (tokens: readonly number[]) => tokens.reduce((total, one) => total + one, 0);

/** Estimated tokens of a text that is embedded whole. */
export const estimateTextTokens = (text: string): number => tokensOf(text.length, maxEmbedTokens);

const estimates: { [Name in TaskName]: (request: TaskRequest<Name>) => number } = {
  /** As if none of its tools had been seen before. */
  plan: ({ goal, state, history, tools }: PlanRequest) =>
    sum(
      [
        goal.length,
        state.length,
        ...history.map((step) => step.action.length),
        history.at(-1)?.observation.length ?? 0,
        ...tools.map((tool) => tool.name.length + tool.description.length + tool.parameters.join(" ").length),
      ].map((characters) => tokensOf(characters)),
    ),
  rollout: ({ goal, initialState }: RolloutRequest) =>
    tokensOf(goal.length) + tokensOf(initialState?.length ?? 0),
  embed: ({ texts }: EmbedRequest) => sum(texts.map(estimateTextTokens)),
};

export function estimateTokens<Name extends TaskName>(task: Task & { name: Name }): number {
  return estimates[task.name as Name](task.request as TaskRequest<Name>);
}
