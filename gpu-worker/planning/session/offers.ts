/** What the assistant's last sentences offer to do: "Shall I lock it?", "I can run the tests if you like." Pure. */

/** Offers nothing in particular. */
const anythingElse = /\b(?:any|some)thing\s+else\b|\bwhat\s+else\b/iu;
const adverbs = String.raw`(?:(?:now|also|then|just|please|maybe|perhaps|quickly|instead|first|really)\s+)*`;
/** "May I have your number?", "I can only refund it within 30 days." */
const noOffer = String.raw`(?!(?:have|get|ask\s+(?:you|for|wh\w+|how)|know|be|see|help|need|think|only|not|understand|assume)\b)`;
/** Questions that offer: the first group of each form is what is offered. */
const offers = [
  new RegExp(String.raw`\b(?:shall|should|can|could|may)\s+(?:i|we)\s+${adverbs}${noOffer}(.+)\?`, "iu"),
  new RegExp(String.raw`\b(?:want|like|need|prefer)\s+(?:me|us)\s+to\s+${adverbs}(.+)\?`, "iu"),
];
/** "S-2: discard it for good?" Not "book it anyway?", which asks for another try of a call that failed (follow-ups.ts). */
const bare =
  /^(?:[^?]*:\s+)?(?!(?:is|was|did|does|do|has|had|keep|leave|like|about)\b)(\p{L}+\s+(?:it|them|that|both|all)\b(?!\s+(?:anyway|again|instead)\b)[^?]{0,60})\?$/iu;
/** Statements that do: "I can run the tests if you like.", "I suggest rolling back." */
const statement = new RegExp(
  String.raw`(?:^|[,;:]\s+)(?:i|we)(?:\s+(?:can|could|will|would|suggest|recommend|propose)|['’](?:ll|d))\s+(?:(?:to|like|that|we|i|suggest|recommend|propose)\s+)*${adverbs}${noOffer}(.+?)(?:,?\s+if\s+(?:you|that)\b.*)?[.!:]*$`,
  "iu",
);
/** A statement that leaves the decision to the user. */
const proposes = /\bif\s+you\b|\b(?:i|we)(?:['’]d|\s+would)?\s+(?:suggest|recommend|propose)\b/iu;
/** Offers a thing: "Would you like a chart?" */
const thing =
  /\b(?:would\s+you\s+(?:also\s+)?like|do\s+you\s+(?:also\s+)?(?:want|need))\s+((?:an?|the|some|any)\s.+)\?/iu;
/** Asks whether to do what was said before; also "Shall I?" */
const general =
  /^\W*(?:shall|should)\s+(?:i|we)\?\W*$|^\W*(?:(?:shall|should|can|may)\s+(?:i|we)\s+|(?:do\s+you\s+)?(?:want|like)\s+me\s+to\s+|(?:is\s+(?:that|this|it)\s+)?ok(?:ay)?\s+to\s+|ready\s+to\s+)?(?:go\s+ahead|proceed|continue|confirm|do\s+(?:it|that|so|this)|ok(?:ay)?|is\s+(?:that|this)\s+(?:ok(?:ay)?|right|correct|fine)|(?:does\s+that\s+)?sounds?\s+good|(?:do\s+)?you\s+(?:confirm|agree))\b[^?]{0,40}\?\W*$/iu;
/** Of these one has to be chosen, so that "yes" says nothing. */
const choice = /\bor\b|\b(?:which|what|who|when|where|how)\b/iu;
const closing = /[\s,]+(?:then|now|too|as\s+well)$/iu;
export const maxOffer = 200;
/** How much of what the assistant said is read: its last sentences. */
const maxTalk = 600;
const maxSentences = 3;

/**
 * `offer`: as a request. `isGeneral`: the question names nothing itself; `isOpen`: nor does what was said before. `isThing`: a thing is
 * offered, and no act.
 */
export type Offer = { offer: string | undefined; isGeneral: boolean; isOpen?: boolean; isThing?: boolean };

/** What a text of the assistant ends with offering; undefined if nothing is offered, or one of several things. */
export function readOffer(talk: string): Offer | undefined {
  const sentences = talk
    .slice(-maxTalk)
    .trim()
    .split(/(?<=[.!?:])\s+|\n+/u)
    .slice(-maxSentences);
  const last = sentences.at(-1) ?? "";
  if (anythingElse.test(last)) return { offer: undefined, isGeneral: true, isOpen: true };
  if (general.test(last)) {
    const said = sentences.slice(0, -1).findLast((one) => statement.test(one));
    return { offer: said && statement.exec(said)?.[1], isGeneral: true };
  }
  const forms = last.includes("?") ? [...offers, bare] : proposes.test(last) ? [statement] : [];
  const found = forms.flatMap((form) => form.exec(last)?.[1] ?? []).at(0);
  const wanted = found ?? thing.exec(last)?.[1];
  if (wanted === undefined || choice.test(last) || wanted.length > maxOffer) return undefined;
  const offer = wanted.replace(closing, "");
  return { offer, isGeneral: false, isThing: found === undefined };
}
