/**
 * Corrects what the reader of wishes finds in a part of a goal by the part's words: the vectors of a question, of a report and of a
 * command are nearly the same, so it finds the same action in all three. Pure.
 */
import { type Action, type ActionTable, sumChances } from "../../world-model/actions.ts";
import { type Asking, canAskFor } from "../message/asking.ts";
import { verbsOf, wordsOf } from "../message/goal-text.ts";
import { readTold } from "../message/telling.ts";

/** Names of the actions that a part can ask for which only asks to tell somebody something. */
const telling: ReadonlySet<string> = new Set(
  (
    "send send_message send_email send_notification send_location share_location notify_customer reply reply_message reply_email " +
    "post_message write_email inform_answer inform_status inform_unavailable report_progress notify_success notify_failure call_contact " +
    "start_call apologize thank_user report_issue report_fraud refuse_request reject escalate_to_human"
  ).split(" "),
);

/**
 * The reader's probabilities for a part, with 0 for each action that a part of its form cannot ask for. `least`: the probability from
 * which a statement's likeliest action counts as asked for (`statedFrom` in the tunables).
 */
export function limitByForm(
  table: ActionTable,
  part: string,
  asking: Asking,
  chances: Float32Array,
  least: number,
): Float32Array {
  if (asking === "anything")
    return readTold(part) === "statement" ? ofTelling(table, chances) : chances.slice();
  const left = chances.slice();
  const likeliest = findLikeliest(table.actions, chances);
  const isDoubtful =
    asking === "little" && (!likeliest || sumChances(table.alike(likeliest.id), chances) < least);
  const done: ReadonlySet<string> = asking === "little" ? verbsDone(part) : new Set();
  for (const { id, effect, verb } of table.actions)
    if (isDoubtful || !canAskFor(asking, effect, verb) || (verb !== null && done.has(verb))) left[id] = 0;
  return left;
}

/**
 * The probabilities of the actions that tell somebody something, rescaled to sum to 1, and 0 for all others. What is told has the words
 * of other actions: "let the team know that the meeting is cancelled" is read as `cancel_meeting` with .88, `send_message` with .01.
 */
function ofTelling({ actions }: ActionTable, chances: Float32Array): Float32Array {
  const left = new Float32Array(chances.length);
  for (const { id, name } of actions) if (telling.has(name)) left[id] = chances[id]!;
  const whole = left.reduce((sum, chance) => sum + chance, 0);
  return whole === 0 ? left : left.map((chance) => chance / whole);
}

/**
 * Verbs that a statement has in a past form: "the parcel was returned" is no request to return it. The first word does not count: "and
 * sent to the bank" goes on with what an earlier part asks for.
 */
function verbsDone(statement: string): ReadonlySet<string> {
  const [, ...words] = wordsOf(statement.replace(/^(?:and|but|then)\s/iu, ""));
  const past = words.filter((word) => !word.endsWith("ing"));
  return new Set(past.flatMap((word) => verbsOf(word).filter((verb) => verb !== word)));
}

/** The likeliest action that has an effect. Those without one only talk, or mark the end of a plan. */
export function findLikeliest(actions: readonly Action[], chances: Float32Array): Action | undefined {
  let likeliest: Action | undefined;
  for (const action of actions) {
    if (action.effect !== "none" && chances[action.id]! > (likeliest ? chances[likeliest.id]! : 0))
      likeliest = action;
  }
  return likeliest;
}
