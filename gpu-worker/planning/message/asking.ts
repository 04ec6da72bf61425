/**
 * What the parts of a goal can ask for, read from their form. The vectors of a question ("how do I delete a branch?"), of a
 * denial ("don't delete the branch") and of the command are nearly the same, so the reader of wishes finds the same action in all
 * three. Pure.
 */
import type { Effect } from "../../world-model/manifest.ts";
import { isAside } from "./asides.ts";
import { isSupposed, words } from "./conditions.ts";
import { endsSentence, opensSentence, withoutAction } from "./goal-text.ts";
import { isEvent, isPromise, past } from "./told-events.ts";

/**
 * What a part can ask for. A question: an `answer`. A statement: `little`. A denial: `nothing`. "Write a function that deletes old
 * files": `text`. "Stop sending me reminders": `stop`. Any other form: `anything`.
 */
export type Asking = "anything" | "answer" | "little" | "nothing" | "stop" | "text";

const opener =
  "ok|okay|alright|well|hey|hi|hello|hmm+|oh|ah|yes|yeah|yep|no|nope|great|cool|nice|thanks|thx|sorry|wait|actually|btw|maybe|perhaps|kindly|quick\\s+(?:one|question)";
const lead = String.raw`^(?:(?:and|but|so|or|also|then|please|pls|${opener})[\s,.!:]+)*`;
const auxiliary =
  "do|does|did|is|are|am|was|were|has|have|had|can|could|should|shall|would|will|may|might|must";
/**
 * Behind an auxiliary a subject marks a question: "is the shop open". Behind `do` and `have` only a pronoun does: "have the car washed"
 * and "do the dishes" are commands.
 */
const subject =
  "i|he|she|it|they|there|this|that|these|those|my|your|his|her|its|our|their|the|a|an|people|any(?:one|body|thing)?|nothing|everything";
/** Direct questions, also "and now?". In "what I want is a refund" and "when it is done, send it" the subject stands before the verb, so they are none. */
const question = new RegExp(
  `${lead}(?:` +
    `(?:how|what|which|whose|who|whom)(?:['’]?s\\b|\\s+(?!(?:about|we|you|${subject})\\b))|` +
    `(?:when|where|why)(?:['’]s\\b|\\s+(?:${auxiliary})\\b)|` +
    `(?:is|are|am|was|were|does|did|has|had|should|shall|may|might)\\s+(?:${subject})\\b|(?:will|would)\\s+i\\b|would\\s+\\p{L}+ing\\b|` +
    `(?:do|have)\\s+(?:i|we|they|people)\\b|should\\s+we\\b|do\\s+you\\s+(?:have|sell|offer|accept|ship|deliver)\\b|can\\s+i\\s+still\\b|` +
    "(?:now|still|yet|done|ready|finished|better)\\s*\\?|" +
    `any(?:one|body|thing)?\\s+(?!(?:chance|way|possibility|help|(?:that\\s+)?you\\s+(?:can|could))\\b)[^?]*\\?|` +
    `(?:can|could|will|would)\\s+(?!i\\b)(?:${subject})\\b)`,
  "iu",
);
/** A request inside a question's sentence: "How do I stop it and can you remove it?" */
const request = /\b(?:can|could|will|would)\s+you\b|\bplease\b/iu;
/** Words that may stand before an indirect question. Behind other verbs it is a purpose: "email Tom to explain why I am late". */
const inquirer =
  "i|we|you|it|me|us|am|was|be|been|do|can|could|would|just|only|really|also|like|love|want|need|have|try|trying|curious|help|let|good|nice|to";
/** "When the meeting is" asks for a time, since it ends in the verb; "when it is booked" names what is waited for. */
export const whenItIs = String.raw`when\b(?=.*\b(?:is|are|was|were)\W*$)`;
/**
 * Indirect questions: "I only want to know how to delete it", "tell me why", "let me know when the meeting is". Not "I was wondering if
 * you could cancel it", which is a request, nor "let me know when it is booked".
 */
