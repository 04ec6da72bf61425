// What the words of a message rule out among the tools, by the checkpoint's own table of verbs.
import { describe, expect, it } from "vitest";
import { readMessage } from "../../../../gpu-worker/planning/message/read-message.ts";
import { readRefused } from "../../../../gpu-worker/planning/tools/refused-tools.ts";
import { createMadeUpModel } from "../../support/made-up-model.ts";

const { model } = createMadeUpModel(() => []);
const refuse = (goal: string, names: readonly string[], best = names.map(() => 0), more = {}) => {
  const tools = names.map((name) => {
    const { verb } = model.lexicon.readName(name);
    return { name, verb, effect: model.table.effectOf(verb) };
  });
  const { always, untilCalled, denied } = readRefused(
    { isOpening: true, ...more },
    readMessage(goal),
    best,
    tools,
  );
  const named = (rows: ReadonlySet<number>) => names.filter((_, row) => rows.has(row));
  return { always: named(always), untilCalled: named(untilCalled), denied };
};

describe("a tool whose opposite is asked for", () => {
  it.each([
    ["Lock the front door and go to sleep", ["lock_door", "unlock_door"], ["unlock_door"]],
    ["please unlock it for my neighbour", ["lock_door", "unlock_door"], ["lock_door"]],
    ["Disable the alerts of team blue", ["enableAlerts", "disableAlerts"], ["enableAlerts"]],
    ["Turn off all lights", ["light_turn_on", "light_turn_off"], ["light_turn_on"]],
    ["decrease the volume", ["increase_volume", "decrease_volume"], ["increase_volume"]],
    ["Uninstall the app", ["install_app", "uninstall_app"], ["install_app"]],
  ])("is out: %s", (goal, names, out) => {
    expect(refuse(goal, names).always).toEqual(out);
  });

  it.each([
    ["both are asked for", "Unlock the door, then lock it again", ["lock_door", "unlock_door"]],
    ["neither is named", "try the door again", ["lock_door", "unlock_door"]],
    ["it opens something else", "Lock the door", ["lock_door", "unlock_phone"]],
    ["a state is told", "The front door is unlocked, secure it", ["lock_door", "unlock_door"]],
    ["a state is told", "this is an encrypted file; open it", ["encrypt_file", "decrypt_file"]],
    ["a state is told", "The wifi is off, fix it", ["wifi_on", "wifi_off"]],
    ["it is a price", "Get 20% off with my code and start the heater", ["heater_on", "heater_off"]],
    ["the word is a preposition", "kill the lights on the terrace", ["turn_on", "turn_off"]],
    ["they differ by more than an opposite", "send the mail", ["send_mail", "read_mail"]],
  ])("is not, where %s", (_name, goal, names) => {
    expect(refuse(goal, names).always).toEqual([]);
  });
});

describe("tools that change something", () => {
  const names = ["read_file", "edit_file", "delete_file", "bash"];
  it.each([
    "Why does the login fail? Don't change anything",
    "explain the queue, do not modify any files.",
    "Explore this repository and list its parts. No code changes yet.",
    "the endpoint is slow, find the bottleneck. No code changes yet, just tell me",
    "Tell me what it does without touching the code",
    "Look at the login flow, the session store, and the token refresh. Do not modify any files.",
    "I'd like to understand how the cache works. Don't change anything.",
  ])("are out: %s", (goal) => {
    expect(refuse(goal, names).always).toEqual(["edit_file", "delete_file"]);
  });

  it.each([
    "Fix the test, but don't change any fixtures",
    "Speed up the parser without changing any behaviour.",
    "Refactor the parser, no API changes",
    "I'd like to refactor the parser without changing any behavior",
    "Get the build green, don't touch any tests",
    "Convert the module to TypeScript without changing any behavior",
    "There is a slow loop in sort.ts: unroll it without changing any output",
    "explain it, and don't change anything else",
    "explain it. Do not edit any files outside of src",
    "undo what changed in the parser",
    "there are no changes in the log, mend it",
  ])("are not: %s", (goal) => {
    expect(refuse(goal, names).always).toEqual([]);
  });
});

