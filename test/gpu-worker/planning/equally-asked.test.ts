import { expect, it } from "vitest";
import { withoutForbidden } from "../../../gpu-worker/planning/tool-chances.ts";

it("a denied tool is kept where another part asks for it as much as the denied one does", () => {
  const kept = (asked: number) => {
    const denied = [{ part: 1, text: "", verbs: [], isOpen: false }];
    const refused = { denied, always: new Set<number>(), untilCalled: new Set<number>() };
    const mixedParts = [Float64Array.of(asked, 1 - asked), Float64Array.of(0.5, 0.5)];
    const [logit] = withoutForbidden(
      Float64Array.of(1, 0),
      { refused, mixedParts, isBegun: true },
      { open: 0.1, other: 0.25 },
    );
    return logit === 1;
  };
  expect([0.49, 0.5, 0.51].map(kept)).toEqual([false, true, true]);
});
