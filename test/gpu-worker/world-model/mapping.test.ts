// The server's rule from names to actions against training's (mapped-names.ts), and the numbers both go by.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { z } from "zod";
import { Action, actionIds, createActionTable } from "../../../gpu-worker/world-model/actions.ts";
import { createLexicon, ObjectTable, VerbTable } from "../../../gpu-worker/world-model/lexicon.ts";
import { PlanningConfig } from "../../../gpu-worker/world-model/manifest.ts";
import { mappedNames, spell, toolAction } from "./mapped-names.ts";

const home = new URL("../../../gpu-worker/", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, home), "utf8");
const parse = (name: string): unknown => JSON.parse(read(`checkpoints/base/${name}`));
const actions = z.array(Action).parse(parse("actions.json"));
const lexicon = createLexicon(VerbTable.parse(parse("verbs.json")), ObjectTable.parse(parse("objects.json")));
const glosses = Float32Array.from(actions.flatMap(({ gloss }) => Array.from(spell(gloss))));

function nameOf(name: string, numbers = toolAction): string {
  const table = createActionTable(actions, glosses, {
    toolAction: numbers,
    likenessBonus: { verb: 0, object: 0 },
  });
  const reading = lexicon.readName(name);
  return actions[table.idOf(spell(reading.words.join(" ")), reading)]!.name;
}

it.each(mappedNames)("%s amounts to %s, as training has it", (name, action) => {
  expect(nameOf(name)).toBe(action);
});

it("lets a name that speaks to the user count for less, or nothing, where the checkpoint says so", () => {
  const silent = { ...toolAction, spokenBonus: 0 };
  const changed = mappedNames.filter(([name, action]) => nameOf(name, silent) !== action);
  const names = changed.map(([name]) => name);
  expect(names).toContain("hotel_ask_date");
  // Inside a name an offer is a thing.
  expect(names).not.toContain("restaurant_offer_alternative");
  for (const name of names) expect(name).toMatch(/ask|inform|notify|^offer|^confirm/i);
});

it("maps no name onto a mark of a sequence, nor onto doing nothing", () => {
  const generous = { ...toolAction, unknownBelow: -1 };
  for (const id of Object.values(actionIds)) {
    const { name, gloss } = actions[id]!;
    for (const text of [name, gloss]) expect(Object.keys(actionIds)).not.toContain(nameOf(text, generous));
  }
});

it("goes by the numbers that training's rule has, in the next checkpoint", () => {
  const next = PlanningConfig.parse(JSON.parse(read("training/planning.json")));
  const python = read("training/mapping.py");
  const numbers = /^VERB_BONUS, OBJECT_BONUS, SPOKEN_BONUS, UNKNOWN_BELOW = (.+)$/m.exec(python)![1]!;
  expect(numbers.split(",").map(Number)).toEqual(Object.values(toolAction));
  expect(next.toolAction).toEqual(toolAction);
});
