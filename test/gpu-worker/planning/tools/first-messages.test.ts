// What the words of a first message rule out: suppositions, conditions, quotations, and what is wanted of one thing alone.
import { describe, expect, it } from "vitest";
import { readMessage } from "../../../../gpu-worker/planning/message/read-message.ts";
import { readTakenBack } from "../../../../gpu-worker/planning/message/taken-back.ts";
import { findQuoted, withoutQuotations } from "../../../../gpu-worker/planning/tools/quoted-tools.ts";
import { readRefused } from "../../../../gpu-worker/planning/tools/refused-tools.ts";
import { leastMs } from "../../../support/least-ms.ts";
import { createMadeUpModel } from "../../support/made-up-model.ts";

const { model } = createMadeUpModel(() => []);
const refuse = (goal: string, names: readonly string[], best = names.map(() => 0), more = {}) => {
  const tools = names.map((name) => {
    const { verb } = model.lexicon.readName(name);
    return { name, verb, effect: model.table.effectOf(verb) };
  });
  const { always, untilCalled } = readRefused({ isOpening: true, ...more }, readMessage(goal), best, tools);
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
    ["Start the vacuum once we've left", ["get_state", "start_vacuum"], [0, 0]],
    ["When I leave, arm the alarm", ["get_state", "arm_alarm"], [0, 1]],
    ["Move 200 to savings if I still have more than 1000", ["get_balance", "move_money"], [0, 0]],
    ["Archive it once you have forwarded it to Lena", ["read_mail", "archive_mail"], [0, 0]],
    ["Archive sprint 12 after you've moved what's left", ["list_tasks", "archive_sprint"], [0, 0]],
    ["Restart web after draining it", ["get_state", "restart_service"], [0, 0]],
    [
      "Check the error rate. Over 2% → stop it, otherwise don't touch it",
      ["get_logs", "stop_server"],
      [0, 1],
    ],
    ["Error rate above 5%: stop it, else leave it", ["get_logs", "stop_server"], [0, 0]],
    ["Run the migration, but take the site down first", ["get_state", "run_migration"], [0, 0]],
    ["Correct the total and push it", ["read_file", "git_push"], [0, 1]],
    ["Have a look at PR 8. If it's ok and green, approve it", ["get_pull", "comment_on_pull"], [0, 0]],
  ])("%s", (goal, names, best) => {
    expect(refuse(goal, names, best).untilCalled).toEqual([names[1]]);
  });

  it("what uses an earlier part's result, not if only something is told before", () => {
    const waiting = (goal: string) => refuse(goal, ["find_note", "send_note"]).untilCalled;
    expect(waiting("Find my note on Rome and send it")).toEqual(["send_note"]);
    expect(waiting("I finished the note, send it")).toEqual([]);
    expect(waiting("Looks good. Send it")).toEqual([]);
    expect(waiting("My long note on Rome, send it")).toEqual([]);
    expect(waiting("Take /docs/rome.md and send it to Ana")).toEqual([]);
    expect(waiting("Go to /docs/rome.md and send it to Ana")).toEqual([]);
    expect(waiting("When I wrote it, it was short. Send it")).toEqual([]);
    expect(waiting("I want two of the notes, send them to Ana")).toEqual([]);
    expect(
      refuse("select id from notes where size > 5; run it", ["find_note", "run_query"]).untilCalled,
    ).toEqual([]);
    expect(
      refuse("Find it and send it", ["find_note", "send_note"], [0, 0], { isOpening: false }).untilCalled,
    ).toEqual([]);
  });

  it.each([
    "Call me after lunch",
    "Approve the leaves, the oldest one first",
    "Approve the leave of Kim, she asked first",
    "Approve the leave of Kim, families come first",
    "Cancel the event when you're ready",
    "Cancel the event after boxing class",
    "Cancel the event that Kim made after she left the company",
    "Call a taxi for when I leave the hotel",
    "Call Ana to say that I am back after parking the car",
    "Cancel the event, otherwise leave everything as it is",
    "Cancel the event, otherwise leave it as is",
    "Cancel the event, otherwise don't touch anything",
  ])("not: %s", (goal) => {
    expect(refuse(goal, ["get_it", "call_user", "approve_leave", "cancel_event"]).untilCalled).toEqual([]);
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
    ["Don't delete the files without a name, only list them", ["delete_file"], ["delete_file"]],
    ["Nobody should push today. What is in the build file?", ["push_branch"], ["push_branch"]],
    ["Nobody should know: open an issue about it", ["open_issue"], []],
    [
      "Don't send the offer until legal signs off; schedule a call",
      ["send_offer", "schedule_call"],
      ["send_offer"],
    ],
    ["Don't send the offer before you have checked it; schedule a call", ["send_offer", "schedule_call"], []],
    ["Don't book the hotel until the airline confirms. Book the flight", ["book_flight"], []],
  ])("%s", (goal, names, out) => {
    expect(refuse(goal, names).always).toEqual(out);
  });
});

