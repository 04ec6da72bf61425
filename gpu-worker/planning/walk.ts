/**
 * next, step by step: where sequences of actions are predicted to lead. Every sequence of a batch takes its first step in
 * one run of each head, then its second. Nothing is executed.
 */
import { actionIds } from "../world-model/actions.ts";
import type { Place } from "../world-model/heads.ts";
import { softmax } from "../world-model/vectors.ts";
import type { WorldModel } from "../world-model/world-model.ts";

/** `vector` is what the dynamics take: an action's, or a tool text's unit vector. `id`: its action among the 903. */
export type Move = { id: number; vector: Float32Array };
export type Path = { place: Place; moves: readonly Move[] };

export type Walked = {
  /** Of the policy, where the step is taken. */
  chance: number;
  /** ‖z' − z‖. */
  change: number;
  /** The same, were it the first step. */
  atOnce: number;
  /** Latent after the step. */
  state: Float32Array;
};
export type Walk = {
  steps: Walked[];
  /** Of the policy before the first step: its likeliest action. */
  firstChoice: number;
  /** P(goal reached) before the first step, and after it. */
  reached: { before: number; afterFirst: number };
};

/** Marks of a sequence: they are nothing that could be done, so they change nothing. */
export const sequenceMarks: ReadonlySet<number> = new Set([actionIds.pad, actionIds.start, actionIds.end]);

export async function walk({ heads }: WorldModel, paths: readonly Path[]): Promise<Walk[]> {
  const places = paths.map(({ place }) => place);
  const walks = paths.map(
    (): Walk => ({ steps: [], firstChoice: actionIds.unk, reached: { before: 0, afterFirst: 0 } }),
  );
  /** Of the second step and those after it. */
  const atOnce = paths.map((): number[] => []);
  // One look more than there are steps: what the first step gained is seen from behind it.
  const looks = paths.map(({ moves }) => Math.max(moves.length, 2));
  for (let step = 0; step < Math.max(0, ...looks); step++) {
    const here = [...paths.keys()].filter((at) => looks[at]! > step);
    const acts = await heads.act(here.map((at) => places[at]!));
    for (const [row, at] of here.entries()) {
      const { reached } = walks[at]!;
      if (step === 0) reached.before = reached.afterFirst = acts[row]!.reached;
      if (step === 1) reached.afterFirst = acts[row]!.reached;
    }
    const going = here.flatMap((at, row) =>
      paths[at]!.moves.length > step ? [{ at, act: acts[row]! }] : [],
    );
    // From where it begins every step is looked at, in the same run.
    const later =
      step === 0
        ? going.flatMap(({ at, act }) => paths[at]!.moves.slice(1).map(({ vector }) => ({ at, act, vector })))
        : [];
    const moved = await heads.next(
      [...going.map(({ at, act }) => ({ at, act, vector: paths[at]!.moves[step]!.vector })), ...later].map(
        ({ at, act, vector }) => ({ place: places[at]!, act, action: vector }),
      ),
    );
    for (const [row, { at }] of later.entries()) atOnce[at]!.push(moved[going.length + row]!.change);
    for (const [row, { at, act }] of going.entries()) {
      const { id } = paths[at]!.moves[step]!;
      const chances = softmax(act.logits, heads.settings.policyTemperature);
      if (step === 0) walks[at]!.firstChoice = chances.indexOf(Math.max(...chances));
      const { state, history, change } = moved[row]!;
      const place = places[at]!;
      if (sequenceMarks.has(id)) {
        walks[at]!.steps.push({ chance: chances[id]!, change: 0, atOnce: 0, state: place.state });
        continue;
      }
      places[at] = { ...place, state, history };
      walks[at]!.steps.push({ chance: chances[id]!, change, atOnce: atOnce[at]![step - 1] ?? change, state });
    }
  }
  return walks;
}
