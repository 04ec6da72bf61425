/**
 * What a task counts in its account's share of the threads, in tokens of the encoder. The tokens of its texts
 * (token-estimates.ts) bound batches and queues, but are not its cost: a plan over thirty known tools takes 5.6 ms and one for a
 * single letter 2.3 ms, while their texts have 2,670 and 6 tokens. Weighed by text tokens, an account that floods the worker with
 * letters would get a hundred times the share of one that works with tools.
 */
import type { Task } from "../shared/worker-tasks.ts";
import { estimateTokens, tokensOf } from "./token-estimates.ts";

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
    const { goal, state, history, turns, tools } = task.request;
    const own = [goal, state, ...history.map(({ action }) => action), ...turns.map(({ text }) => text)];
    return weigh(tools.length, [
      ...own.map((text) => [share, text] as const),
      // Tools are remembered for all accounts together, so they need no owner.
      ...tools.map(({ name, description }) => ["", `${name} ${description}`] as const),
    ]);
  };
}
