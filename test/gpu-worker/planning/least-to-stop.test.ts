// When a plan over tools may stop: by which parts of the message are left, and by how the last call went.
import { describe, expect, it } from "vitest";
import { leastToStop } from "../../../gpu-worker/planning/least-to-stop.ts";
import { type SessionView, toolNumbers } from "../../../gpu-worker/world-model/session-reader.ts";

const stopping = { stopFrom: 0.9, planStopFrom: 0.5, servedStopFrom: 0.7 };
const vector = new Float32Array(2);

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
    expect(leastToStop({ view: seen, parts, step }, stopping)).toBe(wanted);
  });
});
