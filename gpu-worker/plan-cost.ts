/**
 * A cheap guess of the tokens the encoder will read for one request, made from lengths alone, before
 * anything is tokenised. Only the batcher reads it: billing uses the tokens really read. The encoder runs
 * texts of equal length together and so pads nothing: a batch costs the sum of its requests.
 */
import type { PlanRequest } from "../shared/planning.ts";

/** Tokens the encoder reads of one text at most. */
const windowTokens = 256;
/** English runs at 4 to 5 characters per WordPiece; 3 errs towards smaller batches. */
const charactersPerToken = 3;
const markerTokens = 2;

const tokensOf = (characters: number) =>
  Math.min(windowTokens, Math.ceil(characters / charactersPerToken) + markerTokens);

/** Estimated tokens of a request, as if none of its tools had been seen before. */
export function estimatePlanTokens({ goal, state, history, tools }: PlanRequest): number {
  const texts = [
    goal.length,
    state.length,
    ...history.map((step) => step.action.length),
    history.at(-1)?.observation.length ?? 0,
    ...tools.map((tool) => tool.name.length + tool.description.length + tool.parameters.join(" ").length),
  ];
  return texts.reduce((sum, characters) => sum + tokensOf(characters), 0);
}
