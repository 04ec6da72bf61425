/**
 * What a message asks for that only answers what the assistant offers: "yes" to "Shall I lock it?" asks to lock it. The reader of
 * sessions sees both texts, but the mixer, the wishes and the rules of words read the message alone. Pure.
 */
import type { PlanRequest } from "../../../shared/planning.ts";
import { actionText, actionVerb } from "../../world-model/text-templates.ts";
import { wordsOf } from "../message/goal-text.ts";
import { lastGoal, readCalls, type SessionEvent } from "./events.ts";
import { maxOffer, type Offer, readOffer } from "./offers.ts";

/** Words that agree, and words that may stand beside them. */
const agreeing = String.raw`yes|yep|yeah|yup|ya|sure|ok(?:ay)?|please|pls|absolutely|definitely|of\s+course|certainly|alright|sounds\s+(?:good|great)|(?:looks|that['’]?s)\s+(?:good|fine|ok|right|correct)|go(?:\s+(?:right\s+)?(?:ahead|for\s+it)|(?=\W*$))|do\s+(?:it|that|so)|proceed|continue|confirm(?:ed)?|approved?|agreed|let['’]?s\s+(?:do\s+(?:it|that)|go)`;
const beside = String.raw`gr+|u+gh|argh|a+h|o+h|hm+|meh|well|thanks|thank\s+you|great|good|perfect|cool|fine|right|then|now|just|you\s+(?:can|may)|and|with\s+(?:it|that)`;
const agreed = new RegExp(
  String.raw`^\W*(?:(?:${beside})\b[\s,.!]*){0,3}(?:${agreeing})(?!['’\w])(?:[\s,.!…:–—-]+(?:(?:${agreeing}|${beside})(?!['’\w])|$))*[\s,.!…:–—-]*`,
  "iu",
);
/** Whether a message only agrees: "yes ok", "grr, go ahead". */
export const isConsent = (message: string): boolean => agreed.exec(message)?.[0].length === message.length;
/** What follows is a message of its own: it has a verb for what was offered ("yes, order it"), or asks, or says when. */
const ownWords =
  /\b(?:it|them|that|those|these|this|him|her)\b|\?|^(?:if|when|once|after|until|unless|not|no)\b/iu;

/** Refuses what was offered, whatever follows. "No, Tuesday" corrects it, and "no wait, ok, do it" agrees. */
const declined =
  /^\W*(?:(?:no|nope|nah|oh|hm+|well|actually|thanks|thank\s+you|ok(?:ay)?)\b[\s,.!]*){0,3}(?:not\s+(?:needed|necessary|now|yet)|no[\s,]+(?:need|thanks|thank\s+you)|don['’]?t(?:\s+bother)?(?=\s*(?:[.,!;]|$))|(?:leave|keep)\s+(?:it|that|them)|rather\s+not|skip\s+(?:it|that)|(?:no|nope|nah)\b[\s,.]*(?:(?:wait|sorry|hold\s+on|stop)\b(?=\W*$|\s*[.,!;–—-]|\s+(?:i|we|he|she|it|they|that|this)\b)(?![\s,.!…]*(?:ok(?:ay)?|yes|do|go)\b)[\s,.!]*|(?=but\b|\W*$)))(?:[\s,.]+(?:thanks|thank\s+you)\b)?[\s,.!;–—-]*/iu;
/** The user does it, or wants nothing more. */
const settled =
  /^\W*(?:no|nope|nah)[\s,.!]+(?:i['’]?ll\s.*\bmyself|that['’]?s\s+(?:all|it|ok(?:ay)?|fine)|it['’]?s\s+(?:ok(?:ay)?|fine)|i['’]?m\s+(?:good|fine))\W*$|^[^,.?]{1,40},\s*no\W*$/iu;
/** Asks for a detail of what is still to be done: "Shall I add luggage?" Refused, the work goes on, unless it was done before. */
const detail = /^(?:add|include|use|set|keep|make|choose)\b/iu;

const asSentence = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

/** "Please cancel order 12" agrees to nothing. */
const onlyPlease = /^\W*(?:please|pls)\W*$/iu;

/** Whether what follows the consent begins as a request: with the offer's own verb, or with one of a tool's name. */
function isRequest(
  rest: string,
  consent: string,
  offer: string,
  tools: readonly { name: string }[],
): boolean {
  if (rest === "") return false;
  const [verb = ""] = wordsOf(rest.replace(/^(?:and|then|also|but|just|please)\s+/iu, ""));
  const verbs = [wordsOf(offer)[0], ...tools.map(({ name }) => actionVerb(name))];
  return rest.length > maxOffer || ownWords.test(rest) || onlyPlease.test(consent) || verbs.includes(verb);
}

/** What the last message of a conversation asks for, if it only takes or refuses the assistant's offer. */
export function readReply(
  turns: readonly SessionEvent[],
  tools: readonly { name: string }[] = [],
): string | undefined {
  const at = lastGoal(turns);
  const [before, said] = [turns[at - 1], turns[at]?.text ?? ""];
  if (before?.kind !== "assistant") return undefined;
  const read = readOffer(before.text);
  if (read === undefined) return undefined;
  const refusal = settled.test(said) ? said : declined.exec(said)?.[0];
  if (refusal !== undefined) return refuse(read, said.slice(refusal.length).trim(), turns.slice(0, at));
  const [consent] = agreed.exec(said) ?? [];
  if (consent === undefined || read.isOpen) return undefined;
  const rest = said.slice(consent.length).trim();
  // "Yes, and post it" takes the offer and asks for more.
  const isMore =
    /\band\W*$/iu.test(consent) && rest !== "" && rest.length <= maxOffer && read.offer !== undefined;
  if (!isMore && isRequest(rest, consent, read.offer ?? "", tools)) return undefined;
  const earlier = turns.slice(0, at).findLast(({ kind }) => kind === "user")?.text;
  const request = read.isThing ? `I want ${read.offer}` : (read.offer ?? earlier);
  if (request === undefined) return undefined;
  return asSentence(rest === "" ? request : `${request}${isMore ? " and" : ","} ${rest}`);
}

/** Names of tools that only look. By their names, as the effects of verbs are not known yet where a request's texts are read. */
const looks = /^(?:get|list|search|find|read|look|check|show|view|fetch|query|describe|count|browse)\b/u;
/** Whether a call since the last message may have changed something. `turns`: up to the offer. */
const isDone = (turns: readonly SessionEvent[]): boolean =>
  readCalls(turns).some(
    ({ name, failed, turn }) => turn > lastGoal(turns) && !failed && !looks.test(actionText(name)),
  );

/** "Never mind" takes the request back, after which a plan ends. "No, but add a note" asks for what "don't add a task" would deny. */
function refuse(
  { offer = "", isGeneral, isThing }: Offer,
  rest: string,
  earlier: readonly SessionEvent[],
): string | undefined {
  if (isThing) return undefined;
  if (rest === "" && (isGeneral || !detail.test(offer) || isDone(earlier))) return "Never mind.";
  if (isGeneral) return undefined;
  const [verb] = wordsOf(rest.replace(/^but\s+/iu, ""));
  return verb !== undefined && verb === wordsOf(offer)[0]
    ? asSentence(rest)
    : `Don't ${offer}. ${rest}`.trim();
}

/** The request with its last message as it is meant. */
export function withReply(request: PlanRequest): PlanRequest {
  const goal = readReply(request.turns, request.tools);
  if (goal === undefined) return request;
  const turns = request.turns.with(lastGoal(request.turns), { kind: "user", text: goal });
  return { ...request, goal, turns };
}
