/** Splits a goal into the instructions it joins, in their order. Pure: text in, texts out. */
import { sentenceEnd } from "../world-model/text-templates.ts";

const sequel = /\s*(?:,\s*)?\b(?:and then|then|after that|afterwards|finally)\b,?\s*/;
const instructionEnd = new RegExp(`${sentenceEnd.source}|${sequel.source}`, "iu");
const joint = /\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*/iu;

/**
 * The clauses of `goal`, at most `most`; the last one keeps whatever is beyond. A comma or "and" parts two
 * clauses only where the next word is a verb, so "salt and pepper" stays whole. One clause means no split.
 */
export function splitClauses(goal: string, isVerb: (word: string) => boolean, most: number): string[] {
  const clauses: string[] = [];
  for (const sentence of goal.split(instructionEnd)) {
    let open = "";
    for (const part of sentence.split(joint)) {
      const [first = ""] = part.toLowerCase().split(/[^\p{L}]+/u);
      if (open !== "" && isVerb(first)) {
        clauses.push(open);
        open = part;
      } else {
        open = open === "" ? part : `${open} and ${part}`;
      }
    }
    if (open !== "") clauses.push(open);
  }
  const worded = clauses.map((clause) => clause.trim()).filter((clause) => clause.split(/\s+/).length > 1);
  if (worded.length <= most) return worded;
  return [...worded.slice(0, most - 1), worded.slice(most - 1).join(". ")];
}