describe("what a condition does not allow by the results since", () => {
  const out = (goal: string, ...results: string[]) =>
    refuse(goal, ["run_tests", "get_build", "deploy", "cancel_order", "send_message"], undefined, { results })
      .always;

  it.each<[goal: string, results: string[], out: string[]]>([
    ["run the tests and deploy if they pass", ["3 failed, 120 passed"], ["deploy"]],
    ["run the tests and deploy if they pass", ["3 failed", "updated a.ts"], ["deploy"]],
    ["run the tests and deploy if they pass", ["3 failed", "123 passed"], []],
    ["run the tests and deploy if they pass", [], []],
    ["Deploy once build 12 is green", ['{"id":12,"status":"failed"}'], ["deploy"]],
    ["Deploy once build 12 is green", ['{"id":12,"status":"success"}'], []],
    ["if build 9 succeeded deploy it, otherwise message Jo", ['{"conclusion":"failure"}'], ["deploy"]],
    ["cancel the order if the build failed", ['{"status":"success"}'], ["cancel_order"]],
    ["cancel the order if the build failed", ['{"status":"failed"}'], []],
    ["cancel the order unless the build passes", ['{"status":"success"}'], ["cancel_order"]],
    ["cancel the order, but not if the build passes", ['{"status":"success"}'], ["cancel_order"]],
    ["deploy it, but not if the tests fail", ["3 failed"], ["deploy"]],
    ["deploy it, but not if the tests fail", ["123 passed"], []],
    ["cancel order 7, but not if it is shipped", ['{"status":"shipped"}'], ["cancel_order"]],
    ["cancel order 7 if it has not shipped yet", ['{"status":"shipped"}'], ["cancel_order"]],
    ["cancel order 7 if it hasn't shipped", ['{"status":"processing"}'], []],
    ["cancel order 7 unless it has already shipped", ['{"status":"shipped"}'], ["cancel_order"]],
    ["message Jo and cancel order 7 if it isn't paid", ['{"status":"paid"}'], ["cancel_order"]],
    ["cancel order 7", ['{"status":"failed"}'], []],
    ["deploy if no checks fail", ["123 passed"], []],
    ["if none of the tests failed, deploy it", ["123 passed"], []],
    ["deploy once the build is no longer broken", ["3 failed"], ["deploy"]],
    ["if the red button is there, deploy it", ['{"status":"success"}'], []],
    ["if the failed order was paid, cancel it", ['{"status":"success"}'], []],
    ["if it is late, cancel it and mark it as failed", ['{"status":"success"}'], []],
    ["if she has a season pass, cancel the order", ["1 failed"], []],
    ["cancel my orders if they have not shipped", ['[{"status":"shipped"},{"status":"new"}]'], []],
  ])("%s, %j: %j", (goal, results, wanted) => {
    expect(out(goal, ...results)).toEqual(wanted);
  });

  it("is told apart from the other branch by its thing, where both have one verb", () => {
    const goal = "if the tests fail, create an issue. Otherwise create a release";
    const names = ["create_issue", "create_release", "run_tests"];
    expect(refuse(goal, names, undefined, { results: ["12 passed"] }).always).toEqual(["create_issue"]);
  });

  it("is read in little time", async () => {
    const goal = `deploy if ${"it has not passed unless ".repeat(80)}`;
    const results = Array.from({ length: 60 }, () => `"status": `.repeat(100));
    expect(await leastMs(100, () => out(goal, ...results))).toBeLessThan(100);
  });
});

it("a change that the message asks about first, and orders behind a condition, waits", () => {
  const goal = "can we merge 88? if its checks are green merge it, otherwise tell me what fails";
  expect(refuse(goal, ["get_checks", "merge_branch"], [1, 0]).untilCalled).toEqual(["merge_branch"]);
});

it("a change that is nearest to a question beside a request waits", () => {
  const names = ["get_issue", "create_issue", "close_issue"];
  const waiting = (goal: string) => refuse(goal, names, [0, 0, 1]).untilCalled;
  expect(waiting("is issue 12 still open? Close issue 13")).toEqual(["create_issue"]);
  expect(waiting("did it this morning, close issue 13")).toEqual([]);
  const apply = refuse("Do I need a coupon? Just apply it", ["get_order", "apply_coupon"], [0, 0]);
  expect(apply.untilCalled).toEqual([]);
});

it.each([
  ["book a call, but don't schedule it before Monday", "schedule_call", []],
  ["schedule the call; don't schedule it until next week", "schedule_call", []],
  ["get me a call, don't book it before the 3rd", "book_call", []],
  ["don't schedule the call before Ken has agreed", "schedule_call", ["schedule_call"]],
  ["don't send the offer before Monday", "send_offer", ["send_offer"]],
])("what is put off waits, not an appointment that has an earliest day: %s", (goal, name, out) => {
  expect(refuse(goal, ["find_customer", name]).untilCalled).toEqual(out);
});

