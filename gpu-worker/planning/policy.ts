/**
 * act at the nodes of plans: how likely each choice is there, the caller's tools where there are any, else
 * the 903 actions. The last choice is always to stop.
 */
import { actionIds } from "../world-model/actions.ts";
import type { Act, Place } from "../world-model/heads.ts";
import { scoreTools } from "../world-model/tool-choice.ts";
import { softmax } from "../world-model/vectors.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import type { Situation } from "./situation.ts";

export type Node = {
  place: Place;
  act: Act;
  /** Which of the situation's aims is pursued here. */
  aim: number;
  /** Probability that the whole goal is reached: aims already done count in full. */
  reached: number;
  /** Names of what was taken on the way here, the request's own history first. */
  taken: readonly string[];
  /** Per choice; the last is to stop (with tools: that none of them fits, or that all is done). */
  probabilities: Float64Array;
};

/** Marks of a sequence: no plan holds them. `end` is the choice to stop. */
const neverTaken: ReadonlySet<number> = new Set(Object.values(actionIds));

/** What a choice is: its name, its action and its vector. */
export type Option = { name: string; actionId: number; vector: Float32Array };

export function optionAt(model: WorldModel, situation: Situation, choice: number): Option {
  const tool = situation.tools[choice];
  if (tool) return { name: tool.name, actionId: tool.actionId(), vector: tool.vector };
  const { name } = model.table.actions[choice]!;
  return { name, actionId: choice, vector: model.heads.actionVector(choice) };
}

export type Opening = { situation: Situation; place: Place; aim: number; taken: readonly string[] };

/** The nodes at some places of some plans. An aim that is as good as reached gives way to the next one. */
export async function openNodes(model: WorldModel, openings: readonly Opening[]): Promise<Node[]> {
  const nodes = await actAt(model, openings);
  const { nextClauseFrom } = model.manifest.planning;
  for (;;) {
    const done = nodes.flatMap(({ aim, taken, probabilities }, at) => {
      const isLast = aim === openings[at]!.situation.aims.length - 1;
      return !isLast && taken.length > 0 && probabilities.at(-1)! >= nextClauseFrom ? [at] : [];
    });
    if (done.length === 0) return nodes;
    // An instruction is pursued as if it were the first: the policy knows goals of one instruction best.
    const reopened = await actAt(
      model,
      done.map((at) => {
        const { situation, taken } = openings[at]!;
        const place = { ...situation.place, history: model.heads.noHistory };
        return { situation, place, aim: nodes[at]!.aim + 1, taken };
      }),
    );
    for (const [row, at] of done.entries()) nodes[at] = reopened[row]!;
  }
}

/** The first nodes of plans: where the steps already taken have led, instruction by instruction. */
export async function openRoots(model: WorldModel, situations: readonly Situation[]): Promise<Node[]> {
  const openings = situations.map(({ aims, place, taken }, at): Opening => {
    const situation = situations[at]!;
    if (aims.length === 1) return { situation, place, aim: 0, taken: taken.map(({ name }) => name) };
    return { situation, place: { ...place, history: model.heads.noHistory }, aim: 0, taken: [] };
  });
  const stepsOf = ({ aims, taken }: Situation) => (aims.length === 1 ? 0 : taken.length);
  const longest = Math.max(0, ...situations.map(stepsOf));
  for (let step = 0; step < longest; step++) {
    const going = [...situations.keys()].filter((at) => stepsOf(situations[at]!) > step);
    const memories = await model.heads.remember(
      going.map((at) => {
        return { history: openings[at]!.place.history, action: situations[at]!.taken[step]!.vector };
      }),
    );
    const nodes = await openNodes(
      model,
      going.map((at, row) => {
        const { place, taken, ...rest } = openings[at]!;
        const name = situations[at]!.taken[step]!.name;
        return { ...rest, place: { ...place, history: memories[row]! }, taken: [...taken, name] };
      }),
    );
    for (const [row, at] of going.entries()) {
      const { place, aim, taken } = nodes[row]!;
      openings[at] = { situation: situations[at]!, place, aim, taken };
    }
  }
  return openNodes(model, openings);
}

async function actAt(model: WorldModel, openings: readonly Opening[]): Promise<Node[]> {
  const places = openings.map(({ situation, place, aim }): Place => {
    return { ...place, goal: situation.aims[aim]!.latent };
  });
  const acts = await model.heads.act(places);
  const withTools = openings.flatMap(({ situation, aim }, at) => {
    const { list } = situation.aims[aim]!;
    return list ? [{ at, list, query: acts[at]!.query }] : [];
  });
  const scored = await scoreTools(model.heads, withTools);
  const toolLogits = new Map(withTools.map(({ at }, row) => [at, scored[row]!]));
  return openings.map(({ situation, aim, taken }, at): Node => {
    const act = acts[at]!;
    const logits = toolLogits.get(at);
    const probabilities = logits
      ? chooseTool(model, situation, act, taken, logits)
      : chooseAction(model, act, taken);
    const reached = (aim + act.reached) / situation.aims.length;
    return { place: places[at]!, act, aim, reached, taken, probabilities };
  });
}

function chooseTool(
  model: WorldModel,
  situation: Situation,
  act: Act,
  taken: readonly string[],
  logits: Float64Array,
): Float64Array {
  const penalty = model.manifest.planning.repeatPenalty.tool;
  for (const [row, { name }] of situation.tools.entries()) {
    if (taken.includes(name)) logits[row]! -= penalty;
  }
  const chances = softmax(logits);
  // Before anything was done "the end" cannot be meant: only that no tool fits.
  if (taken.length === 0) return chances;
  const ends = actionChances(model, act)[actionIds.end]!;
  const last = chances.length - 1;
  return chances.map((chance, row) => (row === last ? ends + (1 - ends) * chance : (1 - ends) * chance));
}

/** Probabilities over the 903, calibrated. */
export const actionChances = (
  { heads }: WorldModel,
  { logits }: Act,
  into?: Float64Array<ArrayBuffer>,
): Float64Array => softmax(logits, heads.settings.policyTemperature, into);

function chooseAction(model: WorldModel, act: Act, taken: readonly string[]): Float64Array {
  const count = act.logits.length;
  const choices = model.scratch.doubles(count + 1);
  const chances = actionChances(model, act, choices.subarray(0, count));
  const kept = Math.exp(-model.manifest.planning.repeatPenalty.action);
  for (const name of taken) {
    const id = model.table.idOfName(name);
    if (id !== undefined) chances[id]! *= kept;
  }
  choices[count] = chances[actionIds.end]!;
  for (const id of neverTaken) chances[id] = 0;
  return choices;
}
