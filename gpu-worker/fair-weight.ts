/**
 * What a task counts for in its account's share of the threads, in tokens that the encoder reads. Batches and queues are bounded by the
 * tokens of its texts (token-estimates.ts); its cost is another: a plan over thirty tools that were seen before takes 5.6 ms and one for a
 * single letter 2.3, where their texts have 2,670 and 6 tokens. By these, who floods the worker with letters had a hundred times
 * the share of who works with tools.
 */
import type { Task } from "../shared/worker-tasks.ts";
import { estimateTokens, tokensOf } from "./token-estimates.ts";

/** The readers and heads that any plan or rollout runs take 2 to 10 ms in a batch; the encoder reads 15 tokens in one. */
const tokensOfTask = 64;
/** The same for one more tool that is compared, or one more action that is followed. */
const tokensOfItem = 2;
/** Texts known to have been encoded: half of what the encoder itself remembers of tools, the least of its memories but one. */
const maxSeen = 4_096;
/** No longer ones are remembered, as each is kept here as it is. */
const maxSeenChars = 1_000;

export type Weigher = (task: Task, share: string) => number;

export function createWeigher(): Weigher {
  // The one unused longest goes first.
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
      // Tools are remembered for all accounts together.
      ...tools.map(({ name, description }) => ["", `${name} ${description}`] as const),
    ]);
  };
}
