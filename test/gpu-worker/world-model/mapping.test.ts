// The server's rule from names to actions against training's (mapped-names.ts), and the numbers both go by.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { z } from "zod";
import { Action, actionIds, createActionTable } from "../../../gpu-worker/world-model/actions.ts";
import {
  createLexicon,
  NameVerbTable,
  ObjectTable,
  VerbTable,
} from "../../../gpu-worker/world-model/lexicon.ts";
import { PlanningConfig } from "../../../gpu-worker/world-model/planning-config.ts";
import { mappedNames, spell, toolAction } from "./mapped-names.ts";

const home = new URL("../../../gpu-worker/", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, home), "utf8");
const parse = (name: string): unknown => JSON.parse(read(`checkpoints/base/${name}`));
const actions = z.array(Action).parse(parse("actions.json"));
const lexicon = createLexicon(
  VerbTable.parse(parse("verbs.json")),
  ObjectTable.parse(parse("objects.json")),
  NameVerbTable.parse(JSON.parse(read("checkpoints/base/name-verbs.json"))),
);
const glosses = Float32Array.from(actions.flatMap(({ gloss }) => Array.from(spell(gloss))));

/** Says which action a name amounts to, by the numbers of a checkpoint. */
function createNaming(numbers = toolAction): (name: string) => string {
  const table = createActionTable(actions, glosses, numbers);
  return (name) => {
    const reading = lexicon.readName(name);
    return actions[table.idOf(spell(reading.words.join(" ")), reading)]!.name;
  };
}
const nameOf = createNaming();

it.each(mappedNames)("%s amounts to %s, as training has it", (name, action) => {
  expect(nameOf(name)).toBe(action);
});

it.each([
  ["verbBonus", "kick_member"],
  ["objectBonus", "end_call"],
  ["spokenBonus", "hotel_ask_confirm_booking"],
  ["bareBonus", "order_status"],
  ["containedBonus", "right_mouse_click"],
  ["otherEffect", "get_deleted_message"],
])("takes %s from the checkpoint: without it %s is something else", (bonus, name) => {
  const action = new Map(mappedNames).get(name);
  expect(nameOf(name)).toBe(action);
  expect(createNaming({ ...toolAction, [bonus]: 0 })(name)).not.toBe(action);
});

it("lets a name that speaks to the user be dialogue or a notice only", () => {
  const generousNameOf = createNaming({ ...toolAction, spokenBonus: -1, unknownBelow: -9 });
  const spoken = mappedNames.map(([name]) => name).filter((name) => /ask_|Ask|inform|^offer/.test(name));
  expect(spoken.length).toBeGreaterThan(5);
  for (const name of spoken) {
    const found = generousNameOf(name);
    const { category, verb } = actions.find((action) => action.name === found)!;
    expect(category === "system" || verb === "notify", name).toBe(true);
  }
});

it("maps no name onto a mark of a sequence, nor onto doing nothing", () => {
  const generousNameOf = createNaming({ ...toolAction, unknownBelow: -1 });
  for (const id of Object.values(actionIds)) {
    const { name, gloss } = actions[id]!;
    for (const text of [name, gloss]) expect(Object.keys(actionIds)).not.toContain(generousNameOf(text));
  }
});

it("is served with the tunables as they stand: `npm run manifest` was run", () => {
  const { planning } = JSON.parse(read("checkpoints/base/manifest.json")) as { planning: unknown };
  expect(planning).toEqual(JSON.parse(read("planning/tunables.json")));
});

it("goes by the numbers that training's rule has, in the next checkpoint", () => {
  const next = PlanningConfig.parse(JSON.parse(read("planning/tunables.json")));
  const python = read("training/actions/mapping.py");
  for (const [name, number] of Object.entries(toolAction)) {
    const constant = name.replace(/[A-Z]/g, "_$&").toUpperCase();
    const line = new RegExp(`^([A-Z_, ]*\\b${constant}\\b[A-Z_, ]*) = (.+)$`, "m").exec(python)!;
    const place = line[1]!.split(", ").indexOf(constant);
    expect(Number(line[2]!.split(", ")[place]), constant).toBe(number);
  }
  expect(next.toolAction).toEqual(toolAction);
});
