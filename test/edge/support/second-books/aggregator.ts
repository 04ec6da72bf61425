/**
 * The fake aggregator of the second books: answers each call by the behaviours of the request it was made for, in
 * turn, and keeps its own bill. Nothing is buffered: what it has written when it is asked for more was read.
 */
import type { BillLine, Prices } from "../../../support/aggregator-bill.ts";
import type { Sent } from "../app.ts";
import type { Behaviour } from "./sequence.ts";

/** gpt-4o, micro-dollars a token, times the factor of the day. */
export const pricesAt = (factor: number): Prices => ({ input: 2.5 * factor, output: 10 * factor });

export type Aggregator = {
  bill: BillLine[];
  /** Which behaviours the calls of a turn are answered by; the last one stays. */
  expect(group: string, behaviours: readonly Behaviour[]): void;
  setFactor(factor: number): void;
  serve(sent: Sent): Promise<Response>;
};

const encoder = new TextEncoder();
const frame = (value: object) => encoder.encode(`data: ${JSON.stringify(value)}\n\n`);
const delta = (fields: object, finish_reason: string | null = null) =>
  frame({ choices: [{ index: 0, delta: fields, finish_reason }] });
const failed = frame({
  choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
  error: { code: 502, message: "host fell over", metadata: { provider_name: "Deep Infra" } },
});
const dripEveryMs = 8;
const dawdleMs = 15;

const statuses: Partial<Record<Behaviour["does"], number>> = { refuses: 400, isBusy: 429, isDown: 500 };

/** As fetch does when its signal fires. */
const untilAborted = (signal: Sent["signal"]): Promise<never> =>
  new Promise((_, reject) => {
    const abort = () => reject(new Error("aborted"));
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort);
  });
const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

const usageOf = (input: number, output: number, reasoning: number, costMicro: number) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  completion_tokens_details: { reasoning_tokens: reasoning },
  cost: costMicro / 1_000_000,
});

type Message = { role: string; content: unknown };

/** Which turn of which request a call belongs to: its first message has the name, its tools' results are the turns. */
export function groupOf(messages: readonly Message[]): string {
  const name = /ask-\d+/.exec(JSON.stringify(messages))![0];
  return `${name}-turn-${messages.filter(({ role }) => role === "tool").length}`;
}

/** Characters a provider reads: of contents and tools, without the names around them. */
const countChars = ({ messages, tools }: Record<string, unknown>): number =>
  (messages as Message[]).reduce(
    (sum, { content }) =>
      sum + (typeof content === "string" ? content.length : textLength(content as { text?: string }[])),
    tools === undefined ? 0 : JSON.stringify(tools).length,
  );
const textLength = (parts: readonly { text?: string }[] | null): number =>
  (parts ?? []).reduce((sum, { text = "" }) => sum + text.length, 0);

export function createAggregator(): Aggregator {
  const bill: BillLine[] = [];
  const scripts = new Map<string, { behaviours: readonly Behaviour[]; calls: number }>();
  let factor = 1;

  const next = (group: string): Behaviour => {
    const script = scripts.get(group)!;
    return script.behaviours[Math.min(script.calls++, script.behaviours.length - 1)]!;
  };

  return {
    bill,
    expect: (group, behaviours) => void scripts.set(group, { behaviours, calls: 0 }),
    setFactor: (value) => {
      factor = value;
    },
    async serve({ body, signal }) {
      const group = groupOf(body.messages as Message[]);
      const one = next(group);
      const status = statuses[one.does];
      if (status !== undefined) return new Response("{}", { status });
      const headers = { "content-type": "text/event-stream" };
      // A host that fails before it writes is not billed (OpenRouter, "Provider routing").
      if (one.does === "failsAtFirst") return new Response(failed, { headers });
      // Nor is a stream that it ends itself before its first word ("Zero completion insurance"); one that goes silent is.
      if (one.does === "breaks" && one.words === 0) return new Response("", { headers });
      const chars = countChars(body);
      const line: BillLine = {
        group,
        prices: pricesAt(factor),
        input: Math.floor(chars / 4),
        denseInput: one.dense ? chars - Math.floor(chars / 4) : 0,
        written: 0,
        taken: 0,
        thought: one.thought,
        surcharge: one.surcharge,
        answered: false,
        reported: false,
      };
      bill.push(line);
      if (one.does === "neverAnswers") return untilAborted(signal);
      if (one.does === "dawdles") await Promise.race([sleep(dawdleMs), untilAborted(signal)]);
      line.answered = true;
      return new Response(write(one, line, signal, body.tools !== undefined), { headers });
    },
  };
}

/** The answer; the line follows what is read of it. */
function write(one: Behaviour, line: BillLine, signal: Sent["signal"], hasTools: boolean) {
  const callsTool = one.does === "callsTool" && hasTools;
  const frames = answer(one, line, callsTool);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        line.taken = line.written;
        if (one.does === "drips") await Promise.race([sleep(dripEveryMs), untilAborted(signal)]);
        const { value, done } = frames.next();
        if (value !== undefined) return controller.enqueue(value);
        if (one.does === "goesSilent") return untilAborted(signal);
        if (done) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Each piece is billed when it is given. */
function* answer(one: Behaviour, line: BillLine, callsTool: boolean): Generator<Uint8Array, void> {
  const word = callsTool
    ? delta({ tool_calls: [{ index: 0, function: { arguments: " " } }] })
    : delta({ content: "w" });
  if (callsTool) {
    line.written += 1;
    yield delta({
      tool_calls: [
        { index: 0, id: "call_1", type: "function", function: { name: "search", arguments: "{}" } },
      ],
    });
  }
  for (let words = 0; words < one.words || one.does === "drips"; words++) {
    line.written += 1;
    yield word;
  }
  if (one.does === "breaks" || one.does === "goesSilent") return;
  yield delta({}, callsTool ? "tool_calls" : "stop");
  const usage = report(one, line);
  if (usage !== undefined) yield frame({ choices: [], usage });
  // It is asked for more, so the report was read.
  line.reported = one.reports === "truth" || one.reports === "tooMuch";
  yield encoder.encode("data: [DONE]\n\n");
}

function report(one: Behaviour, line: BillLine): object | undefined {
  const input = line.input + line.denseInput;
  const cost =
    input * line.prices.input + (line.written + line.thought) * line.prices.output + line.surcharge;
  const reports = {
    truth: usageOf(input, line.written + line.thought, line.thought, cost),
    nothing: undefined,
    nonsense: usageOf(-5, -1, 0, -1),
    tooMuch: usageOf(1_000_000_000, 1_000_000_000, 0, cost),
  };
  return reports[one.reports];
}
