/**
 * Converts rows into episodes: goal, states and actions of the 903. Each step has the policy's prediction after the true actions
 * before that step.
 */
import { readDenials } from "../../gpu-worker/planning/message/denials.ts";
import { splitGoal } from "../../gpu-worker/planning/message/goal-text.ts";
import { recallEpisodes, type Situation } from "../../gpu-worker/planning/situation.ts";
import type { TextToEncode } from "../../gpu-worker/world-model/encoder.ts";
import type { Act, Place } from "../../gpu-worker/world-model/heads.ts";
import type { WorldModel } from "../../gpu-worker/world-model/world-model.ts";
import { maxPlanSteps } from "../../shared/planning.ts";
import type { EvaluationRow } from "./rows.ts";

type ReadSituation = Omit<Situation, "recalled" | "isRobots">;
export type EpisodeStep = {
  place: Place;
  act: Act;
  actionId: number;
  next: { text: string; latent: Float32Array } | undefined;
};
export type Episode = {
  row: EpisodeRow;
  goal: Float32Array;
  start: Place;
  actions: readonly number[];
  steps: readonly EpisodeStep[];
  /** The situation before that step, from which a plan begins; only if the goal's parts were read. The library is not asked yet. */
  situationAt(step: number): ReadSituation;
};
/** `keepsNext`: whether the text after a step is read. `plans`, `totals`: the row's plans, or its total change, are measured. */
export type EpisodeRow = EvaluationRow & {
  keepsNext(step: number): boolean;
  plans: boolean;
  totals: boolean;
};

/** Most steps of a row that are read. */
const maxSteps = 24;

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

/** Names of a row's actions, the state before each, and the text after it ("" where there is none, or it is not kept). */
export function readSteps({ steps, actions, state, turns, keepsNext }: EpisodeRow, neutral: string) {
  const told = steps.slice(0, maxSteps);
  if (told.length > 0) {
    return {
      names: told.map(({ action }) => action),
      states: told.map(({ state }) => state || neutral),
      nexts: told.map(({ next }, step) => (keepsNext(step) ? next : "")),
    };
  }
  const names = actions.slice(0, maxSteps);
  // Earlier talk is put into the state, as the gateway does.
  const goal = turns.findLastIndex(({ kind }) => kind === "user");
  const talk = turns.flatMap(({ kind, text }, at) => (at === goal ? [] : [`${kind}: ${text}`]));
  const begin = [state, ...talk].filter((text) => text !== "").join("\n");
  return {
    names,
    states: names.map((_, step) => (step === 0 && begin) || neutral),
    nexts: names.map(() => ""),
  };
}

/** Episodes of rows, which share a few runs of the encoder and of each head. */
export async function readEpisodes(
  model: WorldModel,
  mapActions: ActionMap,
  rows: readonly EpisodeRow[],
): Promise<Episode[]> {
  const { heads } = model;
  const texts = rows.map((row) => readTexts(model, row));
  const vectors = await encodeTexts(model, texts);
  const takeLatents = takerOf(
    await heads.latents(vectors.flatMap(({ goal, states, nexts }) => [goal, ...states, ...nexts])),
  );
  const takeIds = takerOf(await mapActions(texts.flatMap(({ names }) => names)));
  const read = texts.map(({ names, nexts }) => {
    const [goal] = takeLatents(1);
    const states = takeLatents(names.length).map(({ latent }) => latent);
    const next = nexts.map((text) => (text === "" ? undefined : { text, latent: takeLatents(1)[0]!.latent }));
    return { goal: goal!.latent, states, next, actions: takeIds(names.length) };
  });
  const memories = await trailMemories(
    model,
    read.map(({ actions }) => actions),
  );
  const places = read.map(({ goal, states }, at) =>
    states.map((state, step): Place => ({ state, goal, history: memories[at]![step]! })),
  );
  const takeActs = takerOf(await heads.act(places.flat()));
  return read.flatMap(({ goal, next, actions }, at): Episode[] => {
    const acts = takeActs(actions.length);
    const steps = places[at]!.map((place, step): EpisodeStep => {
      return { place, act: acts[step]!, actionId: actions[step]!, next: next[step] };
    });
    if (steps.length === 0) return [];
    const situationAt = (step: number) =>
      situationOf(model, texts[at]!.goal, texts[at]!.states[step]!, {
        ...vectors[at]!,
        state: vectors[at]!.states[step]!,
        place: places[at]![step]!,
        taken: actions.slice(0, step),
      });
    return [{ row: rows[at]!, goal, start: steps[0]!.place, actions, steps, situationAt }];
  });
}

