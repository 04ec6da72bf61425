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
    ["Deploy to staging once the tests pass", ["get_logs", "deploy"], [0, 0]],
    ["Once my salary is in, transfer 300", ["get_balance", "transfer_money"], [0, 0]],
    ["As soon as the refund has come, pay the bill", ["get_balance", "pay_bill"], [0, 1]],
    ["Stop web-2 when its CPU has dropped below 5%", ["get_cpu", "stop_instance"], [0, 0]],
    ["Pay it, provided there's money left", ["get_balance", "pay_bill"], [0, 0]],
    ["Renew the book as long as nobody has reserved it", ["get_book", "renew_loan"], [0, 0]],
    ["Water the ficus if its soil is dry", ["read_soil", "water_plant"], [0, 0]],
    ["Fix the typo and push", ["read_file", "git_push"], [0, 0]],
    ["Before merging 12 show me what is in it", ["get_diff", "merge_branch"], [0, 0]],
  ])("%s", (goal, names, best) => {
    expect(refuse(goal, names, best).untilCalled).toEqual([names[1]]);
  });

  it.each([
    "If I have to, cancel the event",
    "Unless you hear from me, cancel the event",
    "Cancel the event even if the guests are angry",
    "The page crashes when the list is empty, cancel the event",
    "Text me when the list is full",
    "Before you cancel the big event cancel the small one",
    'Cancel the event called "Call when it is open"',
    "The list is done and the room is paid so cancel",
  ])("not for: %s", (goal) => {
    const part = /, | and /u.test(goal) ? 1 : 0;
    expect(refuse(goal, ["list_events", "cancel_event"], [0, part]).untilCalled).toEqual([]);
  });

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

it.each([
  ["what sets up something for later", "Create an alert when CPU exceeds 80%", ["get_cpu", "create_alert"]],
  ["what may answer", "What do I weigh on Mars if my weight is 70 kg?", ["get_time", "weight_in_space"]],
])("%s does not wait for it", (_, goal, names) => {
  expect(refuse(goal, names).untilCalled).toEqual([]);
});

describe("what is to be done to all of certain things", () => {
  it.each([
    ["Dispute every charge from FitClub", ["list_transactions", "dispute_transaction"]],
    ["Archive all mails from the bank", ["search_mails", "archive_mails"]],
    ["Remove everyone who never wrote", ["list_subscribers", "remove_subscriber"]],
    ["Renew all my books please", ["list_books", "renew_book"]],
    ["Delete every event with Tom", ["list_events", "delete_event"]],
  ])("waits until they are listed: %s", (goal, names) => {
    expect(refuse(goal, names).untilCalled).toEqual([names[1]]);
  });

  it.each([
    ["Turn off all lights", ["list_lights", "turn_off_lights"]],
    ["Stop all music", ["search_music", "stop_music"]],
    ["Terminate all machines older than a year", ["list_users", "terminate_machine"]],
    ["Send every guest from Rome a mail", ["list_mails", "send_mail"]],
  ])("does not: %s", (goal, names) => {
    expect(refuse(goal, names).untilCalled).toEqual([]);
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
