/**
 * Parts that only ask to tell somebody something: "let Bob know the invoice is paid". What is told has the words of other tools, so for this
 * one the mixer finds `pay_invoice` by far the likeliest. Pure.
 */
import { nameWords } from "../world-model/text-templates.ts";
import { mayChange, type NamedTool } from "./call-effects.ts";
import { withoutPoliteness } from "./goal-text.ts";

const people =
  "team|group|others|crew|staff|boss|manager|wife|husband|partner|mum|mom|mother|dad|father|parents?|kids|family|friends?|sister|brother|" +
  "colleagues?|co-?workers?|neighbou?rs?|clients?|customers?|guests?|host|hotel|landlord|tenants?|bank|authors?|owners?|reviewers?|suppliers?|" +
  "vendors?|doctor|school|teacher|office|users?|subscribers?|attendees|participants|applicants?|candidates?|passengers?|patients?";
/** Who is told. A word alone only before what is told: many leave out "me" ("can you tell time", "tell what it costs"). */
const person = String.raw`(?:(?:him|her|them|every(?:one|body))\b|(?:my|our|his|her|their|the)\s+(?:\p{L}+\s+)?(?:${people})\b)`;
/** Not who is told: "tell me", "tell it to stop", "tell Alexa to stop", "tell whether it is open". */
const nobody = String.raw`(?:me|us|you|it|an?|the|my|our|your|this|that|these|those|some|about|apart|time|alexa|siri|google|what|when|where|who|which|how|why|whether|if)\b`;
const word = String.raw`(?!${nobody})\p{L}+`;
const forms = [
  new RegExp(
    String.raw`^(?:tell|notify|inform|warn|ping)\s+(?:${person}|${word}(?:\W*$|\s+(?:that|about|to|i|we|it|he|she|they|the|what|when|where|who|how|why|whether|if)\b))`,
    "iu",
  ),
  new RegExp(String.raw`^let\s+(?:${person}|${word})\s+know\b`, "iu"),
  // These may also be nouns: "email templates", "Text Extraction".
  new RegExp(String.raw`^(?:text|e-?mail|message)\s+${person}`, "iu"),
  /^(?:[Tt]ext|[Ee]-?mail|[Mm]essage)\s+\p{Lu}\p{Ll}+(?:\W*$|\s+(?:that|about|to|I|we|it|he|she|they|when|if)\b)/u,
];

/** A statement or an order is told as it is; anything else ("tell Anna the weather", "tell her when it arrives") may have to be looked up first. */
export type Told = "statement" | "other";
const statement =
  /\b(?:to|i|we|it|he|she|they|that|is|are|was|were|has|have|had|will|won['’]?t|can['’]?t)\b|['’](?:s|re|ll|ve|m)\s/iu;
const indirectQuestion = /\b(?:what|when|where|who|which|how|whether|if|why)\b/iu;

/** What somebody is to be told, if that is all that the part asks for. */
export function readTold(part: string): Told | undefined {
  const said = withoutPoliteness(part.replace(/^(?:and\s+)?if\s+(?:so|yes|not)[\s,]+/iu, ""));
  if (!forms.some((form) => form.test(said))) return undefined;
  return statement.test(said) && !indirectQuestion.test(said) ? "statement" : "other";
}

/** Words in the names of tools that tell somebody something. */
const talks =
  /\b(?:send|notify|notifications?|messages?|e?mail|sms|tell|inform|alert|warn|ping|reply|respond|contact|announce|comment|dm)\b|\btext\b(?! to)/u;
/** What is sent there is no message: "send_money". */
const sendsThings =
  /\b(?:money|payments?|funds|package|parcel|gift|transfer|crypto|tokens?|files?|requests?)\b/u;
const mayTell = ({ name }: NamedTool): boolean =>
  talks.test(nameWords(name)) && !sendsThings.test(nameWords(name));

/** Rows of tools that tell nobody, and change something unless a statement is told; none where no tool may tell somebody something. */
export const findMute = (tools: readonly NamedTool[], told: Told): number[] =>
  tools.some(mayTell)
    ? [...tools.keys()].filter(
        (row) => !mayTell(tools[row]!) && (told === "statement" || mayChange(tools[row]!)),
      )
    : [];
