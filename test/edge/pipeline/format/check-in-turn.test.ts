// Answers that take long to check: those of one account leave the isolate's thread to others in between.
import { expect, test } from "vitest";
import { createTurns } from "../../../../edge/admission/turns.ts";
import { checkInTurn } from "../../../../edge/pipeline/format/check-in-turn.ts";
import { createTestApp, newCaller } from "../../support/app.ts";

/** Checks of which each takes `stepsEach`, by a clock that runs as far as somebody sleeps. */
function createStage(stepsEach: number) {
  let now = 0;
  const sleep = async (milliseconds: number) => {
    const until = now + milliseconds;
    await new Promise((resolve) => setTimeout(resolve, 1));
    now = Math.max(now, until);
  };
  const services = { turns: createTurns(), now: () => now, sleep, waitUntil: () => {} };
  const checkedAt: number[] = [];
  const begin = (accountId: string) => {
    let steps = 0;
    const check = (answer: string) => {
      checkedAt.push(now);
      steps += stepsEach;
      return answer;
    };
    return checkInTurn(Object.assign(check, { steps: () => steps }), accountId, services);
  };
  return { begin, checkedAt };
}

test("after a long check the account's next one waits as long as that took, and other accounts do not", async () => {
  const { begin, checkedAt } = createStage(20_000);
  expect(await begin("acct_1")("first")).toBe("first");
  const second = begin("acct_1")("second");
  await begin("acct_2")("other");
  expect(checkedAt).toEqual([0, expect.any(Number)]);
  expect(checkedAt[1]).toBeLessThan(200);
  await second;
  expect(checkedAt[2]).toBeGreaterThanOrEqual(200);
});

test("after a short one nothing waits", async () => {
  const { begin, checkedAt } = createStage(999);
  for (let at = 0; at < 5; at++) await begin("acct_1")("answer");
  expect(checkedAt).toEqual([0, 0, 0, 0, 0]);
});

test("a chat request whose schema takes long rests before its account's next check", async () => {
  const slept: number[] = [];
  const sleep = async (milliseconds: number) => void slept.push(milliseconds);
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: '{"q":1}' }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 9, output_tokens: 3 },
  };
  const { chat } = createTestApp({ sleep, provider: [() => Response.json(message)] });
  const caller = await newCaller(1_000_000);
  // Each part is looked at twice as often as the one before it: two to the sixteenth visits for one number.
  const parts = Array.from({ length: 16 }, (_, at) => {
    const next = { $ref: `#/$defs/d${at + 1}` };
    return [`d${at}`, { anyOf: [next, next] }];
  });
  const $defs = Object.fromEntries([...parts, ["d16", { type: "string" }]]);
  const schema = { type: "object", properties: { q: { $ref: "#/$defs/d0" } }, $defs };
  const asked = {
    model: "svc-x1ac-base-claude-3-7-sonnet-20250219",
    messages: [{ role: "user", content: "go" }],
    max_tokens: 9,
    response_format: { type: "json_schema", json_schema: { name: "deep", schema } },
  };
  const response = await chat(caller.apiKey, asked, { "x-beta-key": "sk-ant-own" });
  expect(response.status).toBe(200);
  expect(Math.max(...slept)).toBeGreaterThan(400);
});
