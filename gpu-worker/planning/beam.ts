/** Beam search over plans: score = sum of ln p + weight x rise of goal proximity. Pure and deterministic. */
import type { PlanningConfig } from "../world-model/manifest.ts";
import { actAt, type Node, type Policy, proximityAt, stepFrom } from "./policy.ts";
import type { Situation } from "./situation.ts";

export type PlanStep = { row: number; probability: number; stateChange: number; node: Node };

/** A plan; `ended` once it chose to stop. Higher scores are better. */
type Entry = {
  steps: readonly PlanStep[];
  node: Node;
  logProbability: number;
  /** Weighted proximity of the node above the start's. */
  rise: number;
  score: number;
  ended: boolean;
};

export type BeamResult = { steps: readonly PlanStep[]; root: Policy };

export function searchPlan(
  situation: Situation,
  root: Node,
  maxSteps: number,
  config: PlanningConfig,
): BeamResult {
  const startProximity = proximityAt(situation, root);
  const first = actAt(situation, root, config);
  let beam: Entry[] = [{ steps: [], node: root, logProbability: 0, rise: 0, score: 0, ended: false }];
  for (let depth = 0; depth < maxSteps; depth++) {
    const grown = beam.flatMap((entry): Entry[] => {
      if (entry.ended) return [entry];
      const { probabilities } = depth === 0 ? first : actAt(situation, entry.node, config);
      return topRows(probabilities, config.branching).map((row) => {
        const probability = probabilities[row]!;
        const logProbability = entry.logProbability + Math.log(probability);
        if (row === probabilities.length - 1) {
          return { ...entry, logProbability, score: logProbability + entry.rise, ended: true };
        }
        const { node, stateChange } = stepFrom(situation, entry.node, row, config);
        const rise = config.valueWeight * (proximityAt(situation, node) - startProximity);
        const steps = [...entry.steps, { row, probability, stateChange, node }];
        return { steps, node, logProbability, rise, score: logProbability + rise, ended: false };
      });
    });
    beam = grown.sort((left, right) => right.score - left.score).slice(0, config.beamWidth);
    // Probability only falls and proximity ends at 1: what can no longer overtake a finished plan is dropped.
    const finished = Math.max(...beam.filter(({ ended }) => ended).map(({ score }) => score));
    const mostGain = config.valueWeight * (1 - startProximity);
    beam = beam.filter((entry) => entry.ended || entry.logProbability + mostGain > finished);
    if (beam.every(({ ended }) => ended)) break;
  }
  return { steps: beam[0]!.steps, root: first };
}

/** Indexes of the `count` highest values, highest first; equal values keep their order. */
export function topRows(values: Float64Array, count: number): number[] {
  const top: number[] = [];
  for (let i = 0; i < values.length; i++) {
    if (top.length === count && values[i]! <= values[top[count - 1]!]!) continue;
    let place = top.length;
    while (place > 0 && values[i]! > values[top[place - 1]!]!) place--;
    top.splice(place, 0, i);
    if (top.length > count) top.pop();
  }
  return top;
}
