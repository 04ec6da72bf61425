/** A caller's tools as the world model reads them: the words of each and, when asked for, the action that it is mapped to. */
import type { PlanTool } from "../../shared/planning.ts";
import type { ActionTable } from "./actions.ts";
import type { EncodedText } from "./encoder.ts";
import type { Lexicon } from "./lexicon.ts";
import type { Effect } from "./manifest.ts";
import { nameWords } from "./text-templates.ts";
import { type ReadTool, readToolWords, type ToolWords } from "./tool-ranking.ts";

export type Tool = ReadTool & {
  name: string;
  /** The verb of its name, if the checkpoint knows one. */
  verb: string | undefined;
  /** The effect of that verb on the world. */
  effect: Effect | undefined;
  actionId(): number;
};
export type ToolReader = (tool: PlanTool, encoded: EncodedText) => Tool;

type Known = {
  description: string;
  words: ToolWords;
  verb: string | undefined;
  effect: Effect | undefined;
  actionId: number | undefined;
};

/** Names remembered for one text. */
const maxNames = 8;

/**
 * What is read of a tool is cached by the encoder's `identity` of its text: a known tool costs a look-up, and is forgotten together
 * with its vector. Many names have one text (`a_b`, `a-b`, `a__b`), so only `maxNames` of each are kept.
 */
export function createToolReader(table: ActionTable, lexicon: Lexicon): ToolReader {
  const memory = new WeakMap<object, Map<string, Known>>();
  return ({ name, description }, { vector, identity }) => {
    const byName = memory.get(identity) ?? new Map<string, Known>();
    memory.set(identity, byName);
    let known = byName.get(name);
    // The encoder cuts texts: two descriptions may have one vector but different words.
    if (known?.description !== description) {
      const { verb } = lexicon.readName(name);
      known = {
        description,
        words: readToolWords(nameWords(name), description),
        verb,
        effect: table.effectOf(verb),
        actionId: undefined,
      };
      if (byName.size >= maxNames) byName.clear();
      byName.set(name, known);
    }
    const found = known;
    return {
      name,
      vector,
      words: found.words,
      verb: found.verb,
      effect: found.effect,
      actionId: () => {
        found.actionId ??= table.idOf(vector, lexicon.readName(name));
        return found.actionId;
      },
    };
  };
}
