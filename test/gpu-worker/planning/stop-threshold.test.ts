// When a plan over tools may stop: by which parts of the message are left, and by how the last call went.
import { describe, expect, it } from "vitest";
import type { Progress } from "../../../gpu-worker/planning/progress.ts";
import { stopThreshold } from "../../../gpu-worker/planning/stop-threshold.ts";
import { type SessionView, toolNumbers } from "../../../gpu-worker/world-model/session-reader.ts";

const countedStopFrom = { answered: 0.4, passed: 0.55, behind: 0.95 };
const stopping = { stopFrom: 0.9, planStopFrom: 0.5, servedStopFrom: 0.7, countedStopFrom };
const vector = new Float32Array(2);

const unclear = { progress: "unclear", hasSequel: false } as const;

/** `left`: share of the parts that no call has served; `called`: whether anything was called since the message. */
function view(left: number, called: boolean, failed = false): SessionView {
  const numbers = new Float32Array(toolNumbers);
  numbers[11] = called ? 1 / 3 : 0;
  numbers[24] = left;
  const result = { kind: "result", vector, numbers: [1, 0, Number(failed), 0] } as const;
  const said = { kind: "user", vector, numbers: [0, 1, 0, 0] } as const;
  return { events: called ? [result, said] : [said], tools: [{ vector, numbers }] };
}

describe("an ending must be", () => {
  it.each([
    ["sure where nothing was called yet", view(1, false), 2, 0, 0.9],
    ["sure where nothing was called, though no part asks for a tool", view(0, false), 0, 0, 0.9],
    ["sure while a part is left", view(0.5, true), 2, 0, 0.9],
    ["likelier than not at later steps of a plan with a part left", view(0.5, true), 2, 1, 0.5],
    ["likely once all parts are served", view(0, true), 2, 0, 0.7],
    ["sure again where the last call failed", view(0, true, true), 2, 0, 0.9],
    ["nothing where a plan's steps have served several parts", view(0, true), 2, 2, 0],
    ["likely where they have served the only one, which may take more", view(0, true), 0, 2, 0.7],
  ])("%s", (_name, seen, parts, step, wanted) => {
    expect(stopThreshold({ view: seen, parts, step }, unclear, stopping)).toBe(wanted);
  });
});

describe("counted calls", () => {
  const seen = view(0.5, true);
  const least = (progress: Progress, hasSequel = false, step = 0, of = seen) =>
    stopThreshold({ view: of, parts: 2, step }, { progress, hasSequel }, stopping);

  it("let a plan stop at a less likely ending where they answer, pass or are as many as the wishes", () => {
    expect([least("answered"), least("passed"), least("even")]).toEqual([0.4, 0.55, 0.7]);
  });

  it("ask for a surer one where they are fewer than the wishes, even if the mixer sees all parts served", () => {
    expect([least("behind"), least("behind", false, 0, view(0, true))]).toEqual([0.95, 0.95]);
  });

  it("never let it stop while what came next before is still to be called", () => {
    expect(least("even", true)).toBe(Number.POSITIVE_INFINITY);
  });

  it("say nothing of planned steps, nor of a new message", () => {
    expect(least("answered", true, 1)).toBe(0.5);
    expect(least("unclear", true, 0, view(1, false))).toBe(0.9);
  });
});
