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
import { splitGoal } from "./planning/message/goal-text.ts";
import { maxTokensAhead, type PlanTask } from "./planning/read-ahead.ts";
import { eventTokens, maxTurns } from "./planning/session/events.ts";
import { type CacheName, cacheNames, textCacheSizes } from "./world-model/encoder.ts";
import { createFairCache, textKey } from "./world-model/fair-cache.ts";
import { estimateTextTokens } from "./world-model/token-estimate.ts";

/** Tokens that are read of a goal or a part of it, of a state and of a tool, as the checkpoints have it (training/texts/templates.py). */
const goalTokens = 96;
const stateTokens = 96;
const toolTokens = 64;

const sum = (tokens: readonly number[]) => tokens.reduce((total, one) => total + one, 0);

/** Estimated tokens of a text that is embedded whole. */
export const estimateEmbedTokens = (text: string): number => estimateTextTokens(text, maxEmbedTokens);

/**
 * `limit`: most tokens that are read of it. `cache`: the encoder's cache that keeps it, and `places`: how many entries it takes there,
 * one if absent.
 */
type TextOfTask = { text: string; limit: number; cache: CacheName; places?: number };

/** A goal is read whole, and again in parts. Two places each: what it denies is cached as a text of its own. */
const textsOfGoal = (goal: string, cache: CacheName): TextOfTask[] =>
  [goal, ...splitGoal(goal)].map((text) => ({ text, limit: goalTokens, cache, places: 2 }));

function textsOfPlan({ goal, state, history, turns, tools }: PlanTask): TextOfTask[] {
  const cache = tools.length > 0 ? "session" : "passing";
  return [
    ...textsOfGoal(goal, cache),
    {
      text: state.trim() || (history.at(-1)?.observation ?? ""),
      limit: tools.length > 0 ? eventTokens : stateTokens,
      cache,
    },
    ...history.map(({ action }): TextOfTask => ({ text: action, limit: toolTokens, cache })),
    ...turns.slice(-maxTurns).map(({ text }): TextOfTask => ({ text, limit: eventTokens, cache })),
    ...tools.map(({ name, description }): TextOfTask => {
      return { text: `${name} ${description}`, limit: toolTokens, cache: "lasting" };
    }),
  ];
}

const textsOfRollout = ({ goal, initialState }: RolloutRequest): TextOfTask[] => [
  ...textsOfGoal(goal, "passing"),
  { text: initialState ?? "", limit: stateTokens, cache: "passing" },
];

/** As if none of the texts had been seen before. */
const countTexts = (texts: readonly TextOfTask[]): number =>
  sum(texts.map(({ text, limit }) => estimateTextTokens(text, limit)));

const estimates: { [Name in TaskName]: (request: TaskRequest<Name>) => number } = {
  /** What is left to read: without the texts that earlier pieces of the plan have read. */
  plan: ({ readTexts = [], ...request }: PlanTask) =>
    Math.max(0, countTexts(textsOfPlan(request)) - sum(readTexts.map(({ tokens }) => tokens))),
  rollout: (request) => countTexts(textsOfRollout(request)),
  embed: ({ texts }: EmbedRequest) => sum(texts.map(estimateEmbedTokens)),
};

export function estimateTokens<Name extends TaskName>(task: Task & { name: Name }): number {
  return estimates[task.name as Name](task.request as TaskRequest<Name>);
}

/**
 * Weight of a plan or rollout beside its texts, in tokens: readers and heads take 2 to 10 ms for it, and the encoder reads 15 tokens in
 * a millisecond.
 */
const tokensOfTask = 64;
/** Weight of each tool that is compared, or action that is followed. */
const tokensOfItem = 2;
export type Weigher = (task: Task, share: string) => number;

/**
 * Remembers the texts that one of the encoder's caches should hold, to tell whether a text costs a run. It has half of that cache's
 * places: it forgets a text before the cache does, since one that counted as seen but is read again would cost its account nothing.
 */
function createSeen(
  size: number,
  now: () => number,
): (key: string, owner: string, places: number) => boolean {
  const seen = createFairCache<number>(size / 2, now);
  return (key, owner, places) => {
    const known = seen.use(key);
    // A goal is also one of the turns, which alone take one place.
    if (known === undefined || known < places) {
      seen.remove(key);
      seen.add(key, owner, places, places);
    }
    while (seen.taken() > size / 2) seen.evict();
    return known !== undefined;
  };
}

/** Weighs tasks for the fair queue, in tokens; each call marks the task's texts as seen. `now`: milliseconds, monotonic. */
export function createWeigher(now: () => number): Weigher {
  const seen = Object.fromEntries(
    cacheNames.map((name) => [name, createSeen(textCacheSizes[name], now)]),
  ) as Record<CacheName, ReturnType<typeof createSeen>>;
  const tokensOfNew = (share: string, { text, limit, cache, places = 1 }: TextOfTask): number => {
    // Tools are remembered for all accounts together.
    const key = `${cache === "lasting" ? "" : share}${textKey(text)}`;
    return seen[cache](key, share, places) ? 0 : estimateTextTokens(text, limit);
  };
  const weigh = (share: string, items: number, texts: readonly TextOfTask[]): number =>
    texts.reduce((total, read) => total + tokensOfNew(share, read), tokensOfTask + items * tokensOfItem);

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
