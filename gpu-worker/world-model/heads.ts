/**
 * The learned heads over the encoder's vectors, as verbs on rows: latent (encode's second half), act, next,
 * and mix (how to weigh what speaks for a tool). Rows of one run do not touch each other.
 */
import { z } from "zod";
import type { Floats, OnnxSession } from "../onnx.ts";

/** heads.json: widths, windows and calibration, as training wrote them. */
export const HeadSettings = z.object({
  latentWidth: z.int().positive(),
  historyWidth: z.int().positive(),
  contextWidth: z.int().positive(),
  /** Divides the logits over the 903 before their softmax; 1 where the graph calibrates them itself. */
  policyTemperature: z.number().positive(),
  /** P(goal reached) = sigmoid(scale x value + shift). */
  value: z.object({ scale: z.number(), shift: z.number() }),
  /** Tokens read of each kind of text, marks included. */
  goalTokens: z.int().positive(),
  stateTokens: z.int().positive(),
  toolTokens: z.int().positive(),
});
export type HeadSettings = z.infer<typeof HeadSettings>;

/** A place to act from: latents z = r x u of state and goal, and the memory of the actions taken. */
export type Place = { state: Float32Array; goal: Float32Array; history: Float32Array };

/** What `act` says of a place. `query` finds the next tool by its text; `logits` are over the 903, calibrated. */
export type Act = {
  context: Float32Array;
  query: Float32Array;
  logits: Float32Array;
  /** ln of the sum of the exponentials of the logits before they are calibrated: what `next` weighs an action by. */
  normaliser: number;
  /** Calibrated probability that the goal is reached. */
  reached: number;
};

/** `action`: vector of one of the 903, or a tool text's unit vector. */
export type Move = { place: Place; act: Act; action: Float32Array };
export type Moved = {
  state: Float32Array;
  history: Float32Array;
  /** ‖z' − z‖. */
  change: number;
  /** Where the action would lead if it took full effect: what the next state is ranked by. */
  proposal: Float32Array;
};

export type Mix = { scale: number; query: number; words: number; name: number; threshold: number };

export type Heads = {
  settings: HeadSettings;
  /** Unit text vectors -> latents, and their magnitudes. */
  latents(vectors: readonly Float32Array[]): Promise<{ latent: Float32Array; magnitude: number }[]>;
  act(places: readonly Place[]): Promise<Act[]>;
  next(moves: readonly Move[]): Promise<Moved[]>;
  /** The memory with one more action in it: all that is kept of a step long past. */
  remember(steps: readonly { history: Float32Array; action: Float32Array }[]): Promise<Float32Array[]>;
  /** Numbers of a whole list of tools -> how its features are weighed. */
  mix(lists: readonly Float32Array[]): Promise<Mix[]>;
  /** The vector of an action of the 903, as `next` takes it. */
  actionVector(id: number): Float32Array;
  /** The memory before anything was done. */
  noHistory: Float32Array;
  close(): Promise<void>;
};

export type HeadSessions = Record<"latent" | "act" | "next" | "tools", OnnxSession>;

/** Rows of one run: more only hold the thread and its memory longer. */
const maxRows = 512;
/** A single row goes another way through the runtime's arithmetic and would differ in the last bits. */
const leastRows = 2;

export function createHeads(
  sessions: HeadSessions,
  settings: HeadSettings,
  actionVectors: Float32Array,
  actionCount: number,
): Heads {
  const width = actionVectors.length / actionCount;

  /** Runs a graph over rows of named inputs; gives, per output, its rows. */
  async function run(
    session: OnnxSession,
    inputs: Record<string, readonly Float32Array[]>,
  ): Promise<Record<string, Float32Array[]>> {
    const count = Object.values(inputs)[0]!.length;
    const found: Record<string, Float32Array[]> = {};
    for (let begin = 0; begin < count; begin += maxRows) {
      const end = Math.min(count, begin + maxRows);
      const feeds = Object.fromEntries(
        Object.entries(inputs).map(([name, rows]) => [name, pack(rows.slice(begin, end))]),
      );
      for (const [name, output] of Object.entries(await session.run(feeds))) {
        const rows = found[name] ?? [];
        found[name] = rows;
        const rowWidth = output.values.length / output.shape[0]!;
        for (let row = 0; row < end - begin; row++)
          rows.push(output.values.subarray(row * rowWidth, (row + 1) * rowWidth));
      }
    }
    return found;
  }

  return {
    settings,
    noHistory: new Float32Array(settings.historyWidth),
    actionVector: (id) => actionVectors.subarray(id * width, (id + 1) * width),
    async latents(vectors) {
      if (vectors.length === 0) return [];
      const { latent, magnitude } = await run(sessions.latent, { embedding: vectors });
      return vectors.map((_, row) => ({ latent: latent![row]!, magnitude: magnitude![row]![0]! }));
    },
    async act(places) {
      if (places.length === 0) return [];
      const out = await run(sessions.act, {
        state: places.map(({ state }) => state),
        goal: places.map(({ goal }) => goal),
        history: places.map(({ history }) => history),
      });
      const { scale, shift } = settings.value;
      return places.map((_, row) => ({
        context: out.context![row]!,
        query: out.query![row]!,
        logits: out.logits![row]!,
        normaliser: out.normaliser![row]![0]!,
        reached: 1 / (1 + Math.exp(-(scale * out.value![row]![0]! + shift))),
      }));
    },
    async next(moves) {
      if (moves.length === 0) return [];
      const out = await run(sessions.next, {
        state: moves.map(({ place }) => place.state),
        history: moves.map(({ place }) => place.history),
        context: moves.map(({ act }) => act.context),
        query: moves.map(({ act }) => act.query),
        normaliser: moves.map(({ act }) => Float32Array.of(act.normaliser)),
        action: moves.map(({ action }) => action),
      });
      return moves.map((_, row) => ({
        state: out.next![row]!,
        history: out.history_next![row]!,
        change: out.change![row]![0]!,
        proposal: out.proposal![row]!,
      }));
    },
    async remember(steps) {
      if (steps.length === 0) return [];
      const empty = (count: number) => new Float32Array(count).fill(1);
      const [state, context, query, normaliser] = [settings.latentWidth, settings.contextWidth, width, 1].map(
        empty,
      ) as [Float32Array, Float32Array, Float32Array, Float32Array];
      // The memory depends on itself and the action only; the rest of the graph is given anything.
      const { history_next: remembered } = await run(sessions.next, {
        state: steps.map(() => state),
        history: steps.map(({ history }) => history),
        context: steps.map(() => context),
        query: steps.map(() => query),
        normaliser: steps.map(() => normaliser),
        action: steps.map(({ action }) => action),
      });
      return remembered!;
    },
    async mix(lists) {
      if (lists.length === 0) return [];
      const { mix } = await run(sessions.tools, { list: lists });
      return mix!.map(([scale, query, words, name, threshold]) => ({
        scale: scale!,
        query: query!,
        words: words!,
        name: name!,
        threshold: threshold!,
      }));
    },
    close: async () => {
      for (const session of Object.values(sessions)) await session.close();
    },
  };
}

function pack(rows: readonly Float32Array[]): Floats {
  const width = rows[0]!.length;
  const count = Math.max(leastRows, rows.length);
  const values = new Float32Array(count * width);
  for (let row = 0; row < count; row++) values.set(rows[row] ?? rows[0]!, row * width);
  return { kind: "float32", values, shape: [count, width] };
}
