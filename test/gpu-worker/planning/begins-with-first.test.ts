import { expect, it } from "vitest";
import { orderByParts } from "../../../gpu-worker/planning/order-steps.ts";

it.each([
  [
    ["First add bananas to my list", "start the vacuum"],
    [0, 1],
  ],
  [
    ["Add bananas to my list", "but start the vacuum first"],
    [1, 0],
  ],
])(
  "steps of %j are in the order of its parts, unless a later part is to be done first",
  (parts, expected) => {
    const mixedParts = [Float64Array.of(0.8, 0.1, 0.1), Float64Array.of(0.2, 0.7, 0.1)];
    const steps = [1, 0].map((tool) => ({ tool, probability: 0.6 }));
    const ordered = orderByParts(
      steps,
      { parts, mixedParts, tools: Float64Array.of(0.3, 0.3) },
      { askedFrom: 0.1, firstFrom: 0.3, leadsFrom: 0.1 },
    );
    expect(ordered.map(({ tool }) => tool)).toEqual(expected);
  },
);
