/**
 * Draws whole plans over the 903 actions from the plan decoder.
 * Arithmetic sampling (Vilnis et al. 2023): proposal i follows the code (i + 1/2) / n through the cumulative probabilities.
 * So the proposals spread over the distribution and are the same each time.
 */
import { actionIds } from "../world-model/actions.ts";
import { type MemoryRow, memoryRows } from "../world-model/plan-decoder.ts";
import { sumExponentials } from "../world-model/vectors.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import type { Proposal } from "./agreement.ts";
import type { Situation } from "./situation.ts";

/** The first actions that several proposals share, and the codes of those proposals, rescaled to continue from here. */
type Beginning = {
  owner: number;
  hidden: Float32Array;
  actions: readonly number[];
  codes: readonly number[];
};

/** No plan holds these; `end` closes one. */
const neverTaken: ReadonlySet<number> = new Set([
  actionIds.pad,
  actionIds.unk,
  actionIds.start,
  actionIds.noop,
]);

/** The vectors of a situation that the decoder attends to. */
function memoryOf({ goal, state, parts, taken }: Situation): MemoryRow[] {
  const recent = taken.slice(-memoryRows.taken).reverse();
  return [
    { at: memoryRows.goal, vector: goal },
    { at: memoryRows.state, vector: state },
    ...parts.slice(0, memoryRows.parts).map((vector, at) => ({ at: memoryRows.firstPart + at, vector })),
    ...recent.map(({ vector }, at) => ({ at: memoryRows.firstTaken + at, vector })),
  ];
}

/**
 * The proposals of each situation, in order. An empty proposal means that nothing is left to do. All situations step together,
 * and a common beginning of several proposals is decoded once.
 */
export async function proposePlans(
  model: WorldModel,
  situations: readonly Situation[],
): Promise<Proposal[][]> {
  const { proposals: sampling } = model.manifest.planning;
  const found: Proposal[][] = situations.map(() => []);
  if (situations.length === 0) return found;
  const { hidden, step } = await model.decoder.open(situations.map(memoryOf));
  const codes = Array.from({ length: sampling.samples }, (_, i) => (i + 0.5) / sampling.samples);
  let live = situations.map((_, owner): Beginning => ({ owner, hidden: hidden[owner]!, actions: [], codes }));
  while (live.length > 0) {
    const results = await step(
      live.map(({ owner, hidden, actions }) => {
        return { owner, hidden, last: actions.at(-1) ?? actionIds.start };
      }),
    );
    live = live.flatMap((beginning, row) => {
      const { owner, actions } = beginning;
      const { hidden, logits } = results[row]!;
      const grown: Beginning[] = [];
      for (const [action, left] of groupCodes(logits, beginning.codes, sampling)) {
        const isDone = action === actionIds.end;
        const longer = isDone ? actions : [...actions, action];
        if (isDone || longer.length === situations[owner]!.request.maxSteps)
          found[owner]!.push({ actions: longer, weight: left.length / sampling.samples });
        else grown.push({ owner, hidden, actions: longer, codes: left });
      }
      return grown;
    });
  }
  return found;
}

type Share = { action: number; share: number };

/**
 * The actions above `leastChance`, likeliest first, with probabilities that are rescaled to sum to 1. Overwrites the logits of
 * `neverTaken`.
 */
function likelyActions(
  logits: Float32Array,
  { temperature, leastChance }: { temperature: number; leastChance: number },
): Share[] {
  for (const id of neverTaken) logits[id] = Number.NEGATIVE_INFINITY;
  let peak = Number.NEGATIVE_INFINITY;
  for (let id = 0; id < logits.length; id++) if (logits[id]! > peak) peak = logits[id]!;
  const weightOf = (id: number) => Math.exp((logits[id]! - peak) / temperature);
  // At most 1, so that the likeliest action stays even when the distribution is flat.
  const least = Math.min(1, leastChance * sumExponentials(logits, peak, temperature));
  const lowest = peak + temperature * Math.log(least);
  const likely: Share[] = [];
  let total = 0;
  for (let id = 0; id < logits.length; id++) {
    if (logits[id]! < lowest) continue;
    likely.push({ action: id, share: weightOf(id) });
    total += likely.at(-1)!.share;
  }
  likely.sort((left, right) => right.share - left.share || left.action - right.action);
  return likely.map(({ action, share }) => ({ action, share: share / total }));
}

/** The codes grouped by the action whose interval they fall in, each rescaled to 0-1 within it: its code for the next step. */
function groupCodes(
  logits: Float32Array,
  codes: readonly number[],
  sampling: { temperature: number; leastChance: number },
): Map<number, number[]> {
  const shares = likelyActions(logits, sampling);
  const taken = new Map<number, number[]>();
  for (const code of codes) {
    let low = 0;
    let at = 0;
    while (at < shares.length - 1 && low + shares[at]!.share <= code) low += shares[at++]!.share;
    const { action, share } = shares[at]!;
    const left = Math.min(Math.max((code - low) / share, 0), 1 - 1e-9);
    const others = taken.get(action);
    if (others) others.push(left);
    else taken.set(action, [left]);
  }
  return taken;
}
