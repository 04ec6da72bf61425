import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Action, createActionTable } from "../../../gpu-worker/world-model/actions.ts";

const path = new URL("../../../gpu-worker/checkpoints/base/actions.json", import.meta.url);
const actions = z.array(Action).parse(JSON.parse(readFileSync(path, "utf8")));

const core = {
  system: "pad unk start end wait ask_user confirm retry abort noop",
  retrieval:
    "search read extract get list lookup query filter sort summarize compare analyze calculate check verify download translate classify count recall",
  navigation:
    "select click navigate open close back forward refresh switch_tab new_tab go_home hover focus expand collapse zoom",
  interaction:
    "type submit scroll press_key drag drop upload create update delete send book buy cancel play pause login logout toggle copy paste",
};
const count = (from: number, category: string) =>
  actions.slice(from).filter((action) => action.category === category).length;

describe("the frozen actions", () => {
  it("are 903 with dense ids and unique names and glosses", () => {
    expect(actions.map(({ id }) => id)).toEqual(Array.from({ length: 903 }, (_, id) => id));
    expect(new Set(actions.map(({ name }) => name)).size).toBe(903);
    expect(new Set(actions.map(({ gloss }) => gloss)).size).toBe(903);
  });

  it("begin with the core set in its order", () => {
    const expected = Object.entries(core).flatMap(([category, names]) =>
      names.split(" ").map((name) => `${category} ${name}`),
    );
    expect(actions.slice(0, 67).map(({ category, name }) => `${category} ${name}`)).toEqual(expected);
  });

  it.each([
    ["retrieval", 270],
    ["navigation", 114],
    ["interaction", 399],
    ["system", 53],
  ])("extend %s by %i", (category, expected) => {
    expect(count(67, category)).toBe(expected);
  });

  it("are snake_case with a sentence each", () => {
    for (const { name, gloss } of actions) {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(gloss).toMatch(/^[A-Z].{4,80}\.$/);
    }
  });

  it.each<[string, (list: Action[]) => Action[]]>([
    ["too few of them", (list) => list.slice(0, -1)],
    ["two of one name", (list) => list.with(700, { ...list[700]!, name: list[20]!.name })],
    ["ids in another order", (list) => list.with(20, list[21]!).with(21, list[20]!)],
  ])("are no vocabulary with %s", (_what, change) => {
    const tunables = { verbBonus: 0, objectBonus: 0, spokenBonus: 0, bareBonus: 0, containedBonus: 0 };
    const make = (list: readonly Action[]) =>
      createActionTable(list, new Float32Array(903 * 4), { ...tunables, otherEffect: 0, unknownBelow: 0 });
    expect(make(actions).actions).toHaveLength(903);
    expect(() => make(change([...actions]))).toThrow(/must hold 903 actions/);
  });

  // Clients store ids: these never move.
  it.each([
    [10, "search"],
    [30, "select"],
    [46, "type"],
    [57, "book"],
    [66, "paste"],
  ])("keep id %i for %s", (id, name) => {
    expect(actions[id]!.name).toBe(name);
  });
});
