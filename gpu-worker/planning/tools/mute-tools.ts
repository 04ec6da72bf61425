/**
 * Mute tools: those that tell nobody anything, by their names. A part of a message that only asks to tell somebody something
 * (telling.ts) cannot mean them. A name may have a word of telling and do something else, or tell by another word, so there are three
 * kinds of tools: those that tell, without which the rule does not apply; those that may serve to tell, which it leaves alone; and all
 * others, which are mute. For a reminder those are mute that do not remind, for a look those that change something. Pure.
 */
import { nameWords } from "../../world-model/text-templates.ts";
import { isCondition } from "../message/conditions.ts";
import type { Message } from "../message/read-message.ts";
import { people, readTold, type Told } from "../message/telling.ts";
import { changesByName, isShell, looks, mayChange, type NamedTool } from "../session/call-effects.ts";

/** What a part of a message is only for: to tell somebody something, or to find out what changes nothing ("look"). */
export type Purpose = Told | "look";

/**
 * What each part of a message is only for. A look serves a condition alone and, while no call has been made for the message (`isNew`), a
 * question beside a request: "is the door locked? Turn on the light" asks for no lock.
 */
export function readPurposes({ text, parts, askings }: Message, isNew: boolean): (Purpose | undefined)[] {
  const isBeside = isNew && askings.includes("anything");
  return parts.map((part, at) =>
    isCondition(text, parts, at) || (isBeside && askings[at] === "answer") ? "look" : readTold(part),
  );
}

/** Words in the names of tools that tell somebody something. */
const talks =
  /\b(?:notify|notifications?|messages?|msg|e?mail|sms|tell|inform|alert|warn|reply|respond|announce|announcement|broadcast|comment|dm)\b|^(?:send|text)$|^text (?:message|contact|person|user|customer|guest)\b|\bsend (?:a )?(?:text|note|update|letter)\b|\b(?:slack|chat|channel|teams|whatsapp|telegram|discord|signal)\b.*\b(?:send|post)\b|\b(?:send|post)\b.*\b(?:slack|chat|channel|teams|whatsapp|telegram|discord|signal)\b/u;
/**
 * With one of these besides, a name does something else than tell: "delete_message", "email_search", "notification_settings",
 * "comment_out", "tell_joke", "set_price_alert".
 */
const noTalk =
  /\b(?:read|list|get|search|find|fetch|check|count|view|open|delete|remove|clear|archive|unsend|recall|edit|move|mark|label|filter|verify|validate|extract|summari[sz]e|translate|classify|parse|configure|enable|disable|toggle|set|mute|silence|dismiss|subscribe|unsubscribe|settings?|preferences|templates?|history|queue|inbox|rules?|address|commit|block|draft|out|joke|story|time|fortune)\b|\bcreate alert\b/u;
/** What is sent is no message: "send_money", "send_keys". */
const sendsOther =
  /\b(?:money|payments?(?! reminders?\b)|funds|package|parcel|gift|transfer|crypto|tokens?|(?<!\bpull )requests?|keys?|commands?|input)\b/u;
/** Tools by which an agent speaks to its own user: Manus has "message_notify_user". */
const saysItself = /\bmessage (?:notify|ask) user\b/u;
/** Words of tools that may serve to tell something, in another way or by finding out who is told. Not "send_invoice". */
const serves =
  /\bsend$|\bsend\b.*\b(?:reminders?|invitations?)\b|\b(?:contacts?|people|person|users?|members?|directory|chats?|channels?|conversations?|threads?|text|ping|call|phone|dial|post|publish|share|note|report|write|letter|say|speak|thank|apologi[sz]e|invite|escalate|ticket|draft|remind)\b/u;
/** With one of these besides, a name is mute all the same: "delete_user", "close_ticket", "text_to_speech". */
const servesOther =
  /\b(?:delete|remove|clear|archive|block|mute|ban|unsend|close|reopen|comment out)\b|\btext to\b/u;

/** Tools that make something be told later: "notify the team when the build fails". */
const later =
  /\b(?:alerts?|alarms?|rules?|automations?|triggers?|monitors?|watch|schedules?|remind|reminders?|webhooks?|hooks?|workflows?|routines?|cron|subscribe|subscriptions?|notifications?)\b/u;