describe("a question", () => {
  const names = ["read_file", "edit_file", "send_email", "run_tests", "execute_sql", "bash"];
  it.each([
    "How does the retry of the client work?",
    "what's a good place for lunch near the office",
    "explain what changed in the parser",
    "why are there no changes in the log?",
    "The build is red since noon. Which change broke it?",
    "The errors stopped. Can you check whether all is fine?",
    "You sent me the wrong file. What happened?",
    "Could it be that somebody edited it?",
    "Should we edit it?",
    "Can you look at what the client does?",
    "The backup failed, so please check whether there is another. Don't edit it",
    "Edit nothing; -- what does this command do in our scripts?",
  ])("leaves out what changes something, but for what is run: %s", (goal) => {
    expect(refuse(goal, names).always).toEqual(["edit_file", "send_email"]);
  });

  it.each([
    "add",
    "add_numbers",
    "create_chart",
    "send_request",
    "http_post",
    "submit_query",
    "final_answer",
    "reply_to_user",
    "transfer_to_billing_agent",
    "text-to-speech",
  ])("leaves what may serve it: %s", (name) => {
    expect(refuse("What is 12 plus 30?", ["web_search", name]).always).toEqual([]);
  });

  it.each([
    "Can you fix the retry?",
    "Can my appointment be moved to Friday?",
    "The list is long. Could it be sorted by date?",
    "could the results go public tonight",
    "\ncould the results go public tonight",
    "Is it possible to reserve the hall for May?",
    "Is the door locked? If not, lock it",
    "Who is on call? Write her an email",
    "I'd like a refund",
    "You sent me the wrong file. Please edit it",
    "Check if you can move it",
    "Please check the file and edit it",
    "Check whether the file is there and edit",
    "Find out which file it is before you edit it",
    "Which one is newer? Edit whichever is newer",
    "Who has seen it? Edit the file Tom wrote",
    "Edit the expired links. How many are there?",
    "the app crashed again when i opened it edit the file and what does the code mean",
    "Can you look at what is wrong and fix",
  ])("is none, or not alone: %s", (goal) => {
    expect(refuse(goal, names).always).toEqual([]);
  });

  it("about what would happen is no request", () => {
    expect(refuse("Would it break anything if I merge this?", ["read_file", "merge_request"]).always).toEqual(
      ["merge_request"],
    );
    expect(refuse("What does draining a node do?", ["list_pods", "drain_node"]).always).toEqual([
      "drain_node",
    ]);
    expect(
      refuse("my friend says you can cancel is that true", ["get_order", "cancel_order"]).always,
    ).toEqual(["cancel_order"]);
  });

  it("leaves out what settles something by its name", () => {
    expect(refuse("what's due today?", ["get_tasks", "complete_tasks", "skip_to_next"]).always).toEqual([
      "complete_tasks",
      "skip_to_next",
    ]);
  });

  it("leaves all as they are where none of the tools looks", () => {
    expect(refuse("How do I turn it on?", ["edit_file", "bash"]).always).toEqual([]);
    expect(refuse("What is 12 plus 30?", ["add", "send_report"]).always).toEqual([]);
  });

  it("leaves out what makes a new picture", () => {
    expect(refuse("What does it say here?", ["get_file", "text-to-image"]).always).toEqual(["text-to-image"]);
  });

  it("leaves out what commits to something, if all tools do", () => {
    const question = "What's the difference between deleting and shredding a file?";
    expect(refuse(question, ["delete_file"]).always).toEqual(["delete_file"]);
  });
});

