/**
 * How much a message asks for each tool, by the reader of wishes: it learned from far more requests than the reader of sessions, but sees
 * neither tools nor results, so it is evidence beside the latter (evidence.ts). It takes 0.3 ms of a plan.
 */
import type { Action } from "../../world-model/actions.ts";
import type { Tool } from "../../world-model/tools.ts";
import type { WorldModel } from "../../world-model/world-model.ts";
import { inOneCall } from "../in-one-call.ts";
import type { SessionEvent } from "../session/events.ts";

type Asked = {
  events: readonly SessionEvent[];
  /** Vectors of the last user message and, after it, of its parts. */
  asked: readonly Float32Array[];
  tools: readonly Pick<Tool, "verb">[];
};

export type ToolWishes = {
  /** For each tool, the highest probability that any part of the message gives to all actions with the verb of the tool's name. */
  tools: Float64Array;
  /** For each part, whether it asks for anything. */
  asks: boolean[];
};

/** The wishes of each session. Undefined before its first call: there the mixer, which reads the whole name, knows better. */
export async function readToolWishes(
  { heads, table, manifest }: Pick<WorldModel, "heads" | "table" | "manifest">,
  sessions: readonly Asked[],
): Promise<(ToolWishes | undefined)[]> {
  const lists = sessions.map(({ events, asked: [goal, ...parts] }) => {
    const isBegun = goal !== undefined && events.some(({ kind }) => kind === "call");
    return isBegun ? (parts.length > 0 ? parts : [goal]).map((part) => ({ part, goal })) : [];
  });
  const read = await inOneCall(lists, heads.wishes);
  return sessions.map(({ tools }, at) => {
    const said = read[at]!;
    if (said.length === 0) return undefined;
    const ofParts = said.map((chances) => chancesOfVerbs(table.actions, chances));
    return {
      tools: Float64Array.from(tools, ({ verb = "" }) => Math.max(...ofParts.map((of) => of.get(verb) ?? 0))),
      asks: said.map((chances) => 1 - chances[table.actions.length]! >= manifest.planning.wishes.from),
    };
  });
}

function chancesOfVerbs(actions: readonly Action[], chances: Float32Array): Map<string | null, number> {
  const ofVerbs = new Map<string | null, number>();
  for (const { id, verb } of actions) ofVerbs.set(verb, (ofVerbs.get(verb) ?? 0) + chances[id]!);
  return ofVerbs;
}
