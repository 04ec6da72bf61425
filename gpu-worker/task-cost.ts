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
import { splitGoal } from "./planning/goal-text.ts";
import { maxTokensAhead, type PlanTask } from "./planning/read-ahead.ts";
import { eventTokens, maxTurns } from "./planning/session-events.ts";
import { textKey } from "./world-model/text-key.ts";
import { estimateTextTokens } from "./world-model/token-estimate.ts";

/** Tokens that are read of a goal or a part of it, of a state and of a tool, as the checkpoints have it (training/texts.py). */
const goalTokens = 96;
const stateTokens = 96;
const toolTokens = 64;

const sum = (tokens: readonly number[]) => tokens.reduce((total, one) => total + one, 0);

/** Estimated tokens of a text that is embedded whole. */
export const estimateEmbedTokens = (text: string): number => estimateTextTokens(text, maxEmbedTokens);

/** `limit`: most tokens that are read of it. `isTool`: remembered for all accounts together. */
type TextOfTask = { text: string; limit: number; isTool?: true };

/** A goal is read whole, and again in parts. */
const textsOfGoal = (goal: string): TextOfTask[] =>
  [goal, ...splitGoal(goal)].map((text) => ({ text, limit: goalTokens }));

const textsOfPlan = ({ goal, state, history, turns, tools }: PlanTask): TextOfTask[] => [
  ...textsOfGoal(goal),
  {
    text: state.trim() || (history.at(-1)?.observation ?? ""),
    limit: tools.length > 0 ? eventTokens : stateTokens,
  },
  ...history.map(({ action }) => ({ text: action, limit: toolTokens })),
  ...turns.slice(-maxTurns).map(({ text }) => ({ text, limit: eventTokens })),
  ...tools.map(({ name, description }): TextOfTask => {
    return { text: `${name} ${description}`, limit: toolTokens, isTool: true };
  }),
];

const textsOfRollout = ({ goal, initialState }: RolloutRequest): TextOfTask[] => [
  ...textsOfGoal(goal),
  { text: initialState ?? "", limit: stateTokens },
];

/** As if none of the texts had been seen before. */
const countTexts = (texts: readonly TextOfTask[]): number =>
  sum(texts.map(({ text, limit }) => estimateTextTokens(text, limit)));

const estimates: { [Name in TaskName]: (request: TaskRequest<Name>) => number } = {
  /** Without what earlier pieces of the plan have read. */
  plan: ({ readTexts = [], ...request }: PlanTask) =>
    Math.max(0, countTexts(textsOfPlan(request)) - sum(readTexts.map(({ tokens }) => tokens))),
  rollout: (request) => countTexts(textsOfRollout(request)),
  embed: ({ texts }: EmbedRequest) => sum(texts.map(estimateEmbedTokens)),
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

export type Weigher = (task: Task, share: string) => number;

export function createWeigher(): Weigher {
  // The least recently used text is dropped first.
  const seen = new Set<string>();
  const tokensOfNew = (share: string, { text, limit, isTool }: TextOfTask): number => {
    const key = `${isTool ? "" : share}${textKey(text)}`;
    const isNew = !seen.delete(key);
    seen.add(key);
    if (seen.size > maxSeen) seen.delete(seen.values().next().value!);
    return isNew ? estimateTextTokens(text, limit) : 0;
  };
  const weigh = (share: string, items: number, texts: readonly TextOfTask[]): number =>
    texts.reduce((sum, read) => sum + tokensOfNew(share, read), tokensOfTask + items * tokensOfItem);

  return (task, share) => {
    if (task.name === "embed") return estimateTokens(task);
    if (task.name === "rollout")
      return weigh(share, task.request.actions?.length ?? 0, textsOfRollout(task.request));
    const { tools, readTexts }: PlanTask = task.request;
    // A plan counts as a whole at its first piece; this is how far its place moves back with each further one.
    if (readTexts) return maxTokensAhead;
    return weigh(share, tools.length, textsOfPlan(task.request));
  };
}
