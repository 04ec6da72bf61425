/**
 * Rows as episodes: goal, states and actions of the 903, each place with what the policy says there when the
 * true actions came before it.
 */
import type { TextToEncode } from "../../gpu-worker/world-model/encoder.ts";
import type { Act, Place } from "../../gpu-worker/world-model/heads.ts";
import type { WorldModel } from "../../gpu-worker/world-model/world-model.ts";
import type { EvaluationRow } from "./rows.ts";

export type EpisodeStep = {
  place: Place;
  act: Act;
  actionId: number;
  next: { text: string; latent: Float32Array } | undefined;
};
export type Episode = {
  goal: Float32Array;
  start: Place;
  actions: readonly number[];
  steps: readonly EpisodeStep[];
};

const longest = 24;

export type ActionMap = (names: readonly string[]) => Promise<number[]>;

/** Maps actions' own names onto the 903 by the server's rule, each name once. */
export function createActionMap(model: WorldModel): ActionMap {
  const known = new Map<string, number>();
  return async (names) => {
    const missing = [...new Set(names)].filter((name) => !known.has(name));
    const readings = missing.map((name) => model.lexicon.readName(name));
    const encoded = await model.encoder.encode(
      readings.map(({ words }): TextToEncode => {
        return {
          text: words.join(" "),
          keep: "start",
          remember: false,
          maxTokens: model.heads.settings.toolTokens,
        };
      }),
    );
    for (const [place, name] of missing.entries())
      known.set(name, model.table.idOf(encoded[place]!.vector, readings[place]!));
    return names.map((name) => known.get(name)!);
  };
}

/** Episodes of rows, all of them in the same few runs of each head. */
export async function readEpisodes(
  model: WorldModel,
  mapActions: ActionMap,
  rows: readonly EvaluationRow[],
): Promise<Episode[]> {
  const { heads, encoder, manifest } = model;
  const { goalTokens, stateTokens } = heads.settings;
  const neutral = manifest.planning.neutralState;
  const told = rows.map((row) => {
    const steps = row.steps.slice(0, longest);
    const names = steps.length > 0 ? steps.map(({ action }) => action) : row.actions.slice(0, longest);
    return {
      names,
      states: names.map(
        (_, step) => (steps.length > 0 ? steps[step]!.state : step === 0 ? row.state : "") || neutral,
      ),
      nexts: names.map((_, step) => steps[step]?.next ?? ""),
    };
  });
  const state = (text: string): TextToEncode => ({
    text,
    keep: "end",
    remember: false,
    maxTokens: stateTokens,
  });
  const texts = rows.flatMap(({ goal }, at) => [
    { text: goal, keep: "start", remember: false, maxTokens: goalTokens } as const,
    ...told[at]!.states.map(state),
    ...told[at]!.nexts.filter((text) => text !== "").map(state),
  ]);
  const encoded = await encoder.encode(texts);
  const latents = await heads.latents(encoded.map(({ vector }) => vector));
  const ids = await mapActions(told.flatMap(({ names }) => names));
  let nextLatent = 0;
  let nextId = 0;
  const take = () => latents[nextLatent++]!.latent;
  const read = told.map(({ names, states, nexts }) => {
    const goal = take();
    const stateLatents = states.map(take);
    const nextLatents = nexts.map((text) => (text === "" ? undefined : { text, latent: take() }));
    const actions = names.map(() => ids[nextId++]!);
    return { goal, stateLatents, nextLatents, actions };
  });
  const memories = await trailMemories(
    model,
    read.map(({ actions }) => actions),
  );
  const places = read.map(({ goal, stateLatents }, at) =>
    stateLatents.map((latent, step): Place => ({ state: latent, goal, history: memories[at]![step]! })),
  );
  const acts = await heads.act(places.flat());
  let nextAct = 0;
  return read.flatMap(({ goal, nextLatents, actions }, at): Episode[] => {
    const steps = places[at]!.map((place, step): EpisodeStep => {
      return { place, act: acts[nextAct++]!, actionId: actions[step]!, next: nextLatents[step] };
    });
    return steps.length === 0 ? [] : [{ goal, start: steps[0]!.place, actions, steps }];
  });
}

/** The memory before each action of each sequence. */
async function trailMemories(
  { heads }: WorldModel,
  sequences: readonly (readonly number[])[],
): Promise<Float32Array[][]> {
  const trails = sequences.map(() => [heads.noHistory]);
  const most = Math.max(0, ...sequences.map(({ length }) => length));
  for (let step = 0; step + 1 < most; step++) {
    const going = [...sequences.keys()].filter((at) => sequences[at]!.length > step + 1);
    const found = await heads.remember(
      going.map((at) => ({ history: trails[at]![step]!, action: heads.actionVector(sequences[at]![step]!) })),
    );
    for (const [row, at] of going.entries()) trails[at]!.push(found[row]!);
  }
  return trails;
}