/** Whether a tool sets up something that happens later, by its name. */
export const actsLater = ({ name }: NamedTool): boolean => later.test(nameWords(name));
/** Tools that look and name people may find who is to be told: "search_patient", "staff__find". */
const whom = new RegExp(String.raw`\b(?:${people}|employees?)\b`, "u");

const tells = (tool: NamedTool): boolean => {
  const words = nameWords(tool.name);
  return talks.test(words) && !noTalk.test(words) && !sendsOther.test(words) && !looks(tool);
};
const mayServe = (tool: NamedTool): boolean => {
  const words = nameWords(tool.name);
  return (
    !servesOther.test(words) &&
    !sendsOther.test(words) &&
    (serves.test(words) || saysItself.test(words) || (looks(tool) && whom.test(words)))
  );
};

/** Tools that remind; and, for a list without one, tools that keep something for later. */
const reminding = [
  /\bremind(?:s|ers?)?\b/u,
  /\b(?:alarms?|calendar|events?|to ?dos?|tasks?|notes?|schedule)\b/u,
];
const keepsNone = /\b(?:update|edit|delete|remove|cancel|clear|complete|dismiss|snooze)\b/u;
const keeps = (tool: NamedTool, form: RegExp): boolean => {
  const words = nameWords(tool.name);
  return !looks(tool) && form.test(words) && !keepsNone.test(words);
};
/** What has to be run before there is news: "let me know if the tests pass". */
const checks = /\b(?:tests?|lints?|builds?|checks?)\b/u;
/** Whether a tool changes something now, by no command of a shell. */
const isSetAside = (tool: NamedTool): boolean => mayChange(tool) && !isShell(tool.name) && !actsLater(tool);
const rowsThat = (tools: readonly NamedTool[], isOut: (tool: NamedTool) => boolean): number[] =>
  [...tools.keys()].filter((row) => isOut(tools[row]!));

/**
 * Rows of the mute tools. For a look, of those that change something. None if no tool of the list tells, or, for a reminder, reminds. For
 * "other" only those that change something, since what is told may have to be looked up. For news these as well, but for tests and builds,
 * and whether a tool tells or not: the agent itself tells the speaker.
 */
export function findMute(tools: readonly NamedTool[], purpose: Purpose): number[] {
  if (purpose === "look") return rowsThat(tools, changesByName);
  if (purpose === "news") {
    const isRun = ({ name }: NamedTool) => checks.test(nameWords(name));
    return rowsThat(tools, (tool) => isSetAside(tool) && !tells(tool) && !mayServe(tool) && !isRun(tool));
  }
  if (purpose === "reminder") {
    const kept = reminding.find((form) => tools.some((tool) => keeps(tool, form)));
    return kept === undefined ? [] : rowsThat(tools, (tool) => !keeps(tool, kept));
  }
  const tellers = tools.filter((tool) => tells(tool) && !saysItself.test(nameWords(tool.name)));
  if (tellers.length === 0) return [];
  // If a tool replies, the message that it answers may be read first.
  const mayRead = tellers.some(({ name }) => /\b(?:reply|respond)\b/u.test(nameWords(name)));
  const isSilenced = (tool: NamedTool): boolean => {
    if (purpose === "other") return isSetAside(tool);
    return !(mayRead && looks(tool) && talks.test(nameWords(tool.name)));
  };
  return rowsThat(tools, (tool) => !tells(tool) && !mayServe(tool) && isSilenced(tool));
}

/**
 * The mixer's logits with minus infinity for what a part cannot ask for by its purpose: mute tools and, but for news and a look, no tool at
 * all. `logits`: for the whole message, then for each part. `purposes`: for each part.
 */
export function withoutMute(
  logits: readonly Float64Array[],
  tools: readonly NamedTool[],
  purposes: readonly (Purpose | undefined)[],
): Float64Array[] {
  // A message of several parts is more than any of them.
  const ofLists = [purposes.length === 1 ? purposes[0] : undefined, ...purposes];
  return logits.map((list, at) => {
    const mute = new Set(ofLists[at] && findMute(tools, ofLists[at]));
    if (mute.size > 0 && ofLists[at] !== "news" && ofLists[at] !== "look") mute.add(tools.length);
    return mute.size === 0
      ? list
      : list.map((logit, row) => (mute.has(row) ? Number.NEGATIVE_INFINITY : logit));
  });
}
