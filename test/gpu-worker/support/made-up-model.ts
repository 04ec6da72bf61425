/**
 * A world model without weights: vectors made of a text's characters (training/tests/twin_cases.py has the same rule), the
 * checkpoint's own tables, and a session reader that answers by a function and keeps what it was shown.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import {
  Action,
  type ActionTable,
  actionIds,
  createActionTable,
} from "../../../gpu-worker/world-model/actions.ts";
import type { TextToEncode } from "../../../gpu-worker/world-model/encoder.ts";
import {
  createLexicon,
  NameVerbTable,
  ObjectTable,
  VerbTable,
} from "../../../gpu-worker/world-model/lexicon.ts";
import type { DecoderStep } from "../../../gpu-worker/world-model/plan-decoder.ts";
import type { Recalled } from "../../../gpu-worker/world-model/plan-library.ts";
import type { SessionView } from "../../../gpu-worker/world-model/session-reader.ts";
import { createToolReader } from "../../../gpu-worker/world-model/tools.ts";
import type { WorldModel } from "../../../gpu-worker/world-model/world-model.ts";
import { actionCount } from "../../../shared/planning.ts";

const width = 8;
const folder = new URL("../../../gpu-worker/checkpoints/base/", import.meta.url);
const read = (name: string): unknown =>
  JSON.parse(readFileSync(fileURLToPath(new URL(name, folder)), "utf8"));

/** A unit vector made of the text's characters. */
export function vectorOf(text: string): Float32Array {
  let total = 7;
  for (const character of text) total = (total * 31 + character.codePointAt(0)!) % 2_147_483_647;
  const values = Array.from(
    { length: width },
    (_, place) => (Math.floor(total / (place * 7 + 1)) % 1_000) / 500 - 1,
  );
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
}

/** Logits per tool, then of done, ask, no tool. */
export type Answer = (view: SessionView) => readonly number[];

export type MadeUpModel = {
  model: WorldModel;
  /** Every view the reader was shown, in order. */
  views: SessionView[];
  /** Every text that was encoded, in order. */
  encoded: TextToEncode[];
};

/** Weights by which nothing that a session shows counts. */
export const noEvidence = {
  missing: 0,
  unnamed: 0,
  given: 0,
  again: 0,
  sequel: 0,
  checks: 0,
  inquired: 0,
  repeated: 0,
  corrected: 0,
  wished: 0,
  pointed: 0,
  lacking: 0,
  searches: 0,
  repairs: 0,
  redo: 0,
  handsIn: 0,
  nextItem: 0,
  tells: 0,
};

const planning = {
  neutralState: "Nothing has been done yet.",
  neutralGoal: "Ask the user for missing information.",
  confidence: { high: 0.6, medium: 0.3 },
  reachedFrom: 0.9,
  foreignTrust: { actions: 0.1, tools: 0.6 },
  familiarFrom: 0.75,
  robot: {
    actions: ["pick_up", "put_down"],
    opening: "Start.",
    states: ["You face the sink."],
    statesFrom: 0.9,
    errandsFrom: 0.9,
    askedFrom: 0.5,
  },
  wishes: {
    from: 0.2,
    wholeFrom: 0.5,
    servedFrom: 0.1,
    askedFrom: 1e-9,
    unaskedTrust: 0.3,
    agreedFrom: 1,
    backedFrom: { wish: 0, both: 0 },
    statedFrom: { alone: 0.5, beside: 0.8 },
    unheld: 0.3,
    weight: { single: 4, several: 0.5 },
    sureness: { scale: 0.4, shift: -0.6 },
  },
  outcome: {
    known: { from: 0.7, spread: 0.03 },
    unlike: { fit: 1, covered: 1, agreed: 2, ended: 0.3, shift: -3 },
    like: { recalled: 5, change: 0.2, chance: -0.4, fit: 0, covered: 0, agreed: 2, ended: 0.3, shift: -7 },
  },
  session: {
    stopFrom: 0.5,
    planStopFrom: 0.5,
    servedStopFrom: 0.4,
    countedStopFrom: {
      ...{ thanked: 0.4, passed: 0.4, answered: 0.4, looked: 0.4, named: 0.4 },
      ...{ counted: 0.4, verified: 0.4, behind: 0.5 },
    },
    evidence: noEvidence,
    mixerTrust: {
      whole: 0,
      inParts: 0,
      uninstructed: { maxCharacters: 0, message: 0, firstPart: 0, nextPart: 0 },
    },
    // With these weights the calls chosen are those of the reader's plan, each once.
    calls: {
      weights: { part: 0, none: 0, leads: 0, reader: 1, planned: 4 },
      shift: -2,
      recall: 0.6,
      firstFrom: 0.5,
    },
    leadsFrom: 0,
    unsureBelow: 0.35,
    likely: { from: 0.7, most: 3, askedFrom: 0.1 },
    forbiddenFrom: { open: 0.1, other: 0.25 },
  },
  proposals: {
    samples: 4,
    temperature: 1,
    minChance: 0.02,
    recallWeight: 0.5,
    recallSharpness: 2,
    shared: { from: 0.2, agreedFrom: 0.9 },
    sureness: { scale: 4, shift: -2 },
  },
};

