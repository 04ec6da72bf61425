/** How a tool, an action and a goal are written for the encoder. training/texts/templates.py has the same templates. */
import type { PlanTool } from "../../shared/planning.ts";
import { splitCase, wordsOfName } from "./lexicon.ts";

const descriptionCharacters = 400;

/** `math.getHCF_v2` -> `math get hcf v2`. A name without Latin letters and digits keeps its words (training leaves none of it). */
export function nameWords(name: string): string {
  const words = splitCase(name)
    .replace(/[^A-Za-z0-9]+/g, " ")
    .trim()
    .toLowerCase();
  return words === "" ? wordsOfName(name).join(" ") : words;
}

/** The text of a tool: its name in plain words, then its description. */
export function toolText({ name, description }: Pick<PlanTool, "name" | "description">): string {
  const words = nameWords(name);
  // Lone spaces are not matched: with a hundred tools, splitting at each of them took longer than all else of reading a request.
  const said = description
    .trim()
    .replace(/\s\s+|[^\S ]/g, " ")
    .slice(0, descriptionCharacters);
  return said === "" ? words : `${words}: ${said}`;
}

/** An action's own name in words: the part after its last dot, slash, colon or double underscore. */
export function actionText(name: string): string {
  const last = name.split(/[./:]|__/).findLast((part) => part !== "");
  return nameWords(last ?? name) || "unknown";
}

/** The first word of an action's own name, which mostly is its verb. */
export const actionVerb = (name: string): string => actionText(name).split(" ")[0]!;

/** The place between two sentences; a line break also ends a sentence. */
export const sentenceEnd = /(?<=[.!?;\n])\s+|\n+/;