describe("what is to be shown before it is done", () => {
  const goal = "Update the page on laptops. Show me the change before you save it.";

  it("is not changed by the first call, if another tool looks", () => {
    expect(refuse(goal, ["get_page", "update_page", "delete_page"])).toMatchObject({
      always: [],
      untilCalled: ["update_page", "delete_page"],
    });
    expect(refuse(goal, ["update_page", "delete_page"]).untilCalled).toEqual([]);
    expect(refuse(goal, ["get_page", "draft_page"]).untilCalled).toEqual([]);
    const later = "Somebody dropped the page, get it back. Don't do it yet though";
    expect(refuse(later, ["get_page", "restore_page"]).untilCalled).toEqual(["restore_page"]);
  });
});

describe("a tool that is asked for under a condition", () => {
  const names = ["get_status", "merge_request", "create_issue"];
  const goal = "Is the build of PR 57 green? If so, merge it";
  const best = [0, 1, 0];

  it("waits for the first call", () => {
    const out = { always: [], untilCalled: ["merge_request"] };
    expect(refuse(goal, names.slice(0, 2), [0, 1])).toMatchObject(out);
    expect(
      refuse("If it rains tomorrow, send the rain plan", ["get_weather", "send_plan"], [0, 1]),
    ).toMatchObject({
      always: [],
      untilCalled: ["send_plan"],
    });
  });

  it("waits for none where no tool could find out, where a call is demanded, and where the condition is a courtesy", () => {
    expect(refuse(goal, ["merge_request", "create_issue"], [1, 1]).untilCalled).toEqual([]);
    expect(refuse(goal, names, best, { mustCall: {} }).untilCalled).toEqual([]);
    expect(refuse("If you can, merge the request of Tom", names, best).untilCalled).toEqual([]);
  });

  const looks = ["get_order", "cancel_order"];
  it.each([
    "Cancel my order if it has not shipped yet",
    "Cancel the order unless there is a fee",
    "Cancel the order, but not if there is a fee",
    "Cancel the order unless payment 5512 failed",
    "Don't cancel the order before Ken has signed off",
    "don't cancel the order until I have paid",
    "Cancel the order if payment 5512 failed",
    "Cancel order 912, if it hasn't been shipped",
    "Cancel order 912, but check first that it is mine",
    "If nobody has confirmed the order, cancel it",
    "If Anna's order is late, cancel it",
    "If 6603 has not shipped, cancel the order",
    "Cancel my order, but first get me its number",
    "Cancel the answer to my order if it is late",
    "Get the order if it is mine, otherwise cancel it",
    "Cancel the order only after you have looked at it",
    "Once the fee is gone, cancel the order",
    " once the fee is gone cancel the order",
    "As soon as the shop is open again cancel the order",
    "Cancel the order. Before that, make sure that it is mine",
    "Before cancelling the order, look at it",
    "Before you mail Mrs. Keller that you cancel the order, look at it",
    'Before you cancel the order "Hurry!", look at it',
    'Cancel the order "Hurry!", if it has not been shipped',
    "Cancel the order when Ben says so, not before",
    "I want to cancel the order at some point but not today",
    "Cancel order 912 if we're over budget",
    "Cancel the order if I don't have enough money",
  ])("waits for the first call, wherever the condition stands: %s", (goal) => {
    expect(refuse(goal, looks).untilCalled).toEqual(["cancel_order"]);
  });

  it.each([
    "Cancel the order if it is possible",
    "Cancel the order and tell me if it worked",
    "Remind me to cancel the order if it has not come",
    "Send Anna a mail asking if she is coming",
    "Reply that I will come if nobody objects",
    "Cancel the first order. Check the second one.",
    "Once you have the number, cancel the order",
    "once a month cancel the order",
    "Cancel the order only after 5 pm",
    "Cancel the order of Monday, not today",
    "Cancel the order later, not today",
    "Remind me at some point to cancel the order, but not today",
    "Don't touch it for now, cancel the order",
    "Cancel the order except for the cups",
  ])("does not wait where nothing is to be found out: %s", (goal) => {
    expect(refuse(goal, looks).untilCalled).toEqual([]);
  });

  it("waits where all but some are meant and a tool lists them, unless it makes them", () => {
    const orders = "Cancel all orders of May except Anna's";
    expect(refuse(orders, ["list_orders", "cancel_order"]).untilCalled).toEqual(["cancel_order"]);
    expect(refuse(orders, looks).untilCalled).toEqual([]);
    const alarm = "Set an alarm for every day except Sunday";
    expect(refuse(alarm, ["list_alarms", "set_alarm"]).untilCalled).toEqual([]);
  });
});

