/**
 * How much a message asks for each tool, by the reader of wishes: it learned from far more requests than the reader of sessions, but sees
 * neither tools nor results, so it is evidence beside the latter (evidence.ts). 0.3 ms of a plan.
 */
import type { Action } from "../world-model/actions.ts";
import type { Tool } from "../world-model/tools.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import type { SessionEvent } from "./session-events.ts";

type Asked = {
  events: readonly SessionEvent[];
  /** Vectors of the last user message and, after it, of its parts. */
  asked: readonly Float32Array[];
  tools: readonly Pick<Tool, "verb">[];
};

/**
 * For each tool of a session, the highest probability that any part of the message gives to all actions with the verb of the tool's
 * name. Undefined before the conversation's first call: there the mixer, which reads the whole name, knows better.
 */
export async function readToolWishes(
  { heads, table }: Pick<WorldModel, "heads" | "table">,
  sessions: readonly Asked[],
): Promise<(Float64Array | undefined)[]> {
  const lists = sessions.map(({ events, asked: [goal, ...parts] }) => {
    const isBegun = goal !== undefined && events.some(({ kind }) => kind === "call");
    return isBegun ? (parts.length > 0 ? parts : [goal]).map((part) => ({ part, goal })) : [];
  });
  const read = (await heads.wishes(lists.flat())).values();
  return sessions.map(({ tools }, at) => {
    const ofParts = lists[at]!.map(() => chancesOfVerbs(table.actions, read.next().value!));
    if (ofParts.length === 0) return undefined;
    return Float64Array.from(tools, ({ verb = "" }) => Math.max(...ofParts.map((of) => of.get(verb) ?? 0)));
  });
}

function chancesOfVerbs(actions: readonly Action[], chances: Float32Array): Map<string | null, number> {
  const ofVerbs = new Map<string | null, number>();
  for (const { id, verb } of actions) ofVerbs.set(verb, (ofVerbs.get(verb) ?? 0) + chances[id]!);
  return ofVerbs;
}
