/** What is multiplied with the session reader's probabilities before a plan's first step. Pure. */
import type { PlanningConfig } from "../world-model/manifest.ts";
import type { Evidence } from "./evidence.ts";
import { mayAskSeveral } from "./goal-text.ts";

/**
 * At a session's first turn there is only a goal and a list of tools. The mixer was trained on far more such pairs than the reader,
 * so the two are multiplied there: the reader's probability to the power of 1 - trust, the mixer's to the power of trust (a
 * product of experts, Hinton 2002). The mixer's "none" is multiplied into the sum of the reader's endings, whose ratios stay.
 */
export function trustMixer(
  read: Float64Array,
  mixed: Float64Array,
  goal: string,
  { whole, inParts }: PlanningConfig["session"]["firstTurnTrust"],
): Float64Array {
  const tools = mixed.length - 1;
  const trust = mayAskSeveral(goal) ? inParts : whole;
  const ending = sumOf(read.subarray(tools));
  const weighed = read.map((chance, at) => {
    if (at < tools) return chance ** (1 - trust) * mixed[at]! ** trust;
    return ending === 0 ? 0 : (chance / ending) * ending ** (1 - trust) * mixed.at(-1)! ** trust;
  });
  const total = sumOf(weighed);
  return weighed.map((chance) => chance / total);
}

/**
 * Redistributes the tools' total probability among them by the evidence. The total stays, since an id in a result says little
 * about whether the work is done.
 */
export function weighEvidence(chances: Float64Array, { logOdds }: Evidence): Float64Array {
  if (logOdds.every((odds) => odds === 0)) return chances;
  const weighed = chances.map((chance, at) => chance * Math.exp(logOdds[at] ?? 0));
  const tools = logOdds.length;
  const total = sumOf(weighed.subarray(0, tools));
  const share = total === 0 ? 0 : sumOf(chances.subarray(0, tools)) / total;
  return weighed.map((chance, at) => (at < tools ? chance * share : chance));
}

const sumOf = (chances: Float64Array): number => chances.reduce((sum, chance) => sum + chance, 0);