describe("a tool for what the message does not want", () => {
  it("is out by what the speaker did, unless it is to be done once more", () => {
    const names = ["list_payments", "pay_bill", "cancel_order", "crm.deals.create"];
    expect(refuse("I paid the gas bill on Monday. Did it go through?", names).always).toContain("pay_bill");
    const deal = "I created a deal for Bolt, add a note to it";
    expect(refuse(deal, names).always).toEqual(["crm.deals.create"]);
    expect(refuse("I cancelled my order by mistake, get me the same again", names).always).toEqual([
      "cancel_order",
    ]);
    expect(refuse("I paid the bill to the wrong account, send it again", names).always).toEqual([]);
    expect(refuse("I paid one bill, now pay the other bill", names).always).toEqual([]);
    expect(refuse("I ordered a lamp, cancel it", names).always).toEqual(["crm.deals.create"]);
    const limit = "I set a limit of 500, raise it to 800";
    expect(refuse(limit, ["get_limit", "set_limit"]).always).toEqual([]);
    expect(refuse("I completed the task, mark it", ["get_task", "complete_task"]).always).toEqual([]);
  });

  it("is out wherever nothing is to be done", () => {
    const names = ["get_order", "cancel_order", "rent_car"];
    const goal = "Imagine I missed my train. What are my options? Don't do anything, just theory";
    expect(refuse(goal, names).always).toEqual(["cancel_order", "rent_car"]);
  });

  it("is out by the denied verb with the denied thing, where another part asks for the verb", () => {
    const goal = "Book the cheapest flight and find a hotel, but don't book the hotel";
    expect(refuse(goal, ["search_hotels", "book_flight", "book_hotel"]).always).toEqual(["book_hotel"]);
    expect(refuse("Never call my ex. Call my mum.", ["call_contact", "list_contacts"]).always).toEqual([]);
    const logs = "Delete the logs in /tmp, but don't delete the file keep.txt";
    expect(refuse(logs, ["list_files", "delete_file", "delete_branch"]).always).toEqual([]);
  });

  it("is out by the denied verb in its name", () => {
    const names = ["pay_invoice", "file_document"];
    expect(refuse("Instead of paying it now, file the invoice", names).always).toEqual(["pay_invoice"]);
    expect(refuse("Don't pay the invoice of Acme, pay the other one", names).always).toEqual([]);
  });

  it.each<[goal: string, names: string[], out: string[]]>([
    ["No taxi please, we'll walk. Show the route", ["call_taxi", "show_route"], ["call_taxi"]],
    ["No refund please, the customer likes the lamp", ["refund_order", "ship_lamp"], ["refund_order"]],
    ["No power, send a taxi", ["power_on", "call_taxi"], []],
    ["My lamp broke. I don't need a refund, send another", ["refund_order", "ship_lamp"], ["refund_order"]],
    ["Never mind the refund, just cancel the order", ["refund_order", "cancel_order"], ["refund_order"]],
    ["Turn the heating down without opening the blinds", ["set_heating", "close_blinds"], ["close_blinds"]],
    ["I don't want the dialog, close it", ["close_dialog", "open_file"], []],
    ["I don't need the meeting on Monday, move it", ["move_meeting", "find_room"], []],
    ["I don't want a big order, order two", ["place_order", "find_item"], []],
    ["I don't need the light, turn it off", ["turn_off_light", "stop_music"], []],
    ["Never mind the thermostat", ["set_thermostat", "get_thermostat"], ["set_thermostat"]],
    [
      "Never mind the blinds, it's dark",
      ["open_blinds", "close_blinds", "lock_door"],
      ["open_blinds", "close_blinds"],
    ],
    ["Forget the alarm", ["set_alarm", "cancel_alarm", "list_alarms"], ["set_alarm"]],
    ["I no longer need the lamp", ["set_lamp", "create_lamp", "list_lamps"], ["create_lamp"]],
    ["Forget the car, book the flight at 8", ["rent_car", "book_flight"], ["rent_car"]],
    ["Forget the car, book the one at 8", ["rent_car", "book_flight"], ["rent_car"]],
    ["I no longer need the hotel", ["book_hotel", "cancel_hotel", "search_hotels"], ["book_hotel"]],
    ["We won't be needing the car, find a hotel", ["rent_car", "search_hotels"], ["rent_car"]],
    ["I no longer need the hotel in Rome, get one in Bern", ["book_hotel", "get_menu"], []],
  ])("is out by a thing that is not wanted, unless another part means it: %s", (goal, names, out) => {
    expect(refuse(goal, names).always).toEqual(out);
  });

  it.each<[goal: string, names: string[], out: string[]]>([
    ["We deployed at noon. Show me the logs", ["deploy", "get_logs"], ["deploy"]],
    ["I uploaded the photos. Can you move them?", ["upload_file", "move_file"], ["upload_file"]],
    [
      "I locked the door, close the garage",
      ["lock_door", "unlock_door", "close_garage"],
      ["lock_door", "unlock_door"],
    ],
    ["I locked the door. Let Ben in", ["lock_door", "unlock_door"], ["lock_door"]],
    [
      "I locked the card. I found the card and want to use the card",
      ["lock_card", "unlock_card"],
      ["lock_card"],
    ],
    [
      "I archived the mail by accident. Search the inbox",
      ["archive_mail", "unarchive_mail", "search_inbox"],
      ["archive_mail"],
    ],
    ["I booked a flight. I need a hotel, too", ["book_flight", "book_hotel"], ["book_flight"]],
    ["I lost my card. Please help me", ["lost_card", "block_card"], []],
    ["Sam merged the PR. Deploy it", ["merge_pr", "deploy"], ["merge_pr"]],
    ["My wife already locked the door. Arm the alarm", ["lock_door", "arm_alarm"], ["lock_door"]],
    ["my wife will lock the door, just do the alarm", ["lock_door", "arm_alarm"], ["lock_door"]],
    ["the shop will refund order 5, close the ticket", ["refund_order", "close_ticket"], ["refund_order"]],
    ["We will lock the door, you arm the alarm", ["lock_door", "arm_alarm"], []],
    ["Yesterday Dana refunded order 7. Email the customer", ["refund_order", "send_email"], ["refund_order"]],
    [
      "Lufthansa cancelled my flight. Find me another one",
      ["search_flights", "cancel_flight"],
      ["cancel_flight"],
    ],
    [
      "The manager applied the discount. Close the ticket",
      ["apply_discount", "close_ticket"],
      ["apply_discount"],
    ],
    ["Kim paid the gas bill. The same for the water bill please", ["pay_bill", "get_bill"], []],
    ["Kim added a guest. Leo too please", ["add_guest", "list_guests"], []],
    ["The customer asked for a refund", ["refund_order", "get_order"], []],
    ["Anna cancelled the event, take it out of my calendar", ["cancel_event", "find_events"], []],
    ["The client moved the call to 3pm. Please update my calendar", ["move_call", "send_email"], []],
    ["The cleaner disarmed the alarm, arm it again", ["arm_alarm", "disarm_alarm"], ["disarm_alarm"]],
    ["The customer requested a refund. Do it", ["request_refund", "get_order"], []],
    ["Rename untitled.png to a.png and share it", ["untitle_file", "share_file"], []],
    ["Find the recently deleted files and list them", ["delete_files", "list_files"], []],
  ])("is out by what somebody did: %s", (goal, names, out) => {
    expect(refuse(goal, names).always).toEqual(out);
  });

  it.each<[goal: string, out: string[]]>([
    ["Don't cancel the order after all", ["refund_order", "send_email"]],
    ["I changed my mind, don't cancel the order", ["refund_order", "send_email"]],
    ["Don't refund the order", ["cancel_order", "send_email"]],
    ["Can you not talk so fast", []],
  ])("is out beside what a conversation's first message denies: %s", (goal, out) => {
    const names = ["get_order", "cancel_order", "refund_order", "send_email"];
    const denied = names.filter((name) => goal.includes(name.split("_")[0]!));
    const refused = refuse(goal, names).always.filter((name) => !denied.includes(name));
    expect(refused).toEqual(out);
    expect(refuse(goal, names, undefined, { isOpening: false }).always).not.toContain("send_email");
  });

  it("is kept if it may end what is not to be renewed", () => {
    const names = ["get_plan", "renew_subscription", "cancel_subscription", "send_email"];
    const { always, denied } = refuse("Please don't renew my subscription", names);
    expect(always).toEqual(["renew_subscription", "send_email"]);
    expect(denied).toEqual([]);
  });

  it("is out by a thing that is to stay as it is, and that no other part names", () => {
    const names = ["open_blinds", "close_blinds", "lock_door", "turn_on_light"];
    expect(refuse("Lock the door and leave the blinds open", names).always).toEqual([
      "open_blinds",
      "close_blinds",
    ]);
    expect(refuse("Close the blinds here, leave the other blinds alone", names).always).toEqual([]);
    expect(refuse("Leave the blinds open", names).always).toEqual([]);
    const issues = ["comment_issue", "create_issue"];
    expect(refuse("Leave the issue open and leave a comment", issues).always).toEqual(["create_issue"]);
  });

  it("is out beside a question, if it changes something", () => {
    const goal = "Explain what this regex does, I'll change it myself";
    expect(refuse(goal, ["read_file", "edit_file"]).always).toEqual(["edit_file"]);
  });
});

