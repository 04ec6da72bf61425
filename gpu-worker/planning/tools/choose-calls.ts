/**
 * Which tools the plan for a conversation's first message calls. The reader of sessions is asked for one tool after the other, finds
 * too late that nothing is left to do where it knows little of the tools, and passes over parts of the message. The mixer reads each
 * part, but neither an unnamed step nor the other parts. So a logistic regression over what both say gives each tool the probability
 * that it is called at all. Pure.
 */
import type { PlanningConfig } from "../../world-model/planning-config.ts";
import { sigmoid } from "../../world-model/vectors.ts";

type Config = PlanningConfig["session"]["calls"];

/** A planned call: the row of its tool, and its probability. */
export type ToolStep = { tool: number; probability: number };
/** `peaks`: the highest probability that the reader gave each tool before any step. */
type ReadPlan = { steps: readonly ToolStep[]; peaks: Float64Array };

/** What both readers say of a tool; training/fits/calls_fit.py fits the weights. */
export type CallEvidence = {
  /** Ln odds of the mixer's probability in the part that gives the tool most. */
  part: number;
  /** Ln of the probability that this part asks for no tool. */
  none: number;
  /** 1 if that part gives no other tool more. */
  leads: number;
  /** Ln odds of the highest probability that the reader gave the tool before a step of its plan. */
  reader: number;
  /** 1 if the reader's plan has the tool. */
  planned: number;
};

const features = ["part", "none", "leads", "reader", "planned"] as const satisfies (keyof CallEvidence)[];

/** Bounds the logarithms. */
const least = 1e-4;
const logOdds = (chance: number): number => Math.log(Math.max(chance, least) / Math.max(1 - chance, least));

/** One row per tool. `mixedParts`: for each part of the message, the mixer's probability of each tool and, last, of none. */
export function readCallEvidence(
  { steps, peaks }: ReadPlan,
  mixedParts: readonly Float64Array[],
): CallEvidence[] {
  const planned = new Set(steps.map(({ tool }) => tool));
  const leading = mixedParts.map((chances) => Math.max(...chances.subarray(0, -1)));
  return Array.from(peaks, (peak, tool) => {
    const chances = mixedParts.map((part) => part[tool]!);
    const most = Math.max(...chances);
    const part = chances.indexOf(most);
    return {
      part: logOdds(most),
      none: Math.log(Math.max(mixedParts[part]!.at(-1)!, least)),
      leads: Number(most === leading[part]),
      reader: logOdds(peak),
      planned: Number(planned.has(tool)),
    };
  });
}

/**
 * How many of the likeliest calls a plan holds: those with the highest F-measure (van Rijsbergen 1979) against the calls that are made,
 * where the ratio of expectations stands for the expected ratio. `recall`: how much a missing call weighs beside one too many.
 * `chances`: likeliest first.
 */
function countCalls(chances: readonly number[], recall: number): number {
  const expected = chances.reduce((sum, chance) => sum + chance, 0);
  let right = 0;
  let best = { count: 1, score: Number.NEGATIVE_INFINITY };
  for (const [at, chance] of chances.entries()) {
    right += chance;
    const score = right / (at + 1 + recall * expected);
    if (score > best.score) best = { count: at + 1, score };
  }
  return best.count;
}

/**
 * The calls of a plan that does not stop at once, with their probabilities: those of the reader's plan in its order, then the others
 * by tool. The reader's first stays: what is looked up before the work is named by no part. A tool that is ruled out has had no
 * probability before any step, and is not called.
 */
export function chooseCalls(
  plan: ReadPlan,
  mixedParts: readonly Float64Array[],
  { weights, shift, recall }: Omit<Config, "firstFrom">,
): ToolStep[] {
  const likely = readCallEvidence(plan, mixedParts)
    .map((evidence, tool): ToolStep => {
      const score = features.reduce((sum, name) => sum + weights[name] * evidence[name], shift);
      return { tool, probability: sigmoid(score) };
    })
    .filter(({ tool }) => plan.peaks[tool]! > 0)
    .sort((left, right) => right.probability - left.probability);
  const count = countCalls(
    likely.map(({ probability }) => probability),
    recall,
  );
  const placeOf = ({ tool }: ToolStep) => {
    const place = plan.steps.findIndex((step) => step.tool === tool);
    return place === -1 ? plan.steps.length + tool : place;
  };
  const first = plan.steps[0]!.tool;
  return likely
    .filter(({ tool }, at) => at < count || tool === first)
    .sort((left, right) => placeOf(left) - placeOf(right));
}
