/**
 * Checks the text of each choice of an answer that is to be JSON, when the choice ends and before its `finish` is passed on.
 * An answer that fails ends in an error event: the rest of its stream is read, for its usage, but not passed on.
 */
import type { ChatEvent, EventOf, FinishReason } from "../../../shared/chat.ts";
import type { ProviderAnswer } from "../../providers/call.ts";
import { createFenceStripper, type FenceStripper } from "./strip-fence.ts";

/** What is wrong with a whole answer; undefined when nothing is. Never rejects. */
type AnswerCheck = (answer: string) => Promise<string | undefined>;

type Choice = {
  text: string;
  /** Number of the content block that the latest text belongs to. */
  block: number;
  fenceStripper: FenceStripper;
  /** The choice called a tool or refused, so its text is not checked. */
  exempt: boolean;
};

/** Finish reasons of a complete answer. An answer that ends for another reason, such as `length`, is not checked. */
const whole: ReadonlySet<FinishReason> = new Set(["stop", "stop-sequence"]);

const failure = (kind: string): ChatEvent => ({
  type: "error",
  code: "answer_off_format",
  message:
    `The model's answer does not have the format that was asked for (${kind}), which its provider does not hold it to. ` +
    "It was charged as used: ask again, or choose a model that holds its answers to a schema.",
});

/** The events of an answer, checked by `check`. Text of a fence around a whole answer is left out. Never throws. */
export async function* checkEvents(
  events: ProviderAnswer["events"],
  check: AnswerCheck,
): ProviderAnswer["events"] {
  const choices = new Map<number, Choice>();
  const choiceOf = (index: number): Choice => {
    const known = choices.get(index) ?? {
      text: "",
      block: 0,
      fenceStripper: createFenceStripper(),
      exempt: false,
    };
    choices.set(index, known);
    return known;
  };
  let broken: string | undefined;
  for await (const batch of events) {
    const given: ChatEvent[] = [];
    for (const event of batch) {
      if (broken !== undefined) break;
      if (event.type === "finish") broken = await endChoice(choiceOf(event.choice), event, check, given);
      else given.push(...readEvent(event, choiceOf));
    }
    if (given.length > 0) yield given;
  }
  if (broken !== undefined) yield [failure(broken)];
}

function readEvent(event: ChatEvent, choiceOf: (index: number) => Choice): ChatEvent[] {
  if (!("block" in event)) return [event];
  const choice = choiceOf(event.choice);
  if (event.type !== "text-delta") {
    if (event.type === "tool-call-start" || event.type === "refusal-delta") choice.exempt = true;
    // Text held back by `fenceStripper` belongs before the next block.
    return event.block === choice.block ? [event] : [...endText(choice, event.choice), event];
  }
  const before = event.block === choice.block ? [] : endText(choice, event.choice);
  choice.block = event.block;
  const text = choice.fenceStripper.push(event.text);
  choice.text += text;
  const says = text !== "" || event.text === "" || event.providerData !== undefined;
  return says ? [...before, { ...event, text }] : before;
}

function endText(choice: Choice, index: number): ChatEvent[] {
  const text = choice.fenceStripper.end();
  choice.text += text;
  return text === "" ? [] : [{ type: "text-delta", choice: index, block: choice.block, text }];
}

/** Adds the choice's held-back text to `given`, and its `finish` if the check passes. Returns what is wrong, if it fails. */
async function endChoice(
  choice: Choice,
  event: EventOf<"finish">,
  check: AnswerCheck,
  given: ChatEvent[],
): Promise<string | undefined> {
  given.push(...endText(choice, event.choice));
  const broken = choice.exempt || !whole.has(event.reason) ? undefined : await check(choice.text);
  if (broken === undefined) given.push(event);
  return broken;
}