/** The texts of a row that are encoded, and the names of its actions. */
function readTexts({ manifest: { planning } }: WorldModel, row: EpisodeRow) {
  const goal = row.goal.trim() || planning.neutralGoal;
  return {
    ...readSteps(row, planning.neutralState),
    goal,
    parts: row.plans || row.totals ? splitGoal(goal) : [],
    denials: row.plans ? readDenials(goal) : [],
  };
}

type RowTexts = ReturnType<typeof readTexts>;

/** Vectors of the rows' texts, by one run of the encoder. */
async function encodeTexts({ encoder, heads }: WorldModel, rows: readonly RowTexts[]) {
  const { goalTokens, stateTokens } = heads.settings;
  const asState = (text: string): TextToEncode => {
    return { text, keep: "end", remember: "passing", maxTokens: stateTokens };
  };
  const asGoal = (text: string): TextToEncode => {
    return { text, keep: "start", remember: "passing", maxTokens: goalTokens };
  };
  const isTold = (text: string) => text !== "";
  const take = takerOf(
    await encoder.encode(
      rows.flatMap(({ goal, parts, denials, states, nexts }) => [
        asGoal(goal),
        ...parts.map(asGoal),
        ...denials.map(({ text }) => asGoal(text)),
        ...states.map(asState),
        ...nexts.filter(isTold).map(asState),
      ]),
    ),
  );
  const vectorsOf = (count: number) => take(count).map(({ vector }) => vector);
  return rows.map(({ parts, denials, states, nexts }) => ({
    goal: vectorsOf(1)[0]!,
    parts: vectorsOf(parts.length),
    denied: denials.map((denial) => ({ ...denial, vector: vectorsOf(1)[0]! })),
    states: vectorsOf(states.length),
    nexts: vectorsOf(nexts.filter(isTold).length),
  }));
}

/** A function that returns the next `count` items, in order. */
function takerOf<Item>(items: readonly Item[]): (count: number) => Item[] {
  let next = 0;
  return (count) => {
    next += count;
    return items.slice(next - count, next);
  };
}

type Known = Pick<Situation, "goal" | "state" | "parts" | "denied" | "place"> & { taken: readonly number[] };

/** A situation as the server reads it, without what it would bill or report. */
function situationOf(
  { manifest, table, heads }: WorldModel,
  goal: string,
  state: string,
  known: Known,
): ReadSituation {
  const { size } = manifest;
  return {
    ...known,
    request: { size, goal, state, history: [], turns: [], tools: [], maxSteps: maxPlanSteps },
    taken: known.taken.map((id) => {
      return { name: table.actions[id]!.name, vector: table.vectorOf(id), input: heads.actionVector(id) };
    }),
    proximity: 0,
    tokens: 0,
  };
}

/** The memory before each action of each sequence. */
async function trailMemories(
  { heads }: WorldModel,
  sequences: readonly (readonly number[])[],
): Promise<Float32Array[][]> {
  const trails = sequences.map(() => [heads.noHistory]);
  const maxLength = Math.max(0, ...sequences.map(({ length }) => length));
  for (let step = 0; step + 1 < maxLength; step++) {
    const going = [...sequences.keys()].filter((at) => sequences[at]!.length > step + 1);
    const found = await heads.remember(
      going.map((at) => ({ history: trails[at]![step]!, action: heads.actionVector(sequences[at]![step]!) })),
    );
    for (const [row, at] of going.entries()) trails[at]!.push(found[row]!);
  }
  return trails;
}

/** Adds the library's episodes, as the server does. */
export async function withRecalled(
  model: WorldModel,
  situations: readonly ReadSituation[],
): Promise<Situation[]> {
  const recalled = await recallEpisodes(model, situations);
  return situations.map((situation, at) => ({ ...situation, ...recalled[at]! }));
}
