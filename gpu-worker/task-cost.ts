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
import { maxParts } from "./planning/goal-text.ts";
import { eventTokens, maxTurns } from "./planning/session-events.ts";
import { maxTokensAhead, type PlanTask } from "./planning/tools-ahead.ts";
import { type Memory, memories, rememberedTexts } from "./world-model/encoder.ts";
import { textKey } from "./world-model/text-key.ts";

/** Tokens the encoder reads of one text at most, where it does not read all of it. */
const windowTokens = 256;
/** Tokens it reads of a state, as the checkpoints have it (`STATE_TOKENS` in training/texts.py). */
const stateTokens = 96;
/** English runs at 4 to 5 characters per WordPiece; 3 errs towards smaller batches. */
const charactersPerToken = 3;
const markerTokens = 2;

/** Estimated tokens of a text with this many characters. */
const tokensOf = (characters: number, limit = windowTokens): number =>
  Math.min(limit, Math.ceil(characters / charactersPerToken) + markerTokens);
const sum = (tokens: readonly number[]) => tokens.reduce((total, one) => total + one, 0);

/** Estimated tokens of a text that is embedded whole. */
export const estimateTextTokens = (text: string): number => tokensOf(text.length, maxEmbedTokens);

/**
 * `limit`: most tokens that are read of it. `memory`: the encoder's cache that keeps it, and `places`: how many entries it takes there,
 * one if absent.
 */
type ReadText = { text: string; limit: number; memory: Memory; places?: number };

/** A goal is kept with its parts and with what it denies, each of which has some words. */
const goalPlaces = (goal: string): number => 1 + Math.min(2 * maxParts, Math.ceil(goal.length / 24));
const readGoal = (goal: string, memory: Memory): ReadText => ({
  text: goal,
  limit: windowTokens,
  memory,
  places: goalPlaces(goal),
});

/** A goal counts up to the window, since it is read once more in parts; a tool does not if an earlier piece of the plan has read it. */
function textsOfPlan({ goal, state, history, turns, tools, readTools = [] }: PlanTask): ReadText[] {
  const memory = tools.length > 0 ? "session" : "passing";
  return [
    readGoal(goal, memory),
    {
      text: state.trim() || (history.at(-1)?.observation ?? ""),
      limit: tools.length > 0 ? eventTokens : stateTokens,
      memory,
    },
    ...history.map(({ action }): ReadText => ({ text: action, limit: windowTokens, memory })),
    ...turns.slice(-maxTurns).map(({ text }): ReadText => ({ text, limit: eventTokens, memory })),
    ...tools.slice(readTools.length).map(({ name, description }): ReadText => {
      return { text: `${name} ${description}`, limit: windowTokens, memory: "lasting" };
    }),
  ];
}

const textsOfRollout = ({ goal, initialState }: RolloutRequest): ReadText[] => [
  readGoal(goal, "passing"),
  { text: initialState ?? "", limit: stateTokens, memory: "passing" },
];

/** As if none of the texts had been seen before. */
const countTexts = (texts: readonly ReadText[]): number =>
  sum(texts.map(({ text, limit }) => tokensOf(text.length, limit)));

const estimates: { [Name in TaskName]: (request: TaskRequest<Name>) => number } = {
  plan: (request) => countTexts(textsOfPlan(request)),
  rollout: (request) => countTexts(textsOfRollout(request)),
  embed: ({ texts }: EmbedRequest) => sum(texts.map(estimateTextTokens)),
};

export function estimateTokens<Name extends TaskName>(task: Task & { name: Name }): number {
  return estimates[task.name as Name](task.request as TaskRequest<Name>);
}

/** Readers and heads take 2 to 10 ms for any plan or rollout in a batch; the encoder reads 15 tokens in a millisecond. */
const tokensOfTask = 64;
/** The same for each tool that is compared, or action that is followed. */
const tokensOfItem = 2;
export type Weigher = (task: Task, share: string) => number;

/**
 * Tells whether a text was seen lately. Keeps half of the entries of one of the encoder's caches: a text that counted as seen while the
 * encoder had to read it again would cost its account nothing. The least recently used is dropped first.
 */
function createSeen(size: number): (key: string, places: number) => boolean {
  const seen = new Map<string, number>();
  let taken = 0;
  const drop = (key: string): number => {
    const places = seen.get(key) ?? 0;
    seen.delete(key);
    taken -= places;
    return places;
  };
  return (key, places) => {
    const known = drop(key);
    // A goal is also one of the turns, which alone take one place.
    const most = Math.max(known, places);
    seen.set(key, most);
    taken += most;
    while (taken > size / 2) drop(seen.keys().next().value!);
    return known > 0;
  };
}

export function createWeigher(): Weigher {
  const seen = Object.fromEntries(
    memories.map((memory) => [memory, createSeen(rememberedTexts[memory])]),
  ) as Record<Memory, ReturnType<typeof createSeen>>;
  const tokensOfNew = (share: string, { text, limit, memory, places = 1 }: ReadText): number => {
    // Tools are remembered for all accounts together.
    const key = `${memory === "lasting" ? "" : share}${textKey(text)}`;
    return seen[memory](key, places) ? 0 : tokensOf(text.length, limit);
  };
  const weigh = (share: string, items: number, texts: readonly ReadText[]): number =>
    texts.reduce((sum, read) => sum + tokensOfNew(share, read), tokensOfTask + items * tokensOfItem);

  return (task, share) => {
    if (task.name === "embed") return estimateTokens(task);
    if (task.name === "rollout")
      return weigh(share, task.request.actions?.length ?? 0, textsOfRollout(task.request));
    const { tools, readTools }: PlanTask = task.request;
    // A plan counts as a whole at its first piece; this is how far its place moves back with each further one.
    if (readTools) return maxTokensAhead;
    return weigh(share, tools.length, textsOfPlan(task.request));
  };
}