describe("a tool that tells nobody, where somebody is only to be told something", () => {
  const names = ["pay_invoice", "list_invoices", "send_message"];

  it.each([
    ["Let Bob know the invoice is paid", ["pay_invoice", "list_invoices"]],
    ["I paid the invoice, tell Bob", ["pay_invoice"]],
    ["Is the invoice paid? If so, tell Bob", ["pay_invoice"]],
    ["If the invoice is late, tell Bob we are, too", ["pay_invoice"]],
    ["Ask Bob if he has paid the invoice", ["pay_invoice", "list_invoices"]],
    ["Remind Bob to pay the invoice", ["pay_invoice", "list_invoices"]],
    ["Let me know when the invoice is paid", ["pay_invoice"]],
    ["Remind me to pay the invoice", ["pay_invoice", "list_invoices", "send_message"]],
    ["Has Acme been paid? Remind me to ask", ["pay_invoice", "send_message"]],
  ])("is out: %s", (goal, out) => {
    expect(refuse(goal, [...names, "create_reminder"]).always.filter((name) => names.includes(name))).toEqual(
      out,
    );
  });

  it("is not, where it reminds or tells later", () => {
    const later = ["create_price_alert", "create_reminder"];
    expect(refuse("Let me know when it is below 90", later).always).toEqual([]);
    expect(refuse("Remind me to ring him", ["call_contact", "create_task"]).always).toEqual(["call_contact"]);
    expect(refuse("Remind me to ring him", ["call_contact"]).always).toEqual([]);
  });

  it.each([
    "Pay the invoice and let Bob know",
    "Pay the invoice and remind me to ring him",
    "pay the invoice that Bob told me about",
  ])("is not: %s", (goal) => {
    expect(refuse(goal, names).always).toEqual([]);
  });

  it("is not, where no tool tells anything", () => {
    expect(refuse("Let Bob know the invoice is paid", ["pay_invoice", "list_invoices"]).always).toEqual([]);
  });
});

