import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Floats, OnnxSession } from "../../../gpu-worker/inference/session.ts";
import {
  type Act,
  createHeads,
  type HeadSessions,
  type HeadSettings,
  type Move,
  type Place,
} from "../../../gpu-worker/world-model/heads.ts";
import { createScratch } from "../../../gpu-worker/world-model/scratch.ts";
import { dot, norm } from "../../../gpu-worker/world-model/vectors.ts";
import { loadWorldModel, type WorldModel } from "../../../gpu-worker/world-model/world-model.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const checkpointDir = fileURLToPath(new URL("../../../gpu-worker/checkpoints/base", import.meta.url));
const texts = [
  "Find a cheap hotel in Lisbon and book it",
  "Nothing has been done yet.",
  "Three hotels were found.",
  "Send an email to Anna about the meeting",
  "The draft is open.",
];

let model: WorldModel;
let places: Place[];
beforeAll(async () => {
  model = await loadWorldModel({ checkpointDir, device: "cpu" });
  const encoded = await model.encoder.encode(
    texts.map((text) => ({ text, keep: "start", remember: false }) as const),
  );
  const latents = await model.heads.latents(encoded.map(({ vector }) => vector));
  const [hotel, nothing, found, mail, draft] = latents.map(({ latent }) => latent) as [
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const history = model.heads.noHistory;
  places = [
    { state: nothing, goal: hotel, history },
    { state: found, goal: hotel, history },
    { state: draft, goal: mail, history },
  ];
});
afterAll(() => model.close());

const movesOf = async (some: readonly Place[], id: number): Promise<Move[]> =>
  (await model.heads.act(some)).map((act, row) => {
    return { place: some[row]!, act, action: model.heads.actionVector(id) };
  });

/** As many unit vectors of any direction; the same ones every time. */
function unitVectors(count: number): Float32Array[] {
  let seed = 1;
  const next = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 30 - 1;
  };
  return Array.from({ length: count }, () => {
    const vector = Float32Array.from({ length: model.manifest.encoderDimension }, next);
    const length = norm(vector);
    return vector.map((value) => value / length);
  });
}

/** Least squares of a x first + b x second = third over rows: [a, b]. */
function solvePair(rows: readonly number[][]): [number, number] {
  const sum = (left: number, right: number) =>
    rows.reduce((total, row) => total + row[left]! * row[right]!, 0);
  const [aa, ab, bb, ac, bc] = [sum(0, 0), sum(0, 1), sum(1, 1), sum(0, 2), sum(1, 2)];
  const determinant = aa * bb - ab * ab;
  return [(ac * bb - bc * ab) / determinant, (bc * aa - ac * ab) / determinant];
}

describe("the heads", () => {
  it("give latents of the stated magnitude, 8 to 22", async () => {
    const encoded = await model.encoder.encode([{ text: "a page", keep: "start", remember: false }]);
    const [found] = await model.heads.latents(encoded.map(({ vector }) => vector));
    expect(found!.latent).toHaveLength(model.manifest.dimension);
    expect(norm(found!.latent)).toBeCloseTo(found!.magnitude, 3);
    expect(found!.magnitude).toBeGreaterThanOrEqual(8 - 1e-3);
    expect(found!.magnitude).toBeLessThanOrEqual(22 + 1e-3);
  });

  it("say of a place the calibrated logits of 903 actions, and a probability", async () => {
    for (const { logits, reached } of await model.heads.act(places)) {
      expect(logits).toHaveLength(903);
      for (const logit of logits) expect(Number.isFinite(logit)).toBe(true);
      expect(reached).toBeGreaterThan(0);
      expect(reached).toBeLessThan(1);
    }
  });

  it("calibrate by one factor a row; the normaliser is that of the logits before", async () => {
    const [first, , second] = (await model.heads.act(places)) as [Act, Act, Act];
    // raw logit = query x action + bias: between two places the bias falls out, which leaves the two factors.
    const rows = Array.from(first.logits, (_, id) => {
      const action = model.heads.actionVector(id);
      return [first.logits[id]!, -second.logits[id]!, dot(first.query, action) - dot(second.query, action)];
    });
    const factors = solvePair(rows);
    for (const [at, { logits, normaliser }] of [first, second].entries()) {
      const raw = Array.from(logits, (logit) => logit * factors[at]!);
      expect(factors[at]).toBeGreaterThan(0);
      expect(Math.log(raw.reduce((sum, logit) => sum + Math.exp(logit), 0))).toBeCloseTo(normaliser, 1);
    }
  });

  /** Rows of one run may take turns in a vector instruction: sums of few numbers then differ by where a row lies. */
  it.each([1, 2, 3, 5, 6, 7, 9, 13, 17])(
    "give a row the same bits in runs of %i and of hundreds",
    async (size) => {
      const vectors = unitVectors(300);
      const inRuns = async <Row, Found>(rows: readonly Row[], run: (some: Row[]) => Promise<Found[]>) => {
        const found: Found[] = [];
        for (let begin = 0; begin < rows.length; begin += size)
          found.push(...(await run(rows.slice(begin, begin + size))));
        return found;
      };
      const latents = await model.heads.latents(vectors);
      expect(await inRuns(vectors, model.heads.latents)).toEqual(latents);
      const history = model.heads.noHistory;
      const many = latents.slice(0, 60).map(({ latent }, row): Place => {
        return { state: latent, goal: latents.at(row - 7)!.latent, history };
      });
      const acts = await model.heads.act(many);
      expect(await inRuns(many, model.heads.act)).toEqual(acts);
      const moves = await movesOf(many, 57);
      const moved = await model.heads.next(moves);
      expect(await inRuns(moves, model.heads.next)).toEqual(moved);
      const lists = vectors.map((vector) => vector.subarray(0, 10).map((value) => 20 * value));
      expect(await inRuns(lists, model.heads.mix)).toEqual(await model.heads.mix(lists));
    },
  );

  it("move the state by the change they state, and keep the memory that remember gives", async () => {
    const moves = await movesOf(places, 57);
    const remembered = await model.heads.remember(
      moves.map(({ place, action }) => ({ history: place.history, action })),
    );
    for (const [row, { state, history, change }] of (await model.heads.next(moves)).entries()) {
      const { place } = moves[row]!;
      expect(norm(state.map((value, i) => value - place.state[i]!))).toBeCloseTo(change, 2);
      expect(Array.from(history)).toEqual(Array.from(remembered[row]!));
    }
  });

  it("leave the state nearly alone for noop and wait, and move it far for submit, book and delete", async () => {
    const changeOf = async (name: string) => {
      const moved = await model.heads.next(await movesOf(places, model.table.idOfName(name)!));
      return moved.map(({ change }) => change).sort((left, right) => left - right)[1]!;
    };
    for (const name of ["noop", "wait"]) expect(await changeOf(name)).toBeLessThan(5);
    for (const name of ["submit", "book", "delete"]) expect(await changeOf(name)).toBeGreaterThan(10);
  });

  it("do nothing for nothing", async () => {
    expect(await model.heads.act([])).toEqual([]);
    expect(await model.heads.next([])).toEqual([]);
    expect(await model.heads.latents([])).toEqual([]);
    expect(await model.heads.mix([])).toEqual([]);
    expect(await model.heads.remember([])).toEqual([]);
  });
});

