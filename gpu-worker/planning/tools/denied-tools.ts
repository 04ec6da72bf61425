/** Tools named after what a message denies. Pure. */
import { nameWords } from "../../world-model/text-templates.ts";
import type { Denial } from "../message/denials.ts";
import { wordsOf } from "../message/goal-text.ts";
import type { Message } from "../message/read-message.ts";
import { looks, type NamedTool } from "../session/call-effects.ts";

/**
 * Tools that do more than look and have the denied verb in their names: "instead of paying it now, file the invoice" rules out
 * `pay_invoice`. The mixer finds that tool likely for "file the invoice" too, so its probabilities do not rule it out
 * (tool-chances.ts). A tool whose name also has the verb that is wanted instead is kept: "send him the file. No, email it" leaves
 * `send_email`.
 */
export const findDenied = ({ denied, parts }: Message, tools: readonly NamedTool[]): number[] => {
  const asked = parts.filter((_, at) => !denied.some(({ part }) => part === at)).join(" ");
  const isOther = ({ verbs, things }: Denial) => things && serves(asked, verbs, things, tools);
  const whole = denied.filter((one) => (one.isWhole || isOther(one) || isRenewal(one)) && !one.isPreview);
  const isOut = (tool: NamedTool) => {
    const words = nameWords(tool.name).split(" ");
    return !looks(tool) && whole.some((one) => hasVerb(words, one) && !isInstead(words, one));
  };
  return [...tools.keys()].filter((row) => isOut(tools[row]!));
};
/** "Don't renew my subscription" may ask to end it. */
export const isRenewal = ({ verbs }: Denial): boolean => verbs.includes("renew");
/** Whether a name has the denied verb and, where it is denied of certain things alone, one of these. */
export const hasVerb = (words: readonly string[], { verbs, things }: Denial): boolean =>
  words.some((word) => verbs.includes(word)) && (!things || words.some((word) => things.includes(word)));
/** Whether a name has the verb that is wanted instead. */
export const isInstead = (words: readonly string[], { instead }: Denial): boolean =>
  instead !== undefined && words.includes(instead);

/**
 * Whether a tool of a verb is named after what a text asks for, and not after `things`. "Book a flight" has `book_flight`; for "delete the
 * logs, but not the file a.log" `delete_file` may be needed, where no tool is named after logs.
 */
function serves(
  asked: string,
  verbs: readonly string[],
  things: readonly string[],
  tools: readonly NamedTool[],
): boolean {
  const said = new Set(wordsOf(asked).filter((word) => !verbs.includes(word)));
  const names = tools.map(({ name }) => nameWords(name).split(" "));
  const has = (words: readonly string[], some: readonly string[]) =>
    words.some((word) => some.includes(word));
  return names.some(
    (words) => has(words, verbs) && !has(words, things) && words.some((word) => said.has(word)),
  );
}
