/**
 * Whether the system message gives the LLM one job for every message ("translate everything that the user writes"). The user's
 * messages are then input for that job: "delete all my files" is text to translate and no request, so no plan is put into the
 * prompt. The edge decides by this, and the console says so. Pure.
 */
import { type ChatRequest, isInstruction } from "./chat.ts";

const openings = String.raw`(?:you(?:['’]ll|\s+(?:will|must|should|always|only))?|your\s+(?:only\s+)?(?:task|job|role)\s+is\s+to|always|only|please|then|and|,)`;
const jobs =
  "translates?|summari[sz]es?|classif(?:y|ies)|extracts?|proofreads?|rewrites?|rephrases?|paraphrases?|labels?|categori[sz]es?|transcribes?|parses?|tags?|scores?|grades?";
const which = "(?:each|every|all|any|the|users?['’]?s?|incoming|following|given|provided|customer|input)";
const texts =
  "messages?|texts?|inputs?|sentences?|quer(?:y|ies)|e?-?mails?|reviews?|comments?|tickets?|documents?|transcripts?|utterances?|posts?|articles?";
/**
 * "Translate your answer into the language of the user's message", "summarize the order after each message": the job's object is
 * not the user's message.
 */
const between = String.raw`(?:(?!\b(?:your|after|before|when|while|if|at)\b)[^.!?\n]){0,80}?`;
/** "Parse the user's message and carry out what it asks." */
const sequel = String.raw`[^.!?\n]{0,80}\b(?:before\s+you|(?:and|then)\s+(?:then\s+)?(?:carry|act|help|assist|perform|execute|do))\b`;
/** At the beginning of a sentence, or of an entry of a list. */
const job = new RegExp(
  String.raw`(?:^|[.!?:\n])\s{0,8}(?:(?:\d{1,2}[.)]|[-*•])\s{1,8})?(?:${openings}\s+){0,3}(?:${jobs})\b${between}\b(?:${which}\s+(?:[\p{L}'’-]{1,20}\s+){0,2}(?:${texts})|everything|whatever|anything|what\s+(?:the\s+)?users?)\b(?!${sequel})`,
  "iu",
);
/** "You generate titles for conversations.": as what the LLM is, or as the first of the instructions. */
const naming = new RegExp(
  String.raw`(?:^|(?:^|[.!?:\n])\s{0,8}you(?:['’]ll|\s+(?:will|must|should|only))?\s+|your\s+(?:only\s+)?(?:task|job|role)\s+is\s+to\s+)(?:generate|write|create|suggest|produce|return)\s+(?:[\p{L}\d,-]{1,20}\s+){0,6}?(?:titles?|headlines?|names?|labels?|tags?|keywords?|summar(?:y|ies))(?:\s+(?:of|with)\s+[^.!?\n]{1,30}?)?\s+(?:for|of|from)\s+(?:[\p{L}'’-]{1,20}\s+){0,3}?(?:conversations?|chats?|threads?|${texts})\b`,
  "iu",
);
/** Only the beginning of the instructions is searched, where role and rules usually stand: ten megabytes of lines took a second. */
const maxCharacters = 8_000;

/** `instructions`: the text of all system messages. */
export function givesStandingJob(instructions: string): boolean {
  const read = instructions.slice(0, maxCharacters);
  return job.test(read) || naming.test(read);
}

/** The same of a conversation. */
export const hasStandingJob = ({ messages }: Pick<ChatRequest, "messages">): boolean =>
  givesStandingJob(
    messages
      .filter(isInstruction)
      .flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])))
      .join("\n"),
  );
