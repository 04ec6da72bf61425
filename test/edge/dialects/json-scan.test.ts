import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ObjectScan } from "../../../edge/dialects/json-scan.ts";

describe("an object's text as it grows", () => {
  const isWhole = (pieces: readonly string[]) => {
    const scan = new ObjectScan();
    for (const piece of pieces) scan.add(piece);
    return scan.isWhole();
  };

  test("is whole with its last bracket, wherever it is cut", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.nat(),
        fc.boolean(),
        (value, cut, spread) => {
          const text = JSON.stringify(value, null, spread ? 1 : 0);
          const at = cut % text.length;
          expect(isWhole([" ", text.slice(0, at), text.slice(at), "\n"])).toBe(true);
          expect(isWhole([text.slice(0, at)])).toBe(false);
        },
      ),
    );
  });

  test.each(["", " ", "[]", '"{}"', "1", "{}{}", "{} x", '{"a":"}', '{"a":"\\"}', "}{"])(
    "is not: %j",
    (text) => {
      expect(isWhole([text])).toBe(false);
      expect(isWhole([...text])).toBe(false);
    },
  );
});
