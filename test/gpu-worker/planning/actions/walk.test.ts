// Walks through made-up dynamics: a step adds the action's number to the state, the policy likes the state's own number.
import { describe, expect, it } from "vitest";
import { lookAhead, type Path, walk } from "../../../../gpu-worker/planning/actions/walk.ts";
import { actionIds } from "../../../../gpu-worker/world-model/actions.ts";
import type { Move, Place } from "../../../../gpu-worker/world-model/heads.ts";
import type { WorldModel } from "../../../../gpu-worker/world-model/world-model.ts";

const runs: string[] = [];
const model = {
  heads: {
    async act(places: readonly Place[]) {
      if (places.length > 0) runs.push(`act ${places.length}`);
      return places.map(({ state }) => {
        const logits = new Float32Array(20).fill(0);
        logits[state[0]!] = 5;
        return { logits, reached: state[0]! / 100 };
      });
    },
    async next(moves: readonly Move[]) {
      if (moves.length > 0) runs.push(`next ${moves.length}`);
      return moves.map(({ place, action }) => ({
        state: Float32Array.of(place.state[0]! + action[0]!),
        history: Float32Array.of(place.history[0]! + 1),
        change: action[0]!,
      }));
    },
  },
} as unknown as WorldModel;

const path = (state: number, ids: readonly number[]): Path => ({
  place: { state: Float32Array.of(state), goal: Float32Array.of(0), history: Float32Array.of(0) },
  moves: ids.map((id) => ({ id, vector: Float32Array.of(id) })),
});
const statesOf = async (one: Path) => (await walk(model, [one]))[0]!.steps.map(({ state }) => state[0]);

describe("a look ahead", () => {
  it("sees every move as if it were the first, and what the first one gains, in three runs", async () => {
    runs.length = 0;
    const [long, none] = await lookAhead(model, [path(10, [5, 7, 9]), path(3, [])]);
    expect(runs).toEqual(["act 2", "next 3", "act 2"]);
    expect(long!.atOnce.map(({ change, state }) => [change, state[0]])).toEqual([
      [5, 15],
      [7, 17],
      [9, 19],
    ]);
    expect([long!.before.reached, long!.after.reached]).toEqual([0.1, 0.15]);
    expect(none).toMatchObject({ atOnce: [], before: { reached: 0.03 }, after: { reached: 0.03 } });
  });

  it("takes a mark of a sequence for no move", async () => {
    const [{ second, before, after }] = (await lookAhead(model, [path(4, [actionIds.end, 6])])) as never as [
      Awaited<ReturnType<typeof lookAhead>>[0],
    ];
    expect(second.state[0]).toBe(4);
    expect(after.reached).toBe(before.reached);
  });
});

describe("a walk", () => {
  it("goes from each state to the next by its moves", async () => {
    expect(await statesOf(path(1, [4, 6, 4]))).toEqual([5, 11, 15]);
  });

  it("is not moved by the marks of a sequence", async () => {
    const { pad, start, end } = actionIds;
    const [found] = await walk(model, [path(1, [pad, 4, end, start, 6])]);
    expect(found!.steps.map(({ state, change }) => [state[0], change])).toEqual([
      [1, 0],
      [5, 4],
      [5, 0],
      [5, 0],
      [11, 6],
    ]);
  });

  it("states the policy's chance of each step where it is taken, and its first choice", async () => {
    const [found] = await walk(model, [path(6, [6, 4])]);
    const likely = Math.exp(5) / (Math.exp(5) + 19);
    expect(found!.firstChoice).toBe(6);
    expect(found!.steps[0]!.chance).toBeCloseTo(likely, 6);
    expect(found!.steps[1]!.chance).toBeCloseTo((1 - likely) / 19, 6);
  });

  it("says how near the goal was before the first step and after it, also behind a single step", async () => {
    for (const moves of [[5], [5, 6, 7]]) {
      const [found] = await walk(model, [path(10, moves)]);
      const { reached } = found!;
      expect(reached.before).toBeCloseTo(0.1, 6);
      expect(reached.afterFirst).toBeCloseTo(0.15, 6);
    }
  });

  it("without steps only looks", async () => {
    const [found] = await walk(model, [path(7, [])]);
    expect(found).toMatchObject({ steps: [] });
    expect(found!.reached.afterFirst).toBe(found!.reached.before);
    expect(await walk(model, [])).toEqual([]);
  });

  it("is the same alone and beside others of any length, which share its runs", async () => {
    const paths = [path(1, [4]), path(2, []), path(3, [5, 0, 6, 7]), path(4, [10, 11])];
    runs.length = 0;
    const together = await walk(model, paths);
    expect(runs).toEqual(["act 4", "next 7", "act 4", "next 2", "act 1", "next 1", "act 1", "next 1"]);
    for (const [at, one] of paths.entries()) expect((await walk(model, [one]))[0]).toEqual(together[at]);
  });
});