describe("what does once more what is to end", () => {
  const names = [
    "list_transfers",
    "transfer_money",
    "start_vacuum",
    "order_card",
    "request_refund",
    "share_file",
    "update_server",
  ];
  it.each([
    ["stop the update of the server", ["update_server"]],
    ["cancel the transfer to Ana", ["transfer_money"]],
    ["please stop my last transfer", ["transfer_money"]],
    ["stop the vacuum", ["start_vacuum"]],
    ["call off the card order", ["order_card"]],
    ["take down the card order", ["order_card"]],
    ["stop the refund, I'll take the voucher", ["request_refund"]],
    ["stop the refund and request another", []],
    ["cancel the refund, I want one for order 6", []],
    ["unshare it", ["share_file"]],
    ["unshare it and share the other one", []],
    ["cancel the transfer to Ana and transfer 50 to Ben", []],
    ["stop the music, then start the vacuum", []],
    ["stop the vacuum and start it in the kitchen", []],
    ["cancel my last transfer and make a new one", []],
    ["transfer 50 to Ana", []],
    ["damn. stop it", ["start_vacuum", "order_card", "request_refund"]],
    ["stop it, then start the vacuum", ["order_card", "request_refund"]],
    ["my trip to Rome: cancel it and get my money back", []],
    ["cancel it, and I'd like another one", []],
    ["can you stop it from happening again?", []],
  ])("is out: %s", (goal, out) => {
    expect(refuse(goal, names).always).toEqual(out);
  });

  it.each([
    ["could you undo my last commit?", "git_commit"],
    ["reopen the discussion in 33 and write a new comment", "close_issue"],
    ["restore the file that I threw away", "delete_file"],
  ])("is what an opposite verb names: %s", (goal, name) => {
    expect(refuse(goal, ["find_it", name]).always).toEqual([name]);
  });

  it.each([
    ["revert commit 3fa91c", "git_revert_commit"],
    ["undo the move of report.pdf", "move_file"],
    ["revert the address change on order 5", "change_address"],
    ["undo the salary update for Kim", "update_salary"],
    ["put on Yellow on the kitchen display", "play_song"],
    ["the design contract is ready, put my signature on it", "sign_document"],
    ["the discharge papers are printed, take 40 from her card", "charge_card"],
  ])("is not what sets it back, nor what a word only seems to undo: %s", (goal, name) => {
    expect(refuse(goal, ["find_it", name]).always).toEqual([]);
  });
});

describe("what removes a thing", () => {
  const names = ["list_snapshots", "create_snapshot", "delete_snapshot"];

  it.each(["before you resize i-9, take a snapshot", "I need a new snapshot of i-9"])(
    "is out where the message asks to make one: %s",
    (goal) => {
      expect(refuse(goal, names).always).toEqual(["delete_snapshot"]);
    },
  );

  it.each([
    "take a snapshot and delete the oldest",
    "the disk of i-9 is full",
    "replace it: take a snapshot",
    "take a snapshot off my list",
    "I don't need a snapshot any more",
    "I no longer want a snapshot of i-9",
  ])("is not where it may have to go: %s", (goal) => {
    expect(refuse(goal, names).always).not.toContain("delete_snapshot");
  });
});

describe("a request that is broken off", () => {
  const names = ["get_booking", "cancel_booking", "send_reminder"];

  it.each([
    "Cancel Mrs Vega for tomorrow – no, sorry, she is coming. Send a reminder",
    "Cancel my trip to Rome. Hm, no, wait. Can I still move it?",
    "Cancel the trip to Rome. Wait, no. I found it.",
  ])("is taken back by what is told or asked behind: %s", (goal) => {
    expect(refuse(goal, names).always).toContain("cancel_booking");
  });

  it.each([
    "Cancel two seats, no, sorry, for the third row",
    "Cancel two nights, no wait, I mean three",
    "Cancel the booking for four. No, wait, we are five",
    "Cancel the booking on Monday. Sorry, no, it's on Tuesday",
    "Cancel the booking for Rome, no wait, cancel the one for Oslo",
  ])("stands where it is only corrected: %s", (goal) => {
    expect(refuse(goal, names).always).not.toContain("cancel_booking");
  });
});

it("a message of nothing but interruptions is read in little time", async () => {
  const goal = `cancel the trip${". No, wait, she is here".repeat(4000)}`;
  expect(await leastMs(100, () => readTakenBack(goal, [goal]))).toBeLessThan(100);
});

describe("what somebody else did or will do", () => {
  it.each([
    ["Tom will merge the PR, you open an issue", ["merge_pr"]],
    ["Someone restarted search already, see if it's healthy", ["restart_service"]],
    ['Kim shared notes.txt with me, append "call Bob" to it', ["share_file"]],
    ["Anna cancelled lunch, take it out of my calendar", []],
    ["Tom transferred me 50 too much, give it back to him", []],
    ["Alexa will you merge the PR, please", []],
  ])("is not done again: %s", (goal, out) => {
    const names = [
      "get_state",
      "merge_pr",
      "restart_service",
      "share_file",
      "cancel_lunch",
      "transfer_money",
    ];
    expect(refuse(goal, names).always).toEqual(out);
  });

  it("may be done in return", () => {
    const goal = "Anna sent the wrong file to Bob, let him know";
    expect(refuse(goal, ["find_mail", "send_mail"]).always).not.toContain("send_mail");
  });
});
