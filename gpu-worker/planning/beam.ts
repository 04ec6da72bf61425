/**
 * Beam search over plans, of many requests at once: score = sum of ln p + weight x rise of P(goal reached).
 * Deterministic; a depth is one run of each head for all that still grow.
 */
import type { WorldModel } from "../world-model/world-model.ts";
import { type Node, type Option, openNodes, openRoots, optionAt } from "./policy.ts";
import type { Situation } from "./situation.ts";

export type PlanStep = {
  choice: number;
  option: Option;
  probability: number;
  /** ‖z' − z‖. */
  stateChange: number;
  node: Node;
};
export type Plan = { root: Node; steps: readonly PlanStep[] };

type Entry = { steps: readonly PlanStep[]; node: Node; logProbability: number };
type Child = { entry: Entry; choice: number; probability: number; logProbability: number };
type Search = {
  situation: Situation;
  root: Node;
  live: Entry[];
  best: { entry: Entry; score: number } | undefined;
};

/** One plan per situation, in order. No step: there is nothing to do. */
export async function searchPlans(model: WorldModel, situations: readonly Situation[]): Promise<Plan[]> {
  const config = model.manifest.planning;
  const roots = await openRoots(model, situations);
  const searches = situations.map((situation, at): Search => {
    const root = roots[at]!;
    return { situation, root, live: [{ steps: [], node: root, logProbability: 0 }], best: undefined };
  });
  const gainOf = ({ root }: Search, reached: number) => config.valueWeight * (reached - root.reached);
  const finish = (search: Search, entry: Entry, logProbability = entry.logProbability) => {
    const score = logProbability + gainOf(search, entry.node.reached);
    if (!search.best || score > search.best.score) search.best = { entry, score };
  };
  for (let depth = 0; searches.some(({ live }) => live.length > 0); depth++) {
    const growing = searches.flatMap((search) => {
      if (depth === search.situation.request.maxSteps) {
        for (const entry of search.live) finish(search, entry);
        search.live = [];
      }
      return growEntries(search).map((child) => ({ search, child }));
    });
    const grown = await takeSteps(model, growing);
    for (const search of searches) search.live = [];
    for (const [row, entry] of grown.entries()) {
      const { search } = growing[row]!;
      if (entry.node.reached >= config.reachedFrom) finish(search, entry);
      else search.live.push(entry);
    }
  }
  return searches.map(({ root, best }) => ({ root, steps: best?.entry.steps ?? [] }));

  /** The best children of what is alive; what stops is finished, what can no longer win is dropped. */
  function growEntries(search: Search): Child[] {
    const children = search.live.flatMap((entry) => {
      const { probabilities } = entry.node;
      const stop = probabilities.length - 1;
      // Who stops leaves every instruction that is still open undone, each as likely as this one.
      const open = search.situation.aims.length - entry.node.aim;
      finish(search, entry, entry.logProbability + open * Math.log(probabilities[stop]!));
      return topRows(probabilities.subarray(0, stop), config.branching).map((choice): Child => {
        const probability = probabilities[choice]!;
        return { entry, choice, probability, logProbability: entry.logProbability + Math.log(probability) };
      });
    });
    const most = gainOf(search, 1);
    const rank = ({ entry, logProbability }: Child) => logProbability + gainOf(search, entry.node.reached);
    return children
      .filter(
        ({ logProbability }) => logProbability + most > (search.best?.score ?? Number.NEGATIVE_INFINITY),
      )
      .sort((left, right) => rank(right) - rank(left))
      .slice(0, config.beamWidth);
  }
}

async function takeSteps(
  model: WorldModel,
  growing: readonly { search: Search; child: Child }[],
): Promise<Entry[]> {
  const options = growing.map(({ search, child }) => optionAt(model, search.situation, child.choice));
  const moved = await model.heads.next(
    growing.map(({ child: { entry } }, row) => ({
      place: entry.node.place,
      act: entry.node.act,
      action: options[row]!.vector,
    })),
  );
  const nodes = await openNodes(
    model,
    growing.map(({ search, child: { entry } }, row) => {
      const { state, history } = moved[row]!;
      const { place, aim, taken } = entry.node;
      return {
        situation: search.situation,
        place: { ...place, state, history },
        aim,
        taken: [...taken, options[row]!.name],
      };
    }),
  );
  return growing.map(({ child: { entry, choice, probability, logProbability } }, row) => {
    const node = nodes[row]!;
    const step = { choice, option: options[row]!, probability, stateChange: moved[row]!.change, node };
    return { steps: [...entry.steps, step], node, logProbability };
  });
}

/** Indexes of the `count` highest values above 0, highest first; equal values keep their order. */
export function topRows(values: Float64Array, count: number): number[] {
  const top: number[] = [];
  for (let i = 0; i < values.length; i++) {
    if (!(values[i]! > 0) || (top.length === count && values[i]! <= values[top[count - 1]!]!)) continue;
    let place = top.length;
    while (place > 0 && values[i]! > values[top[place - 1]!]!) place--;
    top.splice(place, 0, i);
    if (top.length > count) top.pop();
  }
  return top;
}
