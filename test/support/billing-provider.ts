/**
 * The fake provider as an aggregator that keeps its own bill: a line for each call it took, filled in frame by frame. What it wrote in
 * the last second (`onTheWayMs`) before a connection was cut counts as not read: the gateway ends a call within that time.
 */
import type { BillLine } from "./aggregator-bill.ts";
import { cutWords } from "./fake-provider/script.ts";
import type { FakeProvider, FakeRequest, FakeScript } from "./fake-provider.ts";

/** openai/gpt-4o in the fake's list, micro-dollars a token. */
const prices = { input: 2.5, output: 10 };
const frameDelayMs = 20;
/** A comment and the role come before the first word. */
const framesBeforeWords = 2;
const onTheWayMs = 1_000;

type Message = { content: string | { text?: string }[] };

export type BillingProvider = {
  /** The lines of one request, by the name in its first message. */
  linesOf(name: string): BillLine[];
};

/** `answer`: by the request's name, how many words its call gets, and how many reasoning tokens that are not shown. */
export function billByName(
  provider: FakeProvider,
  answer: (name: string) => { words: number; thought: number },
): BillingProvider {
  const calls: { line: BillLine; writtenAt: number[] }[] = [];
  const script = ({ body }: FakeRequest): FakeScript => {
    const { messages } = body as { messages: Message[] };
    const group = /ask-[\w-]+/.exec(JSON.stringify(messages))![0];
    const { words, thought } = answer(group);
    const text = "word ".repeat(words).trim();
    const input = Math.floor(countChars(messages) / 4);
    const line: BillLine = {
      ...{ group, prices, input, denseInput: 0, written: 0, taken: 0, thought },
      ...{ surcharge: 0, answered: true, reported: false },
    };
    const call = { line, writtenAt: [] as number[] };
    calls.push(call);
    const lastWord = framesBeforeWords + cutWords(text).length - 1;
    const costUsd = (input * prices.input + (words + thought) * prices.output) / 1_000_000;
    return {
      text,
      frameDelayMs,
      usage: { input, output: words + thought, reasoning: thought, costUsd },
      onFrame(index) {
        if (index >= framesBeforeWords && index <= lastWord) {
          line.written += 1;
          call.writtenAt.push(Date.now());
        }
        // The finish is the frame after the last word, the report the one after that.
        if (index === lastWord + 2) line.reported = true;
      },
    };
  };
  provider.respond("router", script);
  return {
    linesOf: (name) =>
      calls
        .filter(({ line }) => line.group === name)
        .map(({ line, writtenAt }) => {
          const read = (writtenAt.at(-1) ?? 0) - onTheWayMs;
          return { ...line, taken: writtenAt.filter((at) => at < read).length };
        }),
  };
}

const countChars = (messages: readonly Message[]): number =>
  messages.reduce(
    (sum, { content }) =>
      sum +
      (typeof content === "string"
        ? content.length
        : content.reduce((inner, { text = "" }) => inner + text.length, 0)),
    0,
  );
