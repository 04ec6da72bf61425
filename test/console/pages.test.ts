import { describe, expect, test } from "vitest";
import { writeCsv } from "../../edge/console/account/csv.ts";
import { lastDays, listDays } from "../../edge/console/account/days.ts";
import { describeSchema, listOperations } from "../../edge/console/docs/read-openapi.ts";
import { excerpt, searchSections } from "../../edge/console/docs/search-sections.ts";
import {
  compareAll,
  findClosest,
  readLines,
  scaleBetween,
} from "../../edge/console/embeddings/similarity.ts";
import { searchActions } from "../../edge/console/rollout/search-actions.ts";

describe("usage", () => {
  const row = { requests: 1, prompt_tokens: 2, completion_tokens: 3, planning_tokens: 4, credits: 0.5 };

  test("as CSV keeps quotes and commas, and no cell is a formula", () => {
    const names = ["plain", 'a "b", c', "=HYPERLINK(1)", "+1", "-1", "@x", "line\nbreak"];
    const csv = writeCsv(
      "key",
      names.map((group) => ({ group, ...row })),
    );
    const firsts = csv.split("\r\n").map((line) => line.replace(/,1,2,3,4,0\.5$/, ""));
    expect(firsts).toEqual([
      "key,requests,prompt_tokens,completion_tokens,planning_tokens,credits",
      "plain",
      '"a ""b"", c"',
      "'=HYPERLINK(1)",
      "'+1",
      "'-1",
      "'@x",
      '"line\nbreak"',
      "",
    ]);
  });

  test("by key as CSV has each key's name beside its id, and no name is a formula", () => {
    const csv = writeCsv("key", [{ group: "key_1", ...row }], () => "=Zoë");
    expect(csv.split("\r\n").slice(0, 2)).toEqual([
      "key,name,requests,prompt_tokens,completion_tokens,planning_tokens,credits",
      "key_1,'=Zoë,1,2,3,4,0.5",
    ]);
  });

  test("days are UTC, both ends included, over a month's end", () => {
    const range = lastDays(3, Date.UTC(2026, 2, 1, 0, 30));
    expect(range).toEqual({ from: "2026-02-27", to: "2026-03-01" });
    expect(listDays(range)).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
  });
});

describe("similarity", () => {
  test("cosines of unit vectors, and the pair that is most alike", () => {
    const cosines = compareAll([
      [1, 0],
      [0, 1],
      [0.6, 0.8],
    ]);
    expect(cosines[0]).toEqual([1, 0, 0.6]);
    expect(findClosest(cosines)).toEqual([1, 2]);
    expect(findClosest([[1]])).toBeUndefined();
    const scale = scaleBetween(cosines);
    expect([scale(0), scale(0.8), scale(1)]).toEqual([0, 1, 1]);
  });

  test("lines are trimmed, once each, and no more than fit", () => {
    expect(readLines(" a \n\nb\na\nc", 2)).toEqual(["a", "b"]);
  });
});

describe("actions", () => {
  const actions = [
    { id: 1, name: "search_flight", category: "retrieval", gloss: "Look for flights." },
    { id: 2, name: "book_flight", category: "interaction", gloss: "Book a flight." },
    { id: 3, name: "search", category: "retrieval", gloss: "Search." },
  ];

  test.each([
    ["search", [3, 1]],
    ["flight book", [2]],
    ["look", [1]],
    ["2", [2]],
    ["nothing", []],
    ["", [3, 2, 1]],
  ])("%j finds %j", (search, ids) => {
    expect(searchActions(actions, search).map(({ id }) => id)).toEqual(ids);
  });
});

describe("documents", () => {
  const section = (heading: string, text: string) => ({
    path: `/docs#${heading}`,
    page: "Page",
    heading,
    text,
  });
  const sections = [
    section("Start", "the vault opens"),
    section("Vault", "keys are sealed"),
    section("End", "none"),
  ];

  test("a search wants every word, headings first", () => {
    expect(searchSections(sections, "vault", 5).map(({ heading }) => heading)).toEqual(["Vault", "Start"]);
    expect(searchSections(sections, "VAULT opens", 5).map(({ heading }) => heading)).toEqual(["Start"]);
    expect(searchSections(sections, "  ", 5)).toEqual([]);
  });

  test("an excerpt is the text around the first word", () => {
    expect(excerpt(`${"a ".repeat(60)}needle${" b".repeat(60)}`, "needle")).toMatch(/^….*needle.*…$/);
    expect(excerpt("short", "missing")).toBe("short");
  });

  test("an OpenAPI document becomes operations with fields; anything else becomes nothing", () => {
    const document = {
      paths: {
        "/v1/models/{id}": {
          get: {
            summary: "One model",
            parameters: [
              { name: "id", in: "path", required: true, schema: { type: "string" } },
              { $ref: "#/components/parameters/trace" },
            ],
            responses: { 200: { description: "It", content: { "application/json": {} } } },
          },
        },
      },
      components: {
        parameters: { trace: { name: "x-trace", in: "header", schema: { type: "string" } } },
        schemas: {
          Body: {
            type: "object",
            required: ["n"],
            properties: { n: { anyOf: [{ type: "integer" }, { type: "null" }] } },
          },
        },
      },
    };
    expect(listOperations(document)).toMatchObject([
      {
        id: "get-v1-models-id-",
        method: "GET",
        parameters: [
          { name: "id", type: "string, in path", required: true },
          { name: "x-trace", type: "string, in header", required: false },
        ],
        answers: [{ name: "200", type: "application/json", words: "It" }],
      },
    ]);
    expect(describeSchema({ $ref: "#/components/schemas/Body" }, document)).toEqual([
      { name: "n", type: "integer or null", required: true, words: "" },
    ]);
    for (const odd of [undefined, null, [], "text", { paths: { "/x": null } }])
      expect(listOperations(odd)).toEqual([]);
  });
});
