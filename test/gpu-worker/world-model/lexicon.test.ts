import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createLexicon,
  NameVerbTable,
  ObjectTable,
  singular,
  splitCase,
  VerbTable,
  wordsOfName,
} from "../../../gpu-worker/world-model/lexicon.ts";
import { leastMs } from "../../support/least-ms.ts";

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../gpu-worker/checkpoints/base/${name}`, import.meta.url), "utf8"));
const lexicon = createLexicon(
  VerbTable.parse(read("verbs.json")),
  ObjectTable.parse(read("objects.json")),
  NameVerbTable.parse(read("name-verbs.json")),
);

describe("lexicon", () => {
  it.each([
    ["getUserByID", ["get", "user", "by", "id"]],
    ["mcp__gmail__send-email", ["mcp", "gmail", "send", "email"]],
    ["HTTPServer2", ["http", "server2"]],
    ["получить_погоду", ["получить", "погоду"]],
    ["", []],
  ])("splits %s into words", (name, words) => {
    expect(wordsOfName(name)).toEqual(words);
  });

  it.each([
    ["search_flights", "search", "flight"],
    ["findHotels", "search", "hotel"],
    ["mcp__calendar__create_event", "create", "event"],
    ["slack_post_message", "post", "message"],
    ["order_status", "order", "status"],
    ["book_hotel", "book", "hotel"],
    ["pull_request.merge", "merge", undefined],
    ["GetPullRequestFiles", "get", "file"],
    ["get_weather_by_city", "get", "weather"],
    ["removeCartItem", "delete", "item"],
    ["get_turn_off_status", "get", "status"],
    ["hotel_search", "search", "hotel"],
    ["frobnicate", undefined, undefined],
  ])("reads %s as %s on %s", (name, verb, object) => {
    expect(lexicon.readName(name)).toMatchObject({ verb, object });
  });

  it.each([
    ["flights", "flight"],
    ["cities", "city"],
    ["ties", "tie"],
    ["addresses", "address"],
    ["address", "address"],
    ["boxes", "box"],
    ["status", "status"],
    ["gas", "ga"],
    ["is", "is"],
  ])("takes %s for %s", (word, expected) => {
    expect(singular(word)).toBe(expected);
  });

  it.each([
    ["isValid", "check"],
    ["goodbye", "say_goodbye"],
    ["rm", "delete"],
  ])("reads %s, whose verb is one in a name only, as %s", (name, verb) => {
    expect(lexicon.readName(name).verb).toBe(verb);
  });
});

/** As training splits names (training/texts/templates.py). */
const splitAsTrained = (name: string): string =>
  name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2");

it("a name is split between its cases as in training, whatever it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "B", "C", "7", "_", " ") }), (name) => {
      expect(splitCase(name)).toBe(splitAsTrained(name));
    }),
  );
});

it("a name of a million capitals takes no longer than its letters", async () => {
  const name = "A".repeat(1_000_000);
  expect(wordsOfName(name)).toHaveLength(1);
  expect(await leastMs(2_000, () => wordsOfName(name))).toBeLessThan(2_000);
});
