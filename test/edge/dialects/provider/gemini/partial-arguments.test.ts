import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  applyPartialArgument,
  createObject,
  readPath,
} from "../../../../../edge/dialects/provider/gemini/partial-arguments.ts";

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A value taken apart the way the provider does: one piece per leaf, strings cut in two. */
function* takeApart(value: Json, path: string): Generator<Record<string, unknown> & { jsonPath: string }> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* takeApart(item, `${path}[${index}]`);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const step = /^[a-z]+$/i.test(key) ? `.${key}` : `['${key.replaceAll(/['\\]/g, "\\$&")}']`;
      yield* takeApart(item, path + step);
    }
  } else if (typeof value === "string") {
    const half = Math.floor(value.length / 2);
    yield { jsonPath: path, stringValue: value.slice(0, half), willContinue: true };
    yield { jsonPath: path, stringValue: value.slice(half) };
  } else if (typeof value === "number") yield { jsonPath: path, numberValue: value };
  else if (typeof value === "boolean") yield { jsonPath: path, boolValue: value };
  else yield { jsonPath: path, nullValue: null };
}

const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
/** Without empty containers: the provider has no piece that says one. */
const tree = fc.letrec<{ node: Json }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie("node"), { minLength: 1, maxLength: 4 }),
    fc.dictionary(fc.string({ minLength: 1 }), tie("node"), { minKeys: 1, maxKeys: 4 }),
  ),
})).node;

describe("arguments in pieces", () => {
  it("are joined to the value that was taken apart", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), tree, { minKeys: 1, maxKeys: 4 }), (value) => {
        const root = createObject();
        for (const piece of takeApart(value, "$")) expect(applyPartialArgument(root, piece)).toBe(true);
        expect(JSON.parse(JSON.stringify(root))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("treat __proto__ as a name like any other", () => {
    const root = createObject();
    expect(applyPartialArgument(root, { jsonPath: "$.__proto__.polluted", boolValue: true })).toBe(true);
    expect(JSON.stringify(root)).toBe('{"__proto__":{"polluted":true}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it.each([[""], ["a"], ["$"], ["$."], ["$[x]"], ["$.a[10001]"], ["$['open"], [`$${".a".repeat(65)}`]])(
    "refuse the path %j",
    (path) => {
      expect(readPath(path)).toBeUndefined();
    },
  );

  it("refuse a piece that does not fit what is there", () => {
    const root = createObject();
    expect(applyPartialArgument(root, { jsonPath: "$.list[0]", numberValue: 1 })).toBe(true);
    expect(applyPartialArgument(root, { jsonPath: "$.list.name", numberValue: 1 })).toBe(false);
    expect(applyPartialArgument(root, { jsonPath: "$[0]", numberValue: 1 })).toBe(false);
  });

  it("fill a few empty places of a list with null, and refuse a piece far behind its end", () => {
    const root = createObject();
    expect(applyPartialArgument(root, { jsonPath: "$.list[2]", numberValue: 1 })).toBe(true);
    expect(root).toEqual({ list: [null, null, 1] });
    expect(applyPartialArgument(root, { jsonPath: "$.list[1000]", numberValue: 1 })).toBe(false);
    expect(applyPartialArgument(root, { jsonPath: `$.other${"[9999]".repeat(60)}`, numberValue: 1 })).toBe(
      false,
    );
  });
});
