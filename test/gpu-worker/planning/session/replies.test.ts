// What a message asks for that only takes or refuses what the assistant offers.
import { describe, expect, it } from "vitest";
import { readReply, withReply } from "../../../../gpu-worker/planning/session/replies.ts";
import { draftSession } from "../../../../gpu-worker/planning/session/texts.ts";
import type { PlanTurn } from "../../../../shared/planning.ts";
import { leastMs } from "../../../support/least-ms.ts";
import { planRequest } from "../../support/base-planner.ts";

const talk = (offered: string, said: string): PlanTurn[] => [
  { kind: "user", text: "Refund order 12" },
  { kind: "call", text: "get_order" },
  { kind: "result", text: "delivered" },
  { kind: "assistant", text: offered },
  { kind: "user", text: said },
];
const tools = ["get_order", "cancel_order", "send_email"].map((name) => ({ name }));
const replyTo = (offered: string, said: string) => readReply(talk(offered, said), tools);

describe("a consent asks for what was offered", () => {
  it.each([
    ["The door is unlocked. Do you want me to lock it?", "yes", "Lock it"],
    ["Fixed. Want me to run the tests?", "Sure, go ahead.", "Run the tests"],
    ["It fails. Should I leave a comment, too?", "please", "Leave a comment"],
    ["I can refund 39.90 EUR for order 12. Shall I go ahead?", "yes please", "Refund 39.90 EUR for order 12"],
    ["I suggest rolling back to 41. OK to proceed?", "ok do it", "Rolling back to 41"],
    ["I could open an incident, if you like.", "ok, do that", "Open an incident"],
    ["I could ask its owner by mail if you want.", "ok thanks, do that", "Ask its owner by mail"],
    ["Should I transfer 100 instead?", "ok, 100", "Transfer 100 instead, 100"],
    ["Would you like a chart?", "yes, with bars", "I want a chart, with bars"],
    ["Should I add some songs?", "sure, something by Abba", "Add some songs, something by Abba"],
    ["That is 500 EUR. Confirm?", "confirmed", "Refund order 12"],
    ["The release broke it. I'd roll it back. Shall I?", "yes", "Roll it back"],
    ["Shall I lock it?", "yes, and send Ann an email", "Lock it and send Ann an email"],
    ["Shall I lock it?", "yes do that and tell #ops", "Lock it and tell #ops"],
    ["Revision 41 was fine. I propose rolling back to it.", "go", "Rolling back to it"],
    ["Order 12 (two lamps): send it back for good?", "grr, ok", "Send it back for good"],
    ["Shall I really lock it?", "ugh, fine, yes", "Lock it"],
  ])("%s %s", (offered, said, wanted) => {
    expect(replyTo(offered, said)).toBe(wanted);
  });
});

describe("a refusal takes the offer back, or denies it beside another request", () => {
  it.each([
    ["Shall I tell him why?", "no, I'll do it myself", "Never mind."],
    ["I can move 25 EUR first. OK?", "no, leave it", "Never mind."],
    ["I can cancel it if you like.", "no, keep it", "Never mind."],
    ["Shall I put it in your cart?", "hmm too expensive, no", "Never mind."],
    ["Done. Anything else?", "nope!", "Never mind."],
    ["Shall I post a note?", "not needed. but check it", "Don't post a note. but check it"],
    [
      "Shall I really lock it?",
      "no wait, she has a key. play jazz",
      "Don't lock it. she has a key. play jazz",
    ],
    [
      "Two lamps of order 12: send them back?",
      "hmm. no, keep them, pay both",
      "Don't send them back. pay both",
    ],
    ["Shall I add luggage?", "no", "Don't add luggage."],
    ["Shall I add luggage?", "No, thanks.", "Don't add luggage."],
    ["Shall I add a task?", "No, but add a note", "But add a note"],
    ["Shall I add a task?", "No, but send Ann the list", "Don't add a task. but send Ann the list"],
  ])("%s %s", (offered, said, wanted) => {
    expect(replyTo(offered, said)).toBe(wanted);
  });
});

it("ends what was done before a detail is refused", () => {
  const said: PlanTurn[] = [
    { kind: "assistant", text: "Shall I add a task, too?" },
    { kind: "user", text: "no thanks" },
  ];
  const after = (name: string, text: string) =>
    readReply(
      [
        { kind: "user", text: "Remind me at six" },
        { kind: "call", text: name },
        { kind: "result", text },
        ...said,
      ],
      [{ name }],
    );
  expect(after("set_reminder", "ok")).toBe("Never mind.");
  expect(after("set_reminder", "error: no access")).toBe("Don't add a task.");
  expect(after("list_reminders", "none")).toBe("Don't add a task.");
});

describe("other messages are read as they are", () => {
  it.each([
    ["Which one?", "the second"],
    ["Should I cancel it or move it?", "yes"],
    ["Shall I place the order?", "yes, order it"],
    ["Shall I book the Ribeira?", "no, the other one"],
    ["Shall I look it up?", "please cancel order 12"],
    ["Shall I look it up?", "ok, cancel order 12"],
    ["Want me to run the tests?", "yes, run the tests in CI"],
    ["Shall I deploy?", "yes, if the tests pass"],
    ["Shall I deploy?", "ok, but what does it change?"],
    ["May I have your order number?", "sure, 5520"],
    ["I can only refund it within 30 days.", "ok"],
    ["Do you want a label on it?", "no"],
    ["Anything else?", "yes"],
    ["Shall I deploy?", "yesterday it failed"],
    ["That one is gone. Book it anyway?", "yes"],
    ["Is it open now?", "yes"],
    ["Shall I lock it?", "no wait for me, just do it"],
    ["Shall I lock it?", "no, stop asking and do it"],
    ["Shall I lock it?", "no, wait... ok, do it"],
  ])("%s %s", (offered, said) => {
    expect(replyTo(offered, said)).toBeUndefined();
  });

  it("also where something stands between", () => {
    expect(readReply([...talk("Shall I lock it?", "yes").slice(0, 3), { kind: "user", text: "yes" }])).toBe(
      undefined,
    );
    expect(readReply([{ kind: "user", text: "yes" }])).toBeUndefined();
  });
});

it("is what a plan over tools reads", () => {
  const request = planRequest("yes", { turns: talk("Shall I lock it?", "yes") });
  const { goal, texts } = draftSession(request, { goalTokens: 64, toolTokens: 64 });
  expect([goal, texts[0]!.text]).toEqual(["Lock it", "Lock it"]);
});

it("replaces the last message, and no other", () => {
  const turns = talk("Shall I lock it?", "yes");
  const request = planRequest("yes", { turns, tools: tools.map((tool) => ({ ...tool, description: "" })) });
  expect(withReply(request)).toEqual({
    ...request,
    goal: "Lock it",
    turns: [...turns.slice(0, -1), { kind: "user", text: "Lock it" }],
  });
  const other = planRequest("the second", { turns: talk("Which one?", "the second") });
  expect(withReply(other)).toBe(other);
});

it("reads long messages in little time", async () => {
  const offered = `Shall I ${"run it, I can ".repeat(2_000)}?`;
  expect(await leastMs(50, () => replyTo(offered, `yes${", ok".repeat(5_000)}x`))).toBeLessThan(50);
});