describe("a tool that only a quotation asks for", () => {
  const names = ["turn_off_light", "play_song", "send_message", "create_event", "pay_invoice"];

  it.each([
    ['Play the song "Turn off the light"', ["turn_off_light"]],
    ["Message Leo 'pay the invoice today'", ["pay_invoice"]],
    ["Say 'pay the invoice today' in the hall", ["pay_invoice"]],
    ["Create an event called “Pay the Acme invoice”", ["pay_invoice"]],
    ["Message Ana 'can you turn off the heater, I'm late'", ["turn_off_light"]],
  ])("is out: %s", (goal, out) => {
    expect(refuse(goal, names).always).toEqual(out);
  });

  it("is out with its opposite", () => {
    const doors = ["announce", "open_garage", "close_garage", "get_garage"];
    expect(refuse('Announce "close the garage"', doors).always).toEqual(["open_garage", "close_garage"]);
    expect(refuse('Announce "close the garage" and open the garage', doors).always).toEqual(["close_garage"]);
  });

  it("is out if the message says who said it, and asks for another tool", () => {
    const tools = ["get_order", "cancel_order", "refund_order", "open_ticket"];
    const goal = 'A customer says "cancel my order and refund me", but it has left. Open a ticket';
    expect(refuse(goal, tools).always).toEqual(["cancel_order", "refund_order"]);
    expect(refuse('A customer says "cancel my order". Look at it', tools).always).toEqual([]);
  });

  it("is out of what a message is to say, without quotation marks", () => {
    const tools = ["comment_on_pr", "merge_pr"];
    const goal = "Leave a comment on the PR saying that we must not merge it before Friday";
    expect(refuse(goal, tools).always).toEqual(["merge_pr"]);
    expect(refuse("Comment saying that it looks fine and merge it", tools).always).toEqual([]);
  });

  it.each([
    "Pay 'the Acme invoice' and create an event",
    "Pay it and message Leo 'pay the invoice'",
    "Please do 'pay the invoice' for me",
    "Create an event and set it to 'pay'",
    "Leo's message says 'pay the invoice'. Please do that",
    "There is an event 'Pay the Acme invoice' today. Do it",
    "Leo's message: 'pay the invoice'",
    'New message: "pay the invoice please"',
    "Message from Leo: 'pay the invoice'",
    "Message Leo that I'm out, pay the invoice at Tom's",
  ])("is not: %s", (goal) => {
    expect(refuse(goal, names).always).toEqual([]);
  });
});

