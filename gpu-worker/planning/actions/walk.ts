/**
 * Predicts where sequences of actions lead, step by step. The sequences of a batch advance together: each step costs one call
 * of each head, whatever their number. Nothing is executed.
 */
import { actionIds } from "../../world-model/actions.ts";
import type { Act, Moved, Place } from "../../world-model/heads.ts";
import { chanceOf, peakOf } from "../../world-model/vectors.ts";
import type { WorldModel } from "../../world-model/world-model.ts";
import { inOneCall } from "../in-one-call.ts";

/** `vector` is the input of the dynamics: an action's vector, or the unit vector of a tool's text. `id`: its action among the 903. */
export type PathMove = { id: number; vector: Float32Array };
export type Path = { place: Place; moves: readonly PathMove[] };

/** What the heads predict at a path's first place, without walking the path. */
export type Look = {
  before: Act;
  /** For each move: where it leads if it is the first. */
  atOnce: Moved[];
  /** The place after the first move; for a path without moves, its beginning. */
  second: Place;
  after: Act;
};

export type Walked = {
  /** The policy's probability of this action at its place. */
  chance: number;
  /** ‖z' − z‖. */
  change: number;
  /** The change if it were the first step. */
  atOnce: number;
  /** Latent after the step. */
  state: Float32Array;
};
export type Walk = {
  steps: Walked[];
  /** The policy's likeliest action before the first step. */
  firstChoice: number;
  /** P(goal reached) before the first step, and after it. */
  reached: { before: number; afterFirst: number };
};

/** Actions that only mark where a sequence begins and ends: they change nothing. */
export const sequenceMarks: ReadonlySet<number> = new Set([actionIds.pad, actionIds.start, actionIds.end]);

/** Looks at every path from its first place: three calls of the heads, however long the paths are. */
export async function lookAhead({ heads }: WorldModel, paths: readonly Path[]): Promise<Look[]> {
  const acts = await heads.act(paths.map(({ place }) => place));
  const moved = await inOneCall(
    paths.map(({ place, moves }, at) =>
      moves.map(({ vector }) => ({ place, act: acts[at]!, action: vector })),
    ),
    heads.next,
  );
  const looks = paths.map(({ place, moves: [first] }, at) => {
    const atOnce = moved[at]!;
    const second = first ? placeAfter(place, first, atOnce[0]!) : place;
    return { before: acts[at]!, atOnce, second };
  });
  const after = await heads.act(looks.map(({ second }) => second));
  return looks.map((look, at) => ({ ...look, after: after[at]! }));
}

const placeAfter = (place: Place, { id }: PathMove, { state, history }: Moved): Place =>
  sequenceMarks.has(id) ? place : { ...place, state, history };

/**
 * Follows each path move by move. One walk per path, in order, with a step for each move. A mark of a sequence is a step that changes
 * nothing.
 */
export async function walk(model: WorldModel, paths: readonly Path[]): Promise<Walk[]> {
  const { heads } = model;
  const looks = await lookAhead(model, paths);
  const walks = looks.map(
    ({ before, after }): Walk => ({
      steps: [],
      firstChoice: before.logits.indexOf(peakOf(before.logits)),
      reached: { before: before.reached, afterFirst: after.reached },
    }),
  );
  /** Each path's current place, the policy's output there, and where its next move leads. */
  let here = looks.flatMap(({ before, atOnce: [moved] }, at) =>
    moved ? [{ at, place: paths[at]!.place, act: before, moved }] : [],
  );
  for (let step = 0; here.length > 0; step++) {
    const going = here.flatMap(({ at, place, act, moved }) => {
      const { moves } = paths[at]!;
      const move = moves[step]!;
      const isMark = sequenceMarks.has(move.id);
      const after = placeAfter(place, move, moved);
      walks[at]!.steps.push({
        chance: chanceOf(act.logits, move.id),
        change: isMark ? 0 : moved.change,
        atOnce: isMark ? 0 : looks[at]!.atOnce[step]!.change,
        state: after.state,
      });
      return moves.length > step + 1 ? [{ at, place: after, action: moves[step + 1]!.vector }] : [];
    });
    const acts =
      step === 0 ? going.map(({ at }) => looks[at]!.after) : await heads.act(going.map(({ place }) => place));
    const moved = await heads.next(going.map((one, row) => ({ ...one, act: acts[row]! })));
    here = going.map(({ at, place }, row) => ({ at, place, act: acts[row]!, moved: moved[row]! }));
  }
  return walks;
}
