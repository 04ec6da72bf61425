/**
 * The frozen vocabulary of 903 actions, and the mapping of a tool or a foreign action onto it: to the action of the same name,
 * else to the one with the highest sum of cosine and bonuses. training/actions/mapping.py has the same rule.
 */
import { z } from "zod";
import { ActionCategory, actionCount } from "../../shared/planning.ts";
import { type NameReading, singular } from "./lexicon.ts";
import { Effect } from "./manifest.ts";
import type { PlanningConfig } from "./planning-config.ts";
import { dotAt, dotRows } from "./vectors.ts";

export const Action = z.object({
  id: z.int(),
  name: z.string(),
  category: ActionCategory,
  /** A short sentence that describes the action; its vector stands for the action. */
  gloss: z.string(),
  effect: Effect,
  verb: z.string().nullable(),
  object: z.string().nullable(),
});
export type Action = z.infer<typeof Action>;

/** Ids that have a special meaning for the planner. */
export const actionIds = { pad: 0, unk: 1, start: 2, end: 3, noop: 9 } as const;
/** No tool is mapped to these ids. */
const marks: ReadonlySet<number> = new Set(Object.values(actionIds));

/** Words that mark a name as dialogue: anywhere in the name, or only as its first word ("offer" may also be a thing to list). */
const spoken: ReadonlySet<string> = new Set(["ask", "inform", "notify"]);
const spokenFirst: ReadonlySet<string> = new Set(["offer", "confirm"]);

/**
 * Prefixes of the dialogue actions that fit a name: `hotel_ask_confirm_date` -> ask_, confirm_. None for a name that is no
 * dialogue.
 */
function dialogueOf(words: readonly string[]): string[] {
  const word = words.find((one, index) => spoken.has(one) || (index === 0 && spokenFirst.has(one)));
  if (word === undefined) return [];
  return [`${word}_`, ...(words.includes("confirm") ? ["confirm_"] : [])];
}

/** Whether `words` contains `parts` in this order. */
function contains(words: readonly string[], parts: readonly string[]): boolean {
  let met = 0;
  for (const word of words) if (word === parts[met]) met++;
  return met === parts.length;
}

const writes: ReadonlySet<Effect | undefined> = new Set<Effect>(["write", "commit"]);

/** What is read from a name, to be compared with every action. */
type Sense = NameReading & {
  singulars: readonly string[];
  dialogue: readonly string[];
  /** The effect of its verb on the world. */
  effect: Effect | undefined;
  /** Whether the vocabulary has an action with both its verb and its object. */
  isPaired: boolean;
};
/** `parts`: the words of its name, in the singular. */
type Candidate = Action & { parts: readonly string[] };
type Test = (name: Sense, action: Candidate) => boolean;
type ToolAction = PlanningConfig["toolAction"];

const isBare: Test = ({ verb }, { name }) => name === verb;
const readsForWrites: Test = ({ effect }, action) => effect === "look" && writes.has(action.effect);
const writesForReads: Test = ({ effect }, action) => writes.has(effect) && action.effect === "look";

/** The condition under which each of the manifest's bonuses (`otherEffect` is negative) is added to an action's cosine. */
const bonuses: Record<Exclude<keyof ToolAction, "unknownBelow">, Test> = {
  verbBonus: (name, action) =>
    isBare(name, action) ||
    (action.verb !== null && (action.verb === name.verb || action.verb === name.words[0])),
  objectBonus: (name, action) => action.object !== null && action.object === name.object,
  spokenBonus: ({ dialogue }, { category, name }) =>
    category === "system" && dialogue.some((beginning) => name.startsWith(beginning)),
  bareBonus: (name, action) => isBare(name, action) && !name.isPaired,
  containedBonus: (name, action) =>
    action.parts.length > 1 && contains(name.singulars, action.parts) && !readsForWrites(name, action),
  otherEffect: (name, action) => readsForWrites(name, action) || writesForReads(name, action),
};

/** A name with a word of dialogue maps only to dialogue, or to sending a notice. */
const mayBe: Test = ({ dialogue }, { category, verb }) =>
  dialogue.length === 0 || category === "system" || verb === "notify";

export type ActionTable = {
  actions: readonly Action[];
  /** Id of the action that a name is mapped to; `unk` if no action scores high enough. Several names may map to one action. */
  idOf(vector: Float32Array, reading: NameReading): number;
  /** Id of the action of exactly this name. */
  idOfName(name: string): number | undefined;
  /** Unit vector of an action's gloss. */
  vectorOf(id: number): Float32Array;
  /** Per action, the z-score of its cosine with a text's vector: standard deviations above the mean of other actions. */
  zScores(vector: Float32Array): (id: number) => number;
  /** The effect of a verb on the world. */
  effectOf(verb: string | undefined): Effect | undefined;
  /** The actions with this action's verb, in order. */
  ofVerb(id: number): readonly Action[];
  /** The actions that ask for the same, in order: of the same verb, or of the same object and effect ("set_reminder", "create_reminder"). */
  alike(id: number): readonly Action[];
};

