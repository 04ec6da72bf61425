// What the words of a first message rule out: suppositions, conditions, quotations, and what is wanted of one thing alone.
import { describe, expect, it } from "vitest";
import { findQuoted, withoutQuotations } from "../../../../gpu-worker/planning/tools/quoted-tools.ts";
import { readRefused } from "../../../../gpu-worker/planning/tools/refused-tools.ts";
import { createMadeUpModel } from "../../support/made-up-model.ts";

const { model } = createMadeUpModel(() => []);
const refuse = (goal: string, names: readonly string[], best = names.map(() => 0)) => {
  const tools = names.map((name) => {
    const { verb } = model.lexicon.readName(name);
    return { name, verb, effect: model.table.effectOf(verb) };
  });
  const { always, untilCalled } = readRefused({ isOpening: true }, goal, best, tools);
  const named = (rows: ReadonlySet<number>) => names.filter((_, row) => rows.has(row));
  return { always: named(always), untilCalled: named(untilCalled) };
};

describe("where the message only asks what would follow", () => {
  it.each([
    ["If we book it today, can we cancel later?", ["cancel_booking", "book_flight"]],
    ["Could we still cancel if we book it now?", ["cancel_booking", "book_flight"]],
  ])("nothing is changed: %s", (goal, out) => {
    expect(refuse(goal, ["get_booking", ...out]).always).toEqual(out);
  });

  it("a request with a condition is none", () => {
    expect(
      refuse("If I send you the code, can you cancel it?", ["get_booking", "cancel_booking"]).always,
    ).toEqual([]);
  });
});

describe("what depends on a condition waits", () => {
  it.each([
    ["Book the 9:40 flight, but only if it is refundable", ["get_fare", "book_flight"], [1, 0]],
    ["If I'm free on Thursday, create an event", ["list_events", "create_event"], [0, 1]],
    ["If I have a call with Tom move it", ["list_events", "move_event"], [0, 0]],
    ["Unless it has 100 visits, delete the post", ["get_visits", "delete_post"], [0, 1]],
    ["Close it if the customer agrees, otherwise call him", ["get_ticket", "reopen_ticket"], [0, 0]],
  ])("%s", (goal, names, best) => {
    expect(refuse(goal, names, best).untilCalled).toEqual([names[1]]);
  });

  it.each(["If I have to, cancel the event", "Unless you hear from me, cancel the event"])(
    "not for: %s",
    (goal) => expect(refuse(goal, ["list_events", "cancel_event"], [0, 1]).untilCalled).toEqual([]),
  );

  it.each([
    ["If the tests pass, push", ["run_tests"], [0]],
    ["Open a pull request unless the tests fail", ["run_tests"], [0]],
    ["Deploy only if the build is green", ["run_build"], [0]],
  ])("but not what finds it out: %s", (goal, names, best) => {
    expect(refuse(goal, ["read_file", ...names], [0, ...best]).untilCalled).toEqual([]);
  });

  it.each([
    ["Once the deploy is done run the tests", "run_tests"],
    ["If the site is down, run the tests", "run_tests"],
    ["If the build is stuck, cancel it", "cancel_build"],
  ])("what is only to follow it: %s", (goal, name) => {
    expect(refuse(goal, ["read_file", name], [0, goal.includes(",") ? 1 : 0]).untilCalled).toEqual([name]);
  });
});

describe("a longer quotation", () => {
  it.each([
    ['Ann writes: "Please approve my leave for next week". Is there a rule for that?', ["approve_leave"]],
    ['I got this mail: "We cancel the policy unless you pay". What is missing?', ["cancel_policy"]],
  ])("asks for nothing where the words around it only ask: %s", (goal, out) => {
    expect(refuse(goal, ["get_policy", ...out]).always).toEqual(out);
  });

  it.each([
    'Post "the build is green again, please merge" in dev. Is it done?',
    'Log that he said "please call me again next week". Is it paid?',
    'Add "call the plumber about the kitchen sink" to my list. What else is on it?',
    'She says "the light in the hall is on". Can we turn it off?',
    'Ben wrote "please lock the front door tonight". Do that. Is it safe?',
  ])("leaves a request around it: %s", (goal) => {
    const tools = ["get_state", "post_message", "log_call", "add_task", "turn_off_light", "lock_door"];
    expect(refuse(goal, tools).always.filter((name) => !/lock|turn/u.test(name))).toEqual([]);
  });

  it("is cut with what says where it is from", () => {
    expect(withoutQuotations('Tom asks "can you take the old post down". Which one?')).toBe("Which one?");
    expect(withoutQuotations('Say "can you take the old post down". Which one?')).toBeUndefined();
    expect(withoutQuotations('He said "yes please". Which one?')).toBeUndefined();
    expect(findQuoted('He said "yes please". Which one?', [])).toEqual([]);
  });
});

describe("a denial", () => {
  it.each([
    ["Do not submit the taxi expense, only the hotel one", ["submit_expense"], []],
    ["Don't delete the post, only the picture in it", ["delete_post"], ["delete_post"]],
    ["Don't stop the machine, just attach the disk", ["stop_machine", "attach_disk"], ["stop_machine"]],
    ["No delivery tonight, just show me the menu", ["start_delivery"], ["start_delivery"]],
    ["I don't want a refund, I only want to know when it arrives", ["refund_order"], ["refund_order"]],
  ])("%s", (goal, names, out) => {
    expect(refuse(goal, names).always).toEqual(out);
  });
});
