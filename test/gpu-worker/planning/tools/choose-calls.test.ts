// Which tools a first plan calls, by what the reader of sessions and the mixer say of each.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseCalls, readCallEvidence } from "../../../../gpu-worker/planning/tools/choose-calls.ts";

const config = {
  weights: { part: 0.5, none: 0.2, leads: 0.5, reader: 0.5, planned: 0.4 },
  shift: 0.7,
  recall: 0.6,
};
/** The reader's plan, and the highest probability that it gave each tool. */
const plan = (tools: readonly number[], peaks: readonly number[]) => ({
  steps: tools.map((tool) => ({ tool, probability: peaks[tool]! })),
  peaks: Float64Array.from(peaks),
});
/** For each part the probabilities of the tools; the rest is "none of them". */
const mix = (...parts: readonly (readonly number[])[]): Float64Array[] =>
  parts.map((tools) => Float64Array.from([...tools, 1 - tools.reduce((sum, chance) => sum + chance, 0)]));
const toolsOf = (steps: readonly { tool: number }[]) => steps.map(({ tool }) => tool);

describe("the evidence on a tool", () => {
  it("is of the part that gives it most, and of the reader's highest probability", () => {
    const [first, second] = readCallEvidence(plan([1], [0.1, 0.5]), mix([0.2, 0.7], [0.5, 0.3]));
    expect(first).toMatchObject({ part: 0, leads: 1, planned: 0 });
    expect(first!.none).toBeCloseTo(Math.log(0.2));
    expect(first!.reader).toBeCloseTo(Math.log(1 / 9));
    expect(second).toMatchObject({ leads: 1, reader: 0, planned: 1 });
    expect(second!.part).toBeCloseTo(Math.log(7 / 3));
  });

  it("is finite where a probability is 0 or 1", () => {
    for (const evidence of readCallEvidence(plan([0], [1, 0]), mix([1, 0], [0, 0])))
      for (const value of Object.values(evidence)) expect(Number.isFinite(value)).toBe(true);
  });
});

describe("the calls of a first plan", () => {
  it("leave out what the reader goes on with when nothing is left to do", () => {
    const peaks = [0.8, 0.2, 0.15, 0.1];
    expect(toolsOf(chooseCalls(plan([0, 1, 2, 3], peaks), mix([0.9, 0.01, 0.01, 0.01]), config))).toEqual([
      0,
    ]);
  });

  it("hold what a part asks for and the reader passed over", () => {
    const parts = mix([0.9, 0.02, 0.01], [0.02, 0.9, 0.01]);
    expect(toolsOf(chooseCalls(plan([0], [0.9, 0.1, 0.05]), parts, config))).toEqual([0, 1]);
  });

  it("keep the reader's first, which no part need name", () => {
    const parts = mix([0.01, 0.9, 0.01], [0.01, 0.02, 0.95]);
    expect(toolsOf(chooseCalls(plan([0, 1, 2], [0.35, 0.9, 0.9]), parts, config))).toEqual([0, 1, 2]);
  });

  it("hold no tool that is ruled out, whatever a part says", () => {
    const parts = mix([0.9, 0.05], [0.01, 0.98]);
    const eager = { ...config, shift: 9, recall: 1 };
    expect(toolsOf(chooseCalls(plan([0], [0.9, 0.001]), parts, eager))).toEqual([0, 1]);
    expect(toolsOf(chooseCalls(plan([0], [0.9, 0]), parts, eager))).toEqual([0]);
  });

  it("are more the more a missing call weighs", () => {
    const chosen = (recall: number) =>
      chooseCalls(plan([0, 1, 2], [0.7, 0.4, 0.3]), mix([0.6, 0.2, 0.1]), { ...config, recall }).length;
    const counts = [0, 0.5, 1].map(chosen);
    expect(counts).toEqual(counts.toSorted());
    expect(counts[0]).toBe(1);
  });

  it("are each made once, the reader's in its order before the others", () => {
    const chance = fc.double({ min: 0.01, max: 0.99, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(chance, { minLength: 2, maxLength: 8 }),
        fc.array(fc.nat(1), { minLength: 1, maxLength: 6 }),
        fc.array(chance, { minLength: 2, maxLength: 8 }),
        (peaks, planned, part) => {
          const mixed = peaks.map((_, tool) => (part[tool] ?? 0.01) / peaks.length);
          const calls = chooseCalls(plan(planned, peaks), mix(mixed), config);
          const tools = toolsOf(calls);
          expect(new Set(tools).size).toBe(tools.length);
          expect(tools).toContain(planned[0]);
          const order = [...new Set(planned)].filter((tool) => tools.includes(tool));
          expect(tools.slice(0, order.length)).toEqual(order);
          for (const { probability } of calls) expect(probability > 0 && probability < 1).toBe(true);
        },
      ),
    );
  });
});