const indirect = new RegExp(
  `${lead}(?:(?:${inquirer})(?:['’](?:d|m|ve))?[\\s,]+){0,8}` +
    `(?:(?:tell|show|teach)\\s+(?:me|us)|remind\\s+(?:me|us)(?=\\s+(?:how|what|why|where|which|who)\\b(?!\\s+to\\b))|let\\s+(?:me|us)\\s+know(?=\\s+(?:how|what|why|where|which|who|${whenItIs}))|` +
    "(?:to|i|we)\\s+(?:know|understand|learn|wonder)|wondering|do\\s+you\\s+know|explain|advise|clarify)\\s+" +
    "(?!(?:if|whether)\\s+(?:you|i|we|someone)\\s+(?:could|would|might)\\b)" +
    "(?:how|what|why|when|where|which|who|whether|if)\\b",
  "iu",
);
/** Words behind "can you see if" with which more than a look is asked for: "if it can be moved", "and then book it". */
const moreThanLook = String.raw`(?:you|we|i|be)\s+(?:can|could)|(?:can|could)\s+be|(?:a|any)\s+way|(?:and|then)\s+(?:pay|book|fix|send|cancel|order|buy|reserve|refund|repair|delete|reply|confirm)`;
/** Before what is asked for: "could you", "it would be great if you could", "any chance you can", "I need to". */
const requester = String.raw`(?:(?:can|could|would|will)\s+you(?:\s+be\s+so\s+kind\s+(?:as\s+)?to)?|do\s+you\s+think\s+you\s+c(?:an|ould)|any\s+chance\s+(?:that\s+)?you\s+c(?:an|ould)|(?:(?:(?:i\s+(?:was|am)|i['’]?m|was|just)\s+(?:just\s+|only\s+)?)wondering|(?:it|that)?(?:['’]d|\s*would)\s+be\s+(?:\p{L}+\s+)?\p{L}+|i(?:['’]d|\s+would)\s+(?:really\s+)?(?:appreciate\s+it|be\s+(?:\p{L}+\s+)?(?:happy|glad|grateful|thankful)))\s+(?:if|whether)\s+(?:you|someone|somebody)\s+(?:can|could|would)|(?:(?:i|we)(?:['’]d|\s+would)?\s+)?(?:just\s+)?(?:like|need|want|wanted)\s+to)`;
const toCheck = String.raw`(?:see|(?:double[\s-]?)?check|ask|confirm|verify|look\s+(?:up|at|into)|find\s+out)`;
/** "Can you see who liked it", "I need to find out whether it is paid", "it's locked, can you check?" only look. */
const looking = new RegExp(
  `${lead}${requester}\\s+(?:(?:please|pls|also|just|possibly|kindly)\\s+)*(?:` +
    `(?:${toCheck}|tell\\s+(?:me|us)|explain|let\\s+(?:me|us)\\s+know(?!\\s+(?:if|when)\\b))\\s+` +
    `(?:how|what|why|when|where|which|who|whether|if)\\b(?!.*\\b(?:${moreThanLook})\\b)|` +
    "(?:check|look(?:\\s+(?:at|into)(?=\\s+(?:it|that|this)))?|find\\s+out|(?:have|take)\\s+a\\s+look)(?:\\s+(?:it|that|this|for\\s+me|please|pls))*\\W*$)",
  "iu",
);
/** "I can't remember whether I locked the door", "just checking if it is paid". */
const unsure =
  /\b(?:not\s+sure|unsure|(?:can['’]?t|cannot|don['’]?t)\s+(?:remember|recall|know)|just\s+checking)\s+(?:if|whether)\s+(?!(?:you|someone)\s+c(?:an|ould)\b)/iu;
/** "You can cancel within a day, is that true", "can I smoke there or is that not allowed", "Ben wants us to send it, should we?" */
const tag =
  /\bis\s+(?:that|this|it)\s+(?:not\s+)?(?:true|right|correct|so|possible|allowed|normal|legal)\W*$|,\s+should\s+(?:i|we)\?\W*$/iu;
/** What is only thought of: "imagine I missed my flight". */
const hypothetical = new RegExp(
  `${lead}(?:imagine|suppose|assume|let['’]?s\\s+(?:say|assume|suppose|pretend)|hypothetically)[\\s,]+(?:that\\s+)?(?:i|we|you|he|she|they|it|my|our|the|some(?:one|body))\\b(?!['’]d)`,
  "iu",
);
/**
 * Statements and requests whose subject is left out begin like a question: "was charged twice", "has still not arrived", "was wondering
 * if you can cancel it".
 */