const noBonus = {
  verbBonus: 0,
  objectBonus: 0,
  spokenBonus: 0,
  bareBonus: 0,
  containedBonus: 0,
  otherEffect: 0,
};

/** The checkpoint's own 903 actions and tables of words, with made-up vectors of the glosses. */
function createTables() {
  const actions = z.array(Action).parse(read("actions.json"));
  const vectors = new Float32Array(actionCount * width);
  for (const { id, gloss } of actions) vectors.set(vectorOf(gloss), id * width);
  const table = createActionTable(actions, vectors, { ...noBonus, unknownBelow: -2 });
  const lexicon = createLexicon(
    VerbTable.parse(read("verbs.json")),
    ObjectTable.parse(read("objects.json")),
    NameVerbTable.parse(read("name-verbs.json")),
  );
  return { table, lexicon };
}

const createHeads = (table: ActionTable, wish: number | undefined) => ({
  settings: { goalTokens: 96, stateTokens: 96, toolTokens: 64 },
  noHistory: new Float32Array(width),
  actionVector: (id: number) => table.vectorOf(id),
  latents: async (some: readonly Float32Array[]) =>
    some.map((vector) => ({ latent: vector.map((value) => 10 * value), magnitude: 10 })),
  act: async (places: readonly unknown[]) =>
    places.map(() => ({ logits: new Float32Array(actionCount), reached: 0.25 })),
  next: async (moves: readonly { place: { state: Float32Array; history: Float32Array } }[]) =>
    moves.map(({ place: { state, history } }) => ({ state, history, change: 2.5 })),
  remember: async (steps: readonly { history: Float32Array }[]) => steps.map(({ history }) => history),
  mix: async (lists: readonly Float32Array[]) =>
    lists.map(([size, , best, , , known]) => {
      return { scale: 3 + size!, words: 0.5 + known!, name: 0.4, threshold: 0.2 + best! / 10 };
    }),
  wishes: async (asking: readonly unknown[]) =>
    asking.map(() => {
      const chances = new Float32Array(actionCount + 1).fill(1 / actionCount, 0, actionCount);
      return wish === undefined ? chances : chances.fill(1e-6).fill(1, wish, wish + 1);
    }),
});

/** Writes the actions that `decide` names; a plan's `hidden` holds the ids written so far. */
const createDecoder = (decide: (written: readonly number[]) => number) => ({
  open: async (memories: readonly (readonly unknown[])[]) => ({
    hidden: memories.map(() => new Float32Array()),
    step: async (steps: readonly DecoderStep[]) =>
      steps.map(({ hidden, last }) => {
        const written = last === actionIds.start ? [] : [...hidden, last];
        const logits = new Float32Array(actionCount);
        logits[decide(written)] = 40;
        return { hidden: Float32Array.from(written), logits };
      }),
  }),
});

/**
 * `answer`: the session reader's logits for a view. `decide`: the action the decoder writes after those written so far. `recalled`: what
 * the library recalls for any goal. `wish`: the action that every part of a goal asks for; without it all actions are equally likely.
 */
export function createMadeUpModel(
  answer: Answer,
  decide: (written: readonly number[]) => number = () => actionIds.end,
  recalled: readonly Recalled[] = [],
  wish?: number,
): MadeUpModel {
  const { table, lexicon } = createTables();
  const views: SessionView[] = [];
  const encoded: TextToEncode[] = [];
  const model = {
    manifest: { size: "base", planning },
    table,
    lexicon,
    readTool: createToolReader(table, lexicon),
    encoder: {
      async encode(texts: readonly TextToEncode[]) {
        encoded.push(...texts);
        return texts.map(({ text }) => ({ vector: vectorOf(text), tokens: 3, identity: {} }));
      },
    },
    heads: createHeads(table, wish),
    reader: {
      async read(shown: readonly SessionView[]) {
        views.push(...shown);
        return shown.map((view) => Float64Array.from(answer(view)));
      },
    },
    tokenizer: { isWord: () => true },
    library: { recall: async (asked: readonly unknown[]) => asked.map(() => recalled) },
    decoder: createDecoder(decide),
  };
  return { model: model as unknown as WorldModel, views, encoded };
}
