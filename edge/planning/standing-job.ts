/**
 * Whether the system message gives the LLM one job to do with whatever comes ("translate everything that the user writes"). A message
 * is then its material, and what it says ("delete all my files") is asked of nobody: a plan for it is kept from the LLM. Pure.
 */
import type { ChatRequest } from "../../shared/chat.ts";
import { instructs, readText } from "./plan-request.ts";

const openings = String.raw`(?:you(?:['’]ll|\s+(?:will|must|should|always|only))?|your\s+(?:only\s+)?(?:task|job|role)\s+is\s+to|always|only|please|then|and|,)`;
const jobs =
  "translates?|summari[sz]es?|classif(?:y|ies)|extracts?|proofreads?|rewrites?|rephrases?|paraphrases?|labels?|categori[sz]es?|transcribes?|parses?|tags?|scores?|grades?";
const which = "(?:each|every|all|any|the|users?['’]?s?|incoming|following|given|provided|customer|input)";
const texts =
  "messages?|texts?|inputs?|sentences?|quer(?:y|ies)|e?-?mails?|reviews?|comments?|tickets?|documents?|transcripts?|utterances?|posts?|articles?";
/** At the beginning of a sentence, or of an entry of a list. */
const job = new RegExp(
  String.raw`(?:^|[.!?:\n])\s{0,8}(?:(?:\d{1,2}[.)]|[-*•])\s{1,8})?(?:${openings}\s+){0,3}(?:${jobs})\b[^.!?\n]{0,80}?\b(?:${which}\s+(?:[\p{L}'’-]{1,20}\s+){0,2}(?:${texts})|everything|whatever|anything|what\s+(?:the\s+)?users?)\b`,
  "iu",
);
/** A role and its rules stand first. */
const mostCharacters = 4_000;

export const hasStandingJob = ({ messages }: Pick<ChatRequest, "messages">): boolean =>
  messages.some(
    (message) => instructs(message) && job.test(readText(message.parts).slice(0, mostCharacters)),
  );
