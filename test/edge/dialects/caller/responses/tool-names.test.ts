// One name for each tool of a namespace: unique, short and plain enough for every provider, the same on every turn, and split into
// namespace and name again in the answer.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nameTools, type ToolName } from "../../../../../edge/dialects/caller/responses/tool-names.ts";
import { leastMs } from "../../../../support/least-ms.ts";

const fits = /^[\w-]{1,64}$/;

/** Few letters, so that names meet; all of Unicode and any length, so that they do not fit. */
const word = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "_", ".", "__"), minLength: 1, maxLength: 4 }),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 128 }),
);
const tool: fc.Arbitrary<ToolName> = fc.record(
  { name: word, namespace: word },
  { requiredKeys: ["name"], noNullPrototype: true },
);
const toolsOf = fc.uniqueArray(tool, {
  maxLength: 40,
  selector: ({ name, namespace }) => JSON.stringify([name, namespace ?? null]),
});

describe("the names of any tools", () => {
  test("are unique, and fit where a namespace was joined", () => {
    fc.assert(
      fc.property(toolsOf, (tools) => {
        const names = nameTools(tools);
        const joined = tools.map(names.join);
        expect(new Set(joined).size).toBe(tools.length);
        for (const [at, { name, namespace }] of tools.entries()) {
          if (namespace === undefined) expect(joined[at]).toBe(name);
          else expect(joined[at]).toMatch(fits);
        }
      }),
    );
  });

  test("are split into the names that the caller wrote", () => {
    fc.assert(
      fc.property(toolsOf, (tools) => {
        const names = nameTools(tools);
        for (const own of tools) {
          expect(names.split(names.join(own))).toEqual(own);
          expect(names.find(own)).toEqual([names.join(own)]);
        }
      }),
    );
  });

  test("are the same whatever order the tools come in", () => {
    const shuffled = toolsOf.chain((tools) =>
      fc.tuple(
        fc.constant(tools),
        fc.shuffledSubarray(tools, { minLength: tools.length, maxLength: tools.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([tools, others]) => {
        const again = nameTools(others);
        expect(tools.map(again.join)).toEqual(tools.map(nameTools(tools).join));
      }),
    );
  });

  test("of calls whose tool is gone are those that the tool had, and fit", () => {
    fc.assert(
      fc.property(word, word, (namespace, name) => {
        const gone = nameTools([]).join({ namespace, name });
        expect(gone).toMatch(fits);
        expect(nameTools([{ namespace, name }]).join({ namespace, name })).toBe(gone);
      }),
    );
  });
});

const join = (...tools: ToolName[]) => tools.map(nameTools(tools).join);

describe("a joined name", () => {
  test("is both names, with one separator between them", () => {
    expect(
      join(
        { namespace: "mcp__github", name: "list_issues" },
        { namespace: "mcp__files__", name: "read" },
        { namespace: "multi_agent_v1", name: "spawn" },
        { name: "shell" },
      ),
    ).toEqual(["mcp__github__list_issues", "mcp__files__read", "multi_agent_v1__spawn", "shell"]);
  });

  test("is given to a tool without a namespace where one has it, and to none of several namespaces", () => {
    const [own, nested] = join({ name: "a__b" }, { namespace: "a", name: "b" });
    expect(own).toBe("a__b");
    expect(nested).toMatch(/^a__b_[\da-f]{8}$/);
    const alike = join({ namespace: "a", name: "b__c" }, { namespace: "a__b", name: "c" });
    for (const name of alike) expect(name).toMatch(/^a__b__c_[\da-f]{8}$/);
  });

  test("is shortened at the namespace first", () => {
    const [long, longer] = join(
      { namespace: "mcp__a_server_with_a_name_of_many_words", name: "a_tool_with_a_name_as_long" },
      { namespace: "n".repeat(128), name: "t".repeat(128) },
    );
    expect(long).toMatch(/^mcp__a_server_with_a_name_o__a_tool_with_a_name_as_long_[\da-f]{8}$/);
    expect(longer).toMatch(/^n{13}__t{40}_[\da-f]{8}$/);
  });

  // Another name would change the prompt of every session that runs.
  test("is the same in each release, as stored conversations hold it", () => {
    expect(join({ namespace: "mcp.git hub", name: "list issues" })).toEqual([
      "mcp_git_hub__list_issues_464d88e0",
    ]);
  });
});

describe("a name without its namespace", () => {
  const names = nameTools([
    { name: "read" },
    { namespace: "mcp__a", name: "read" },
    { namespace: "mcp__a", name: "write" },
    { namespace: "mcp__b", name: "list" },
    { namespace: "mcp__c", name: "list" },
  ]);

  test("is a tool that has none, else the only one that is named so", () => {
    expect(names.find({ name: "read" })).toEqual(["read"]);
    expect(names.find({ name: "write" })).toEqual(["mcp__a__write"]);
    expect(names.find({ name: "mcp__a__write" })).toEqual(["mcp__a__write"]);
    expect(names.join({ name: "write", namespace: null })).toBe("mcp__a__write");
  });

  test("is all that are named so, and none of them in the history", () => {
    expect(names.find({ name: "list" })).toEqual(["mcp__b__list", "mcp__c__list"]);
    expect(names.join({ name: "list" })).toBe("list");
    expect(names.find({ name: "gone" })).toEqual([]);
    expect(names.find({ namespace: "mcp__b", name: "write" })).toEqual([]);
  });

  test("of a namespace that is written with its separator is the same tool", () => {
    expect(names.find({ namespace: "mcp__a__", name: "write" })).toEqual(["mcp__a__write"]);
  });
});

describe("a thousand tools whose names all have one hash", () => {
  /** FNV-1a ends in the same state after either of a pair, whatever is around them. */
  const pairs = [["1unw", "ywba"], ["53zx", "cpad"], ...Array.from({ length: 8 }, () => ["33zx", "epad"])];
  const tools = Array.from({ length: 1_000 }, (_, number) => ({
    namespace: "mcp",
    name: "a".repeat(40) + pairs.map((pair, at) => pair[(number >> at) & 1]).join(""),
  }));

  test("are told apart without blocking, each by a name of its own", async () => {
    expect(await leastMs(250, () => nameTools(tools))).toBeLessThan(250);
    expect(new Set(tools.map(nameTools(tools).join)).size).toBe(1_000);
  });
});
