/** Total state changes of sequences: the true actions of a goal against four wrong versions of them. */
import { type ActionSequence, followActions } from "../../gpu-worker/planning/actions/outcome.ts";
import type { WorldModel } from "../../gpu-worker/world-model/world-model.ts";
import { auroc, type Random } from "./measures.ts";

export type GoalAuroc = { truncated: number; shuffled: number; random: number; other: number };

const minSequences = 20;

export async function totalsOf(model: WorldModel, sequences: readonly ActionSequence[]): Promise<number[]> {
  const walks = await followActions(model, sequences);
  return walks.map(({ steps }) => steps.reduce((sum, { change }) => sum + change, 0));
}

/** AUROC of the totals of the right sequences against each kind of wrong ones. `totals` computes them, in the order of the sequences. */
export async function measureTotals(
  usable: readonly ActionSequence[],
  random: Random,
  totals: (sequences: readonly ActionSequence[]) => Promise<number[]>,
): Promise<{ goal_auroc?: GoalAuroc }> {
  if (usable.length < minSequences) return {};
  const kinds = Object.entries(wrongVersions(usable, random)).map(([kind, make]) => {
    const made = usable.flatMap((sequence): ActionSequence[] => {
      const ids = make(sequence.ids);
      return ids ? [{ ...sequence, ids }] : [];
    });
    return { kind, made };
  });
  const found = await totals([...usable, ...kinds.flatMap(({ made }) => made)]);
  const right = found.slice(0, usable.length);
  let begin = usable.length;
  const figures = kinds.flatMap(({ kind, made }): [string, number][] => {
    begin += made.length;
    const wrong = found.slice(begin - made.length, begin);
    return made.length > 0 ? [[kind, auroc(right, wrong)]] : [];
  });
  return { goal_auroc: Object.fromEntries(figures) as GoalAuroc };
}

type Version = (actions: readonly number[]) => readonly number[] | undefined;

function wrongVersions(usable: readonly ActionSequence[], random: Random): Record<keyof GoalAuroc, Version> {
  const frequent = usable.flatMap(({ ids }) => ids);
  return {
    truncated: (actions) => actions.slice(0, 1 + random.below(actions.length - 1)),
    shuffled(actions) {
      if (new Set(actions).size < 2) return undefined;
      let mixed = actions;
      while (mixed.join() === actions.join()) mixed = random.shuffled(actions);
      return mixed;
    },
    random: (actions) => actions.map(() => frequent[random.below(frequent.length)]!),
    other(actions) {
      const unlike = usable.filter(({ ids }) => ids.join() !== actions.join());
      return unlike.length === 0 ? undefined : unlike[random.below(unlike.length)]!.ids;
    },
  };
}