const asksAlike =
  ({ verb, object, effect }: Action) =>
  (other: Action): boolean =>
    other.verb === verb || (object !== null && other.object === object && other.effect === effect);

/** Sum of the actions' probabilities: that of "Track my package" is divided among track, track_order and track_shipment. */
export const sumChances = (actions: readonly Action[], chances: Float32Array): number =>
  actions.reduce((sum, { id }) => sum + chances[id]!, 0);

/** Ids below this (marks, "wait", "retry" and their like) are left out of the estimate of `zScores`. */
const firstOrdinary = 10;
/** Every fourth action is used to estimate mean and deviation, in a quarter of the time. */
const sampledEvery = 4;

/** @throws Error unless there are 903 actions with dense ids and unique names */
function checkVocabulary(actions: readonly Action[]): void {
  const names = new Set(actions.map(({ name }) => name));
  if (
    actions.length !== actionCount ||
    names.size !== actionCount ||
    actions.some(({ id }, index) => id !== index)
  ) {
    throw new Error(`actions.json must hold ${actionCount} actions with dense ids and unique names`);
  }
}

const pairOf = (verb?: string | null, object?: string | null): string => `${verb} ${object}`;

/** The mapping of a name, and the vector of its text, onto an action. `vectors`: unit vectors of the glosses. */
function createMapping(
  actions: readonly Action[],
  vectors: Float32Array,
  toolAction: ToolAction,
  effectOf: ActionTable["effectOf"],
): ActionTable["idOf"] {
  const candidates = actions
    .filter(({ id }) => !marks.has(id))
    .map((action): Candidate => ({ ...action, parts: action.name.split("_").map(singular) }));
  const exactIds = new Map(candidates.map(({ name, id }) => [name, id]));
  const pairs = new Set(actions.flatMap(({ verb, object }) => (object ? [pairOf(verb, object)] : [])));
  const rules = Object.entries(bonuses).map(([name, holds]) => {
    return { worth: toolAction[name as keyof typeof bonuses], holds };
  });
  return (vector, reading) => {
    const exact = exactIds.get(reading.words.join("_"));
    if (exact !== undefined) return exact;
    const sense: Sense = {
      ...reading,
      singulars: reading.words.map(singular),
      dialogue: dialogueOf(reading.words),
      effect: effectOf(reading.verb),
      isPaired: pairs.has(pairOf(reading.verb, reading.object)),
    };
    const likeness = dotRows(vectors, vector);
    let best: number = actionIds.unk;
    let bestScore = toolAction.unknownBelow;
    for (const action of candidates) {
      if (!mayBe(sense, action)) continue;
      let score = likeness[action.id]!;
      for (const { worth, holds } of rules) if (holds(sense, action)) score += worth;
      if (score > bestScore) {
        best = action.id;
        bestScore = score;
      }
    }
    return best;
  };
}

/** Mean and deviation of a text's cosines are estimated from a sample of the actions. */
function createZScores(vectors: Float32Array): ActionTable["zScores"] {
  const width = vectors.length / actionCount;
  const sampled = Array.from(
    { length: Math.floor((actionCount - firstOrdinary) / sampledEvery) },
    (_, at) => firstOrdinary + at * sampledEvery,
  );
  const others = new Float32Array(sampled.length * width);
  for (const [row, id] of sampled.entries())
    others.set(vectors.subarray(id * width, (id + 1) * width), row * width);
  return (vector) => {
    const likeness = dotRows(others, vector);
    const mean = likeness.reduce((sum, one) => sum + one, 0) / likeness.length;
    const variance = likeness.reduce((sum, one) => sum + (one - mean) ** 2, 0) / likeness.length;
    return (id) => (dotAt(vectors, id * width, vector) - mean) / Math.sqrt(variance);
  };
}

/**
 * Joins the vocabulary with the unit vectors of its glosses.
 * @throws Error for a vocabulary without dense ids and unique names
 */
export function createActionTable(
  actions: readonly Action[],
  vectors: Float32Array,
  toolAction: ToolAction,
): ActionTable {
  checkVocabulary(actions);
  const ids = new Map(actions.map(({ name, id }) => [name, id]));
  const effects = new Map<string | null, Effect>();
  for (const { verb, effect } of actions) if (!effects.has(verb)) effects.set(verb, effect);
  const effectOf = (verb: string | undefined) => (verb === undefined ? undefined : effects.get(verb));
  const verbs = Map.groupBy(actions, ({ verb }) => verb);
  const alike = new Map<number, readonly Action[]>();
  const width = vectors.length / actionCount;
  return {
    actions,
    idOf: createMapping(actions, vectors, toolAction, effectOf),
    idOfName: (name) => ids.get(name),
    vectorOf: (id) => vectors.subarray(id * width, (id + 1) * width),
    zScores: createZScores(vectors),
    effectOf,
    ofVerb: (id) => verbs.get(actions[id]!.verb)!,
    alike(id) {
      const known = alike.get(id) ?? actions.filter(asksAlike(actions[id]!));
      alike.set(id, known);
      return known;
    },
  };
}
