/**
 * The frozen vocabulary of 903 actions, and which of them a tool or a foreign action amounts to: an exact name,
 * else likeness and bonuses. training/mapping.py is the same rule.
 */
import { z } from "zod";
import { ActionCategory } from "../../shared/planning.ts";
import type { NameReading, TextReading } from "./lexicon.ts";
import { Effect, type PlanningConfig } from "./manifest.ts";
import { dotRows } from "./vectors.ts";

export const Action = z.object({
  id: z.int(),
  name: z.string(),
  category: ActionCategory,
  /** A short sentence: the text whose vector is the action's. */
  gloss: z.string(),
  effect: Effect,
  verb: z.string().nullable(),
  object: z.string().nullable(),
});
export type Action = z.infer<typeof Action>;

export const actionCount = 903;

/** Words that speak to the user: anywhere in a name, or only as its first word (there are offers to list). */
const spoken: ReadonlySet<string> = new Set(["ask", "inform", "notify"]);
const spokenFirst: ReadonlySet<string> = new Set(["offer", "confirm"]);

/** `hotel_ask_date` -> ask; undefined for a name that acts on the task. */
const spokenWord = (words: readonly string[]): string | undefined =>
  words.find((word, place) => spoken.has(word) || (place === 0 && spokenFirst.has(word)));

/** Ids with a meaning of their own to the planner. */
export const actionIds = { pad: 0, unk: 1, start: 2, end: 3, noop: 9 } as const;
/** No tool amounts to these. */
const marks: ReadonlySet<number> = new Set(Object.values(actionIds));

export type ActionTable = {
  actions: readonly Action[];
  /** Id of the action a name amounts to; `unk` where nothing comes near. Several names may share one. */
  idOf(vector: Float32Array, reading: NameReading): number;
  /** Likeness of every action to a text: cosine with its gloss, and a bonus for the same verb and object class. */
  likenessTo(vector: Float32Array, reading: TextReading): Float32Array;
  /** Id of the action of exactly this name. */
  idOfName(name: string): number | undefined;
};

/**
 * Checks the vocabulary (dense ids, unique names) and joins it with the unit vectors of its glosses. Throws
 * where they differ.
 */
export function createActionTable(
  actions: readonly Action[],
  vectors: Float32Array,
  { toolAction, likenessBonus }: Pick<PlanningConfig, "toolAction" | "likenessBonus">,
): ActionTable {
  const ids = new Map(actions.map(({ name, id }) => [name, id]));
  if (
    actions.length !== actionCount ||
    ids.size !== actionCount ||
    actions.some(({ id }, place) => id !== place)
  ) {
    throw new Error(`actions.json must hold ${actionCount} actions with dense ids and unique names`);
  }
  return {
    actions,
    likenessTo(vector, reading) {
      const likeness = dotRows(vectors, vector);
      for (const { id, verb, object } of actions) {
        if (verb !== null && reading.verbs.has(verb)) likeness[id]! += likenessBonus.verb;
        if (object !== null && reading.objects.has(object)) likeness[id]! += likenessBonus.object;
      }
      return likeness;
    },
    idOfName: (name) => ids.get(name),
    idOf(vector, reading) {
      const exact = ids.get(reading.words.join("_"));
      if (exact !== undefined && !marks.has(exact)) return exact;
      const scores = dotRows(vectors, vector);
      const speech = spokenWord(reading.words);
      let best: number = actionIds.unk;
      let bestScore = toolAction.unknownBelow;
      for (const { id, name, category, verb, object } of actions) {
        if (marks.has(id)) continue;
        let score = scores[id]!;
        if (verb !== null && (verb === reading.verb || verb === reading.words[0]))
          score += toolAction.verbBonus;
        if (object !== null && object === reading.object) score += toolAction.objectBonus;
        if (speech !== undefined && category === "system" && name.startsWith(`${speech}_`))
          score += toolAction.spokenBonus;
        if (score > bestScore) {
          best = id;
          bestScore = score;
        }
      }
      return best;
    },
  };
}
