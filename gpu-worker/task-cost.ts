/**
 * What a task counts in the queue, estimated before anything is tokenised; billing counts tokens that were read. In a batch it counts
 * the tokens of its texts, since the encoder packs texts of any length into a run. In its account's share of the threads it counts
 * its cost: a plan over thirty known tools takes 5.6 ms and one for a single letter 2.3 ms, while their texts have 2,670 and 6
 * tokens. Weighed by text tokens, an account that floods the worker with letters would get a hundred times the share of one that
 * works with tools.
 */
import { type EmbedRequest, maxEmbedTokens } from "../shared/embedding.ts";
import type { RolloutRequest } from "../shared/rollout.ts";
import type { Task, TaskName, TaskRequest } from "../shared/worker-tasks.ts";
import { eventTokens, maxTurns } from "./planning/session-events.ts";
import { maxTokensAhead, type PlanTask } from "./planning/tools-ahead.ts";

/** Tokens the encoder reads of one text at most, where it does not read all of it. */
const windowTokens = 256;
/** English runs at 4 to 5 characters per WordPiece; 3 errs towards smaller batches. */
const charactersPerToken = 3;
const markerTokens = 2;

/** Estimated tokens of a text with this many characters. */
const tokensOf = (characters: number, limit = windowTokens): number =>
  Math.min(limit, Math.ceil(characters / charactersPerToken) + markerTokens);
const sum = (tokens: readonly number[]) => tokens.reduce((total, one) => total + one, 0);

/** Estimated tokens of a text that is embedded whole. */
export const estimateTextTokens = (text: string): number => tokensOf(text.length, maxEmbedTokens);

const estimates: { [Name in TaskName]: (request: TaskRequest<Name>) => number } = {
  /** As if none of its tools had been seen before, but for those that an earlier piece has read. */
  plan: ({ goal, state, history, turns, tools, readTools = [] }: PlanTask) =>
    sum([
      tokensOf(goal.length),
      tokensOf(state.length),
      ...history.map(({ action }) => tokensOf(action.length)),
      tokensOf(history.at(-1)?.observation.length ?? 0),
      ...turns.slice(-maxTurns).map(({ text }) => tokensOf(text.length, eventTokens)),
      ...tools
        .slice(readTools.length)
        .map(({ name, description }) => tokensOf(name.length + description.length)),
    ]),
  rollout: ({ goal, initialState }: RolloutRequest) =>
    tokensOf(goal.length) + tokensOf(initialState?.length ?? 0),
  embed: ({ texts }: EmbedRequest) => sum(texts.map(estimateTextTokens)),
};

export function estimateTokens<Name extends TaskName>(task: Task & { name: Name }): number {
  return estimates[task.name as Name](task.request as TaskRequest<Name>);
}

/** Readers and heads take 2 to 10 ms for any plan or rollout in a batch; the encoder reads 15 tokens in a millisecond. */
const tokensOfTask = 64;
/** The same for each tool that is compared, or action that is followed. */
const tokensOfItem = 2;
/** Texts known to have been encoded: half of the number of tools that the encoder remembers. */
const maxSeen = 4_096;
/** Longer texts are not remembered, since they are stored here uncut. */
const maxSeenChars = 1_000;

export type Weigher = (task: Task, share: string) => number;

export function createWeigher(): Weigher {
  // The least recently used text is dropped first.
  const seen = new Set<string>();
  const tokensOfNew = (owner: string, text: string): number => {
    if (text.length > maxSeenChars) return tokensOf(text.length);
    const key = `${owner}\n${text}`;
    const isNew = !seen.delete(key);
    seen.add(key);
    if (seen.size > maxSeen) seen.delete(seen.values().next().value!);
    return isNew ? tokensOf(text.length) : 0;
  };
  const weigh = (items: number, texts: readonly (readonly [owner: string, text: string])[]): number =>
    texts.reduce((sum, [owner, text]) => sum + tokensOfNew(owner, text), tokensOfTask + items * tokensOfItem);

  return (task, share) => {
    if (task.name === "embed") return estimateTokens(task);
    if (task.name === "rollout") {
      const { goal, initialState = "", actions = [] } = task.request;
      return weigh(actions.length, [
        [share, goal],
        [share, initialState],
      ]);
    }
    const { goal, state, history, turns, tools, readTools }: PlanTask = task.request;
    // A plan counts as a whole at its first piece; this is how far its place moves back with each further one.
    if (readTools) return maxTokensAhead;
    const own = [goal, state, ...history.map(({ action }) => action), ...turns.map(({ text }) => text)];
    return weigh(tools.length, [
      ...own.map((text) => [share, text] as const),
      // Tools are remembered for all accounts together, so they need no owner.
      ...tools.map(({ name, description }) => ["", `${name} ${description}`] as const),
    ]);
  };
}
