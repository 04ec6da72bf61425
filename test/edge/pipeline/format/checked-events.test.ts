import { expect, test } from "vitest";
import { checkEvents } from "../../../../edge/pipeline/format/checked-events.ts";
import type { ChatEvent } from "../../../../shared/chat.ts";

const says = (text: string, block = 0, choice = 0): ChatEvent => ({
  type: "text-delta",
  choice,
  block,
  text,
});
const ends = (reason: "stop" | "length" | "tool-calls" | "refusal" = "stop", choice = 0): ChatEvent => ({
  type: "finish",
  choice,
  reason,
  raw: reason,
});
const used: ChatEvent = {
  type: "usage",
  usage: { input: 1, output: 1, total: 2, cachedInput: 0, cacheWrite: 0, reasoning: 0 },
};
const calls: ChatEvent[] = [
  { type: "tool-call-start", choice: 0, block: 1, id: "c", name: "go" },
  { type: "tool-call-end", choice: 0, block: 1 },
];

async function check(...batches: ChatEvent[][]) {
  let read = 0;
  async function* source() {
    for (const batch of batches) {
      read += 1;
      yield batch;
    }
  }
  const isOk = async (answer: string) => (answer === "ok" ? undefined : "JSON");
  const given: ChatEvent[] = [];
  for await (const batch of checkEvents(source(), isOk)) given.push(...batch);
  expect(read).toBe(batches.length); // also what comes after a failure: usage is in it
  return given;
}
const error = expect.objectContaining({ type: "error", code: "answer_off_format" });

test("an answer as asked passes as it came", async () => {
  const whole = [says("o"), says("k"), ends(), used];
  expect(await check(whole.slice(0, 1), whole.slice(1))).toEqual(whole);
});

test("another ends in an error in place of its end", async () => {
  expect(await check([says("Sure! "), says("ok")], [ends()], [used])).toEqual([
    says("Sure! "),
    says("ok"),
    error,
  ]);
  expect(await check([ends()], [used])).toEqual([error]);
});

test("one that is cut off, refuses or calls a tool is what its end says", async () => {
  expect(await check([says("o"), ends("length")])).toEqual([says("o"), ends("length")]);
  expect(await check([says("no"), ends("refusal")])).toEqual([says("no"), ends("refusal")]);
  const calling = [says("Let me look."), ...calls, ends("tool-calls")];
  expect(await check(calling)).toEqual(calling);
});

test("each choice is checked", async () => {
  const events = [says("ok"), says("no", 0, 1), ends(), ends("stop", 1), used];
  expect(await check(events)).toEqual([says("ok"), says("no", 0, 1), ends(), error]);
});

test("a fence around it is taken off, and text held back goes before the next block", async () => {
  expect(await check([says("```json\nok\n```"), ends()])).toEqual([says("ok"), ends()]);
  const held = [says("\n"), ...calls, ends("tool-calls")];
  expect(await check(held)).toEqual(held);
});

test("a provider's own failure stays its own", async () => {
  const failure: ChatEvent = { type: "error", code: "upstream_error", message: "x" };
  expect(await check([says("o")], [failure])).toEqual([says("o"), failure]);
});
