/** Reasons, purposes, limits and further quantities of what a message asks for, which ask for nothing themselves. Pure. */

const noWish = "(?!(?:needs?|should|must|wants?|have|has|would|will)\\b)";
/** "So QA can start", "so it stops", "so that nobody calls". Not "so we can cancel it", "so I can't come": a request may follow from a fact. */
export const purpose =
  String.raw`so\s+(?:that\s+(?!is\b|was\b)|i\s+(?:can\b(?!['’]t)|don['’]?t|won['’]?t)|we\s+(?:don['’]?t|won['’]?t|stop)\b|` +
  String.raw`(?:he|she|they|it|nobody|people|every(?:one|body|thing))(?:['’]s)?\s+${noWish}|(?:the|my|our|his|her|their)\s+\p{L}+\s+${noWish}(?:\p{L}+s|get|are|stay)\b|` +
  String.raw`(?!(?:you|please|we|i|it|he|she|they)\s)(?:(?:the|my|our|his|her|their)\s+)?\p{L}+\s+(?:can|could|won['’]?t|doesn['’]?t|don['’]?t)\b)`;
const aside = new RegExp(
  String.raw`^(?:because\b|(?:as|since)\s+(?:i|we|he|she|they|it|my|our|the)(?:['’]\p{L}+)?\s|${purpose}|` +
    String.raw`(?:just|only)\s+(?:the|that|this|those|these|my|one)\b(?!.*\b(?:is|are|was|were|has|have|please)\b)(?:\s+[\p{L}\d'’-]+){0,4}\W*$|[$€£]?\d[\d.,]*(?:\s?\p{L}{1,3})?\s+(?:to|for|of|from|into|in|at)\s(?!.*\b(?:is|are|was|were|has|have|please)\b))`,
  "iu",
);
/**
 * Whether a part behind another tells why, what for or within which limits something is asked, and asks for nothing: "because I am moving",
 * "so QA can start", "only that one"; or names another quantity for the same request: "send 200 to Ann and 75 to Bob".
 */
export const isAside = (part: string): boolean => aside.test(part);
