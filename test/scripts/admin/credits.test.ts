import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseCreditsMicro } from "../../../scripts/admin/credits.ts";
import { toCredits } from "../../../shared/credits.ts";

describe("parseCreditsMicro", () => {
  test.each([
    ["0", 0],
    ["10", 10_000_000],
    ["0.1", 100_000],
    ["2.50", 2_500_000],
    ["0.000001", 1],
    ["999999999.999999", 999_999_999_999_999],
    ["1000000000", 1_000_000_000_000_000],
  ])("reads %s", (text, micro) => expect(parseCreditsMicro(text)).toBe(micro));

  test.each([
    "",
    " ",
    "-1",
    "+1",
    "1.",
    ".5",
    "1e3",
    "1,5",
    "0x10",
    "NaN",
    "Infinity",
    "0.0000001",
    "1000000000.000001",
  ])("refuses %j", (text) => expect(() => parseCreditsMicro(text)).toThrow("credits"));

  test("reads back what the wire shows", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 15 }), (micro) => {
        fc.pre(toCredits(micro) >= 1e-6);
        expect(
          parseCreditsMicro(toCredits(micro) < 1e-5 ? toCredits(micro).toFixed(6) : `${toCredits(micro)}`),
        ).toBe(micro);
      }),
    );
  });
});
