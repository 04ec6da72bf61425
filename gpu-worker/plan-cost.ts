/**
 * A cheap guess of what planning one request costs the encoder, made before anything is tokenised. Only
 * the batcher reads it: billing uses the tokens the encoder really read.
 */
import type { PlanRequest } from "../shared/planning.ts";

/** Texts to encode, and the tokens of the longest: what the others are padded to. */
export type PlanCost = { rows: number; longest: number };

/** Tokens the encoder reads of one text at most; longer texts are cut to their newest part. */
const windowTokens = 256;
/** English runs at 4 to 5 characters per WordPiece; 3 errs towards smaller batches. */
const charactersPerToken = 3;
const markerTokens = 2;

const tokensOf = (characters: number) =>
  Math.min(windowTokens, Math.ceil(characters / charactersPerToken) + markerTokens);

/** Costs of a request: its goal, its state with the history, and one row per tool. Reads lengths only. */
export function estimatePlanCost(request: PlanRequest): PlanCost {
  const historyCharacters = request.history.reduce(
    (sum, step) => sum + step.action.length + step.observation.length,
    0,
  );
  const toolCharacters = request.tools.map((tool) => tool.name.length + tool.description.length);
  const longest = Math.max(request.goal.length, request.state.length + historyCharacters, ...toolCharacters);
  return { rows: 2 + request.tools.length, longest: tokensOf(longest) };
}