const subjectless = `(?:has|was|were)\\s+(?:(?:still|just|only|already)\\s+)?(?:not|never|been|supposed|to|\\p{L}+ing|${past})\\b`;
/** At the beginning of a sentence the subject may be a name or a number: "did Anna reply?", "has 4711 shipped". Elsewhere the verb may continue a statement. */
const askedOfName =
  "(?:is|are|does|did|has|was|were)\\s+(?!not\\b|you\\s+born\\b|you\\s+able\\b.*\\b(?:me|my|us|our|it|this|that)\\b)[\\p{L}\\p{N}#]";
/** "Have Ann and Bob replied?", but not "have it cancelled please?". */
const askedInPerfect = `have\\s+(?=\\S)(?!you\\b|.*\\bplease\\b)[^?]*\\s(?:${past}|been|come|done|gone)\\b[^?]*\\?`;
const openingQuestion = new RegExp(`${lead}(?!${subjectless})(?:${askedOfName}|${askedInPerfect})`, "iu");
/** Requests in the form of questions: "Would it be possible to move it?", "may I have a refund", "can my order be cancelled". */
const courteous = new RegExp(
  `${lead}(?:(?:would|could|might)\\s+it\\s+be\\s+(?:possible|ok|okay|alright|(?:too\\s+much|a)\\s+(?:problem|trouble|bother))\\s+(?:to|for|if)\\b|` +
    "is\\s+it\\s+too\\s+much\\s+to\\s+ask\\b|is\\s+there\\s+(?:some|any)(?:one|body)\\s+(?:who|that)\\s+c(?:an|ould)\\b|" +
    "is\\s+(?:it\\s+possible|there\\s+(?:a|any)\\s+(?:chance|way))\\s+(?:to|of|for)\\b.*\\b(?:my|me|our|us)\\b|" +
    "is\\s+there\\s+(?:a|any)\\s+(?:chance|way)\\s+(?:that\\s+)?(?:you|i|we)\\s+(?:can|could)\\b|" +
    `(?:can|could)\\s+(?:my|our)\\b.{1,60}?\\sbe\\s+(?:${past})\\b|` +
    `(?:can|could)\\b.{1,60}?\\sbe\\s+(?:${past})\\b.{1,60}?\\bplease\\b|` +
    "may\\s+i\\b|(?:can|could|will|would)\\s+any(?:one|body)\\b.*\\b(?:me|us)\\b)",
  "iu",
);
/** A condition, which belongs to the question if the next part is one: "If I cancel now, do I have to pay?" */
const condition = new RegExp(`${lead}(?:${words.if}|${words.once}|suppose)\\b`, "iu");
/** Typed without the apostrophe: "ive restarted it twice". */
const shortened = String.raw`ive|im|weve|theyve|theyre|thats|theres|heres|hes|shes|its(?=\s+(?:\d|not|too|so|an?|the|been|still|already|very|just)\b)`;
/** A part with a subject and a verb, so no command. "The nearest hotel" has no verb, and may be what a command asks for. */
const statement = new RegExp(
  `${lead}(?:(?:${past})\\s|thinking\\s+(?:of|about)\\s|(?:(?:i|we|he|she|they|it|there|this|that|here)(?:['’](?:s|m|re|ve|d))?|${shortened})\\s|` +
    `(?:the|a|an|my|our|your|his|her|their|its|these|those|some|two|three)\\s.{1,60}?\\s(?:is|are|was|were|got|has|have|had|does|do|did|will|won['’]?t|can['’]?t)\\b)`,
  "iu",
);
/** Wishes in the form of statements: "I'd like a refund", "we need to move", "I wanted to cancel it", "it has to be paid". */
const wishing =
  /\b(?:want|wanted|need|needs|needed|wish|hope|hoping|like|love|prefer|looking|trying|(?:must|should|could)(?!\s+(?:not\s+|already\s+)?have\s)|can|please|help|(?:have|has|had|going|ready|time)\s+to)\b|['’]d\b|\?/iu;
/** Asks for the text of a reply, which is to be written: "What should I answer?" */
const wording = /\b(?:i|we|he|she|they)\s+(?:to\s+)?(?:answer|reply|respond)\b/iu;

/**
 * Texts and code that are only written: in "write a haiku about deleting old emails" the verb behind belongs to the text. Mails and posts
 * are not among them, since they may be sent.
 */
const written =
  "functions?|scripts?|sql|quer(?:y|ies)|regex|regexp|programs?|tests?|code|snippets?|poems?|haikus?|limericks?|sonnets?|stor(?:y|ies)|essays?|songs?|lyrics|rap|speech|toast|paragraphs?|captions?|headlines?|slogans?|dialogue|scene|monologue";
/** "In Go" behind what is written: code, whatever it is called. */
const languages = "python|rust|java|javascript|typescript|go|c|php|ruby|sql|bash|swift|kotlin|haskell";
/** Asks for a text or code to be written, and says what about or what for. */
const writing = new RegExp(
  `${lead}(?:(?:can|could|would|will)\\s+you\\s+)?(?:(?:please|pls|help\\s+me(?:\\s+to)?)\\s+)?` +
    "(?:(?:write|compose|draft|generate|code|implement|create|come\\s+up\\s+with)|(?:give|make)\\s+me(?=\\s+(?:an?|some|\\d+)\\b))\\s+" +
    `(?:(?:(?!(?:of|on|for|from|to|in|with|down|beside|under)\\b)[\\p{L}\\d-]+\\s+){0,4}?(?:${written})` +
    "(?=\\s+(?:that|which|to|for|about|of|on|in|with|from|where|who|using|\\p{L}+ing)\\b|\\s*(?:[:;,.?!]|$))|" +
    `.{1,80}?\\sin\\s+(?:${languages})(?![\\p{L}\\p{N}]))`,
  "iu",
);
/** The state in which a thing is to stay. */
const asItIs = String.raw`open|running|un\p{L}+ed|un(?:read|sent)|(?:as|where)\s+(?:it|they|he|she)\s+(?:is|are)`;
/**
 * What is to stay as it is, or is left to somebody else: "leave the porch light on", "the music can stay on", "you can ignore the
 * newsletters", "leave the merging to Sam".
 */
const untouched = new RegExp(
  String.raw`^(?:(?:and|but|so|please|just|you\s+(?:can|may|should)|feel\s+free\s+to)[\s,]+)*(?:ignore\s|` +
    String.raw`.{1,40}?\s(?:can|may|should)\s+(?:stay|remain)\s+\p{L}+\W*$|leave\s+(?:the\s+)?(?:\p{L}+ing|it|that|this|the\s+rest)\s+to\s+(?!(?:the\s+)?(?:end|last)\b)|` +
    String.raw`leave\s+(?!out\b|an?\s).{1,60}\b(?:on|off|closed|shut|locked|alone|blank|empty|in\s+place|${asItIs})\W*$)`,
  "iu",
);
/** Counts beside another request: "post the photo, but keep it private". Alone, "keep the timer where it is" may ask to pause it. */
const keptAsItIs = new RegExp(
  String.raw`^keep\s+(?!me\b|us\b|an?\s).{1,60}\b(?:private|secret|the\s+same|intact|${asItIs})\W*$`,
  "iu",
);
/** "Keep the docstrings" asks for nothing behind a request that takes something away: "remove the comments". */
const kept =
  /^keep\s+(?:the|it|them|this|that|these|those|my|our|his|her|their|everything)\b(?!.*(?:\d|\b(?:at|to|up|as|going)\b))/iu;
const takesAway =
  /\b(?:delete|remove|drop|clear|strip|hide|cancel|close|shut|wipe|erase|rid|archive|uninstall|tuck|stow|shelve)\b/iu;
/**
 * What goes on, or was wanted, is to end: "stop sending me reminders", "she no longer needs the room", "we won't be needing the table",
 * "forget the taxi", "don't mail me any more". Not what is only wanted otherwise ("I don't want a big one"), or later ("we won't need
 * it until Friday").
 */
const stopping = new RegExp(
  `${lead}(?:(?:stop|quit)\\s+\\p{L}+ing\\b|` +
    "forget\\s+(?:about\\s+)?(?:the|my|our|this|that)\\s+\\p{L}|" +
    "(?:i|we|they|\\p{L}+|(?:the|my|our)\\s[^?]{1,40}?)\\s+no\\s+longer\\s+(?:needs?|wants?)\\b|" +
    "(?:i|we)\\s+(?:will\\s+not|won['’]?t)\\s+(?:need|be\\s+needing)\\b(?!.*\\b(?:to|until|till|before|after|more|other|another)\\b)|" +
    "(?:(?:do\\s*not|don['’]?t|never)|(?:i|we)\\s+(?:do\\s*not|don['’]?t)\\s+(?:need|want))\\b.*\\b(?:any\\s?more|any\\s+longer|ever\\s+again)\\W*$)",
  "iu",
);

/** Tells how something is or was done, where it is no denial (those are read before): "it quits without saving the file". */
const manner = new RegExp(`^${withoutAction}`, "iu");

/** Whether a part states something and wishes for nothing: "my order has not arrived". */
export const tells = (part: string): boolean =>
  (statement.test(part) || isEvent(part) || isPromise(part)) && !wishing.test(part);

/** What each part of a goal can ask for, in order. `parts`: the goal itself if it is one part. */
export function readAskings(
  parts: readonly string[],
  denied: readonly { part: number; isPreview?: true; isReplaced?: true }[],
): Asking[] {
  const denials = new Map(denied.map((one) => [one.part, one]));
  let [isInQuestion, isOfText] = [false, false];
  const isNothing = (part: string, at: number) =>
    (denials.has(at) && !denials.get(at)!.isReplaced) ||
    untouched.test(part) ||
    (parts.length > 1 && keptAsItIs.test(part)) ||
    (at > 0 && kept.test(part) && takesAway.test(parts[at - 1]!));
  return parts.map((part, at) => {
    const next = parts[at + 1];
    const isQuestion =
      asksQuestion(part) ||
      isSupposed(parts, at) ||
      (opensSentence(parts, at) && openingQuestion.test(part) && !courteous.test(part)) ||
      (isInQuestion && !request.test(part)) ||
      (condition.test(part) && next !== undefined && asksQuestion(next));
    const ending = parts.slice(at).find(endsSentence) ?? "";
    isInQuestion = isQuestion && !endsSentence(part) && ending.includes("?");
    if (denials.get(at)?.isPreview) return "answer";
    if (isNothing(part, at)) return "nothing";
    if (isQuestion || looking.test(part) || unsure.test(part)) return "answer";
    if (stopping.test(part)) return "stop";
    // "It should print each name": what the text is to be like.
    isOfText = writing.test(part) || (isOfText && /^(?:it|they)\s/iu.test(part));
    if (isOfText) return "text";
    if (manner.test(part) || hypothetical.test(part) || (at > 0 && isAside(part))) return "little";
    return tells(part) ? "little" : "anything";
  });
}

/** Whether a part is a question by its form, and no request. */
export const asksQuestion = (part: string): boolean =>
  (question.test(part) || indirect.test(part) || tag.test(part)) &&
  !wording.test(part) &&
  !courteous.test(part);

/** What a part may ask for in a message that only asks questions. */
export const ofQuestions: ReadonlySet<Asking> = new Set(["answer", "little", "nothing"]);

/** Whether a message asks a question and, by the form of its parts, for nothing else. */
export const asksOnlyQuestions = (askings: readonly Asking[]): boolean =>
  askings.includes("answer") && askings.every((asking) => ofQuestions.has(asking));

/** Effects of actions that can answer a question: looking and talking, no changes. */
const ofAnswers: ReadonlySet<Effect> = new Set(["none", "look"]);
/** Verbs of actions that write a text. */
const ofTexts: ReadonlySet<string> = new Set(["write", "compose", "generate", "create", "brainstorm"]);
/** Verbs of actions that end something or take it away. */
const ofStops: ReadonlySet<string> = new Set(
  "stop end cancel unsubscribe unfollow delete remove uninstall disable mute block pause close clear dismiss disconnect reject kill turn_off archive hide leave exit quit".split(
    " ",
  ),
);

/** Whether a part can ask for an action of this effect and verb. */
export function canAskFor(asking: Asking, effect: Effect, verb: string | null = null): boolean {
  if (asking === "answer") return ofAnswers.has(effect);
  if (asking === "stop") return verb !== null && ofStops.has(verb);
  if (asking === "text") return verb !== null && ofTexts.has(verb);
  return asking !== "nothing";
}