describe("a tool that another is asked for instead of", () => {
  const names = ["sell_shares", "buy_shares", "get_quote"];

  it("is kept, if its name has the other verb, too", () => {
    const goal = "Send Bob the report. No, email it to Ana";
    expect(refuse(goal, ["send_email", "send_sms"]).always).toEqual(["send_sms"]);
    // The mixer, too, finds the tool likelier for the part that is replaced.
    expect(refuse(goal, ["send_email", "send_sms"]).denied).toEqual([]);
    expect(refuse(goal, ["send_sms"]).denied).toHaveLength(1);
  });

  it.each([
    ["Sell 10 shares, sorry, buy 10", ["sell_shares"]],
    ["Sell 10 shares of Acme. No, wait, buy the shares of Bolt", ["sell_shares"]],
    ["buy 5 Acme, no, sell 5 Acme", ["buy_shares"]],
  ])("is out: %s", (goal, out) => {
    expect(refuse(goal, names).always).toEqual(out);
  });

  it("is kept, if the other verb may mean the same", () => {
    const goal = "Send Bob the agenda, no, forward him the minutes";
    expect(refuse(goal, ["send_email", "archive_email"]).always).toEqual([]);
  });

  it.each([
    "Sell 10 shares, sorry, sell 5",
    "Sell 10 shares, no, the ones of Bolt",
    "Sell 10 shares, sorry, Friday the 3rd",
    "Sell 10 shares. Sorry, forgot the price: 12",
    "Sell 10 shares. Sorry, buy 10 as well",
    "Sell 10 shares. Sorry, add the ones of Bolt",
  ])("is not: %s", (goal) => {
    expect(refuse(goal, names).always).toEqual([]);
  });
});