describe("the heads' inputs and outputs", () => {
  const settings: HeadSettings = {
    ...{ latentWidth: 2, historyWidth: 2, contextWidth: 2, goalTokens: 8, stateTokens: 8, toolTokens: 8 },
    value: { scale: 2, shift: -1 },
  };
  const fed: Record<string, number[][]>[] = [];
  /** A graph whose outputs count up from 1 in each row, and that keeps what it is given. */
  const sessionOf = (rowShapes: Record<string, readonly number[]>) =>
    ({
      rowShapes,
      run: async (inputs: Record<string, Floats>, outputs: Record<string, Floats>) => {
        fed.push(Object.fromEntries(Object.entries(inputs).map(([name, one]) => [name, rowsOf(one)])));
        for (const { values, shape } of Object.values(outputs))
          values.set(values.map((_, at) => 1 + (at % (values.length / shape[0]!))));
      },
    }) as unknown as OnnxSession;
  const rowsOf = ({ values, shape }: Floats) =>
    Array.from({ length: shape[0]! }, (_, row) => [
      ...values.subarray((row * values.length) / shape[0]!, ((row + 1) * values.length) / shape[0]!),
    ]);
  const sessions = {
    tools: sessionOf({ mix: [5] }),
    act: sessionOf({ context: [2], query: [2], logits: [3], normaliser: [1], value: [1] }),
    next: sessionOf({ next: [2], history_next: [2], change: [1] }),
  } as unknown as HeadSessions;
  const heads = createHeads(sessions, settings, new Float32Array(903 * 2), createScratch(0));
  const place = { state: Float32Array.of(1, 2), goal: Float32Array.of(3, 4), history: Float32Array.of(5, 6) };

  it("are the mixer's columns but the second, whose feature has no weight any more", async () => {
    const [mix] = await heads.mix([Float32Array.of(1)]);
    expect(mix).toEqual({ scale: 1, words: 3, name: 4, threshold: 5 });
  });

  it("are the chance that the goal is reached, by scale and shift of the value", async () => {
    const [act] = await heads.act([place]);
    expect(act!.reached).toBeCloseTo(1 / (1 + Math.exp(-1)), 12);
  });

  it("are what the step's act has said, each of its own move", async () => {
    const act = (normaliser: number): Act => ({
      ...{ context: Float32Array.of(7, 8), query: Float32Array.of(9, 10), logits: new Float32Array(3) },
      ...{ normaliser, reached: 0 },
    });
    const action = Float32Array.of(11, 12);
    await heads.next([11, 22].map((normaliser): Move => ({ place, act: act(normaliser), action })));
    expect(fed.at(-1)).toEqual({
      state: [
        [1, 2],
        [1, 2],
      ],
      history: [
        [5, 6],
        [5, 6],
      ],
      context: [
        [7, 8],
        [7, 8],
      ],
      query: [
        [9, 10],
        [9, 10],
      ],
      normaliser: [[11], [22]],
      action: [
        [11, 12],
        [11, 12],
      ],
    });
  });
});
