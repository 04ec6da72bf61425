/**
 * The learned heads over the encoder's vectors, each a function over rows: latents (vector -> latent), act (policy and value),
 * next (dynamics), mix (weights of the scores that rank tools), wishes (the action that a part of a goal asks for). Rows of one
 * run do not influence each other. Results lie in scratch memory (scratch.ts): they are valid until the batch ends.
 */
import { z } from "zod";
import { actionCount } from "../../shared/planning.ts";
import type { OnnxSession } from "../inference/session.ts";
import { createRowRunner, type Scratch } from "./scratch.ts";
import { sigmoid } from "./vectors.ts";

/** heads.json: widths, windows and calibration, as training wrote them. */
export const HeadSettings = z.object({
  latentWidth: z.int().positive(),
  historyWidth: z.int().positive(),
  contextWidth: z.int().positive(),
  /** P(goal reached) = sigmoid(scale x value + shift). */
  value: z.object({ scale: z.number(), shift: z.number() }),
  /** Tokens that are read of each kind of text, including [CLS] and [SEP]. */
  goalTokens: z.int().positive(),
  stateTokens: z.int().positive(),
  toolTokens: z.int().positive(),
});
export type HeadSettings = z.infer<typeof HeadSettings>;

export type Latent = { latent: Float32Array; magnitude: number };

/** A state to act from: latents z = r x u of state and goal, and the memory of the actions taken. */
export type Place = { state: Float32Array; goal: Float32Array; history: Float32Array };

/** The output of `act` for a place: `context` and `query` are inputs of `next`, `logits` are over the 903, calibrated. */
export type Act = {
  context: Float32Array;
  query: Float32Array;
  logits: Float32Array;
  /** Log-sum-exp of the uncalibrated logits, an input of `next`. */
  normaliser: number;
  /** Calibrated probability that the goal is reached. */
  reached: number;
};

/** `action`: the vector of one of the 903, or the unit vector of a tool's text. */
export type Move = { place: Place; act: Act; action: Float32Array };
export type Moved = {
  state: Float32Array;
  history: Float32Array;
  /** ‖z' − z‖. */
  change: number;
};

/** An action to add to the memory. */
type Step = { history: Float32Array; action: Float32Array };

export type Mix = { scale: number; words: number; name: number; threshold: number };

/** A part of a goal; for a goal of one part both vectors are the same. */
export type AskingPart = { part: Float32Array; goal: Float32Array };

/** Width of the mixer's input. Its last three numbers are always 0: they belonged to features that training gave no weight. */
const listNumbers = 10;

export type Heads = {
  settings: HeadSettings;
  /** Unit text vectors -> latents, and their magnitudes. */
  latents(vectors: readonly Float32Array[]): Promise<Latent[]>;
  act(places: readonly Place[]): Promise<Act[]>;
  next(moves: readonly Move[]): Promise<Moved[]>;
  /** The next states if the actions took full effect. The evaluation ranks true next states by them. */
  propose(moves: readonly Move[]): Promise<Float32Array[]>;
  /** The memory after one more action. Of older steps nothing but the memory is kept. */
  remember(steps: readonly Step[]): Promise<Float32Array[]>;
  /** Numbers of a whole list of tools -> the weights of its features. */
  mix(lists: readonly Float32Array[]): Promise<Mix[]>;
  /** For each part: probabilities of the actions by id, and of none of them last. training/wishes/wish_reader.py is the network. */
  wishes(asking: readonly AskingPart[]): Promise<Float32Array[]>;
  /** The vector of one of the 903 actions, as input of `next`. */
  actionVector(id: number): Float32Array;
  /** The memory before any action. */
  noHistory: Float32Array;
};

export type HeadSessions = Record<"latent" | "act" | "next" | "tools" | "wishes", OnnxSession>;

const rowsPerRun = 64;
const wishesPerRun = 16;

const placesIn = (places: readonly Place[]) => ({
  state: places.map(({ state }) => state),
  goal: places.map(({ goal }) => goal),
  history: places.map(({ history }) => history),
});

const movesIn = (moves: readonly Move[]) => ({
  state: moves.map(({ place }) => place.state),
  history: moves.map(({ place }) => place.history),
  context: moves.map(({ act }) => act.context),
  query: moves.map(({ act }) => act.query),
  normaliser: moves.map(({ act }) => Float32Array.of(act.normaliser)),
  action: moves.map(({ action }) => action),
});

/** The memory depends only on itself and the action; the graph's other inputs are filled with ones. */
function stepsIn(steps: readonly Step[], { latentWidth, contextWidth }: HeadSettings, queryWidth: number) {
  const anything = (width: number) => {
    const row = new Float32Array(width).fill(1);
    return steps.map(() => row);
  };
  return {
    state: anything(latentWidth),
    history: steps.map(({ history }) => history),
    context: anything(contextWidth),
    query: anything(queryWidth),
    normaliser: anything(1),
    action: steps.map(({ action }) => action),
  };
}

function pad(list: Float32Array): Float32Array {
  const numbers = new Float32Array(listNumbers);
  numbers.set(list);
  return numbers;
}

/** `actionVectors`: one row for each action of the vocabulary. */
export function createHeads(
  sessions: HeadSessions,
  settings: HeadSettings,
  actionVectors: Float32Array,
  scratch: Scratch,
): Heads {
  const width = actionVectors.length / actionCount;
  const run = createRowRunner(scratch, rowsPerRun);
  const runWishes = createRowRunner(scratch, wishesPerRun);
  return {
    settings,
    noHistory: new Float32Array(settings.historyWidth),
    actionVector: (id) => actionVectors.subarray(id * width, (id + 1) * width),
    async latents(vectors) {
      const out = await run(sessions.latent, { embedding: vectors }, ["latent", "magnitude"]);
      return vectors.map((_, row) => ({ latent: out.latent[row]!, magnitude: out.magnitude[row]![0]! }));
    },
    async act(places) {
      const wanted = ["context", "query", "logits", "normaliser", "value"] as const;
      const out = await run(sessions.act, placesIn(places), wanted);
      const { scale, shift } = settings.value;
      return places.map((_, row) => ({
        context: out.context[row]!,
        query: out.query[row]!,
        logits: out.logits[row]!,
        normaliser: out.normaliser[row]![0]!,
        reached: sigmoid(scale * out.value[row]![0]! + shift),
      }));
    },
    async next(moves) {
      const out = await run(sessions.next, movesIn(moves), ["next", "history_next", "change"]);
      return moves.map((_, row) => ({
        state: out.next[row]!,
        history: out.history_next[row]!,
        change: out.change[row]![0]!,
      }));
    },
    async propose(moves) {
      return (await run(sessions.next, movesIn(moves), ["proposal"])).proposal;
    },
    async remember(steps) {
      return (await run(sessions.next, stepsIn(steps, settings, width), ["history_next"])).history_next;
    },
    async mix(lists) {
      const { mix } = await run(sessions.tools, { list: lists.map(pad) }, ["mix"]);
      return mix.map(([scale, , words, name, threshold]) => ({
        scale: scale!,
        words: words!,
        name: name!,
        threshold: threshold!,
      }));
    },
    async wishes(asking) {
      const inputs = { part: asking.map(({ part }) => part), goal: asking.map(({ goal }) => goal) };
      return (await runWishes(sessions.wishes, inputs, ["chances"])).chances;
    },
  };
}
