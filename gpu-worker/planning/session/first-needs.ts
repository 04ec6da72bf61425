/**
 * What tools require before any result is there, by the names of their parameters: the address of a page, a path, SQL.
 * A tool whose value nobody has named waits for one that can find it. Pure.
 */
import { wordsOfName } from "../../world-model/lexicon.ts";
import type { PlanningConfig } from "../../world-model/planning-config.ts";
import { nameWords } from "../../world-model/text-templates.ts";
import type { SessionEvent } from "./events.ts";

/** `parameter`: names of such parameters. `value`: how one looks in a text. `finders`: names of tools that can find one. */
type Kind = { parameter: RegExp; value: RegExp; finders: RegExp };

const address: Kind = {
  parameter: /^(?:(?:page|web|target|start) )?(?:url|uri|link|href|website)s?$/u,
  value: /https?:\/\/|[\w-]\.(?:com|org|net|edu|gov|io|dev|app|ai|example|uk|eu|de|ch|at|fr|es|it|nl|us)\b/iu,
  finders: /\b(?:search|tabs?|history|bookmarks?)\b/u,
};

const kinds: readonly Kind[] = [
  address,
  {
    parameter:
      /^(?:(?:file|target|source|absolute|relative|old|notebook) )?(?:path|file|filename|notebook)s?$/u,
    value: /[\w.-]\/[\w.-]|[\w-]\.[a-z]{1,5}\b/iu,
    finders: /\b(?:list|ls|dir|directory|tree|glob|search|find|grep|browse|explore|scan)\b/u,
  },
  {
    parameter: /^(?:.* )?sql(?: query)?$/u,
    value: /\bselect\b.{1,200}\bfrom\b|\binsert\s+into\b|\bdelete\s+from\b|\bupdate\s+\w+\s+set\b/isu,
    finders: /\b(?:schemas?|tables?|describe|columns?)\b/u,
  },
];

type Needing = { name: string; needs: readonly string[] };

/** For each tool what its needs add to its log odds: `missing`, or `given` where the message names the page to open. */
export function readFirstNeeds(
  tools: readonly Needing[],
  turns: readonly SessionEvent[],
  { missing, given }: Pick<PlanningConfig["session"]["evidence"], "missing" | "given">,
): number[] {
  if (turns.some(({ kind }) => kind === "result")) return tools.map(() => 0);
  const said = turns.map(({ text, args = "" }) => `${text} ${args}`.slice(0, 4000)).join("\n");
  const names = tools.map(({ name }) => nameWords(name));
  const unknown = kinds.filter(
    ({ value, finders }) => !value.test(said) && names.some((name) => finders.test(name)),
  );
  const isNamed = address.value.test(said);
  return tools.map(({ needs }, row) => {
    const takes = ({ parameter }: Kind) => needs.some((need) => parameter.test(wordsOfName(need).join(" ")));
    if (unknown.some((kind) => takes(kind) && !kind.finders.test(names[row]!))) return missing;
    return isNamed && takes(address) ? given : 0;
  });
}
