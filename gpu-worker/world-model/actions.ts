/** The frozen vocabulary of 903 actions with their precomputed latents, and which of them a tool amounts to. */
import { z } from "zod";
import { ActionCategory } from "../../shared/planning.ts";
import { type CandidateSet, createCandidateSet, stemSet } from "./candidates.ts";
import type { NameReading } from "./lexicon.ts";
import { Effect, type PlanningConfig } from "./manifest.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { dotRows } from "./vectors.ts";

export const Action = z.object({
  id: z.int(),
  name: z.string(),
  category: ActionCategory,
  /** A short sentence: the text whose latent is the action's. */
  gloss: z.string(),
  effect: Effect,
  verb: z.string().nullable(),
  object: z.string().nullable(),
});
export type Action = z.infer<typeof Action>;

export const actionCount = 903;

/** Ids with a meaning of their own to the planner. */
export const actionIds = { pad: 0, unk: 1, start: 2, end: 3, noop: 9 } as const;
const neverPlanned: ReadonlySet<number> = new Set(Object.values(actionIds));

export type ActionTable = {
  actions: readonly Action[];
  set: CandidateSet;
  /** Id of the action a tool amounts to; `unk` where nothing comes near. Several tools may share one. */
  idOfTool(vector: Float32Array, reading: NameReading): number;
  /** What an action does to the world; of the unknown one no more than looking is assumed. */
  effectOf(id: number): Effect;
};

const longestText = 1_000;

/** Checks the vocabulary (dense ids, unique names) and joins it with its latents. Throws where they differ. */
export function createActionTable(
  actions: readonly Action[],
  vectors: Float32Array,
  tokenizer: Tokenizer,
  config: PlanningConfig["toolAction"],
): ActionTable {
  const names = new Set(actions.map(({ name }) => name));
  if (
    actions.length !== actionCount ||
    names.size !== actionCount ||
    actions.some(({ id }, place) => id !== place)
  ) {
    throw new Error(`actions.json must hold ${actionCount} actions with dense ids and unique names`);
  }
  const planned = actions.filter(({ id }) => !neverPlanned.has(id));
  const width = vectors.length / actionCount;
  const plannedVectors = new Float32Array(planned.length * width);
  for (const [row, { id }] of planned.entries()) {
    plannedVectors.set(vectors.subarray(id * width, (id + 1) * width), row * width);
  }
  const tokensOf = (text: string) => stemSet(tokenizer.stems, tokenizer.encode(text, longestText));
  return {
    actions,
    set: createCandidateSet({
      candidates: planned.map(({ id, name, effect, category, verb, object }) => ({
        name,
        actionId: id,
        effect,
        system: category === "system",
        verb,
        object,
      })),
      vectors: plannedVectors,
      nameTokens: planned.map(({ name }) => tokensOf(name.replaceAll("_", " "))),
      textTokens: planned.map(({ name, gloss }) => tokensOf(`${name.replaceAll("_", " ")}: ${gloss}`)),
    }),
    effectOf: (id) => (id === actionIds.unk ? "look" : actions[id]!.effect),
    idOfTool(vector, reading) {
      const snake = reading.words.join("_");
      const exact = planned.find(({ name }) => name === snake);
      if (exact) return exact.id;
      const cosines = dotRows(plannedVectors, vector);
      let best = -1;
      let bestScore = config.unknownBelow;
      for (const [row, action] of planned.entries()) {
        const sameVerb =
          action.verb !== null && (action.verb === reading.verb || action.verb === reading.words[0]);
        const sameObject = action.object !== null && action.object === reading.object;
        const score =
          cosines[row]! + (sameVerb ? config.verbBonus : 0) + (sameObject ? config.objectBonus : 0);
        if (score > bestScore) {
          best = action.id;
          bestScore = score;
        }
      }
      return best === -1 ? actionIds.unk : best;
    },
  };
}
