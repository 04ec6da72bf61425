// What is only to be told to somebody, and which tools can tell it.
import { describe, expect, test } from "vitest";
import { findMute } from "../../../gpu-worker/planning/mute-tools.ts";
import { readTold } from "../../../gpu-worker/planning/telling.ts";

describe("readTold", () => {
  test.each([
    "let Bob know the invoice is paid",
    "let my bank know i'll be in ireland",
    "Tell Bob the invoice is paid",
    "tell bob it's paid",
    "and then please tell her that it is done",
    "could you inform the finance team that we are late",
    "warn the guests that the party is off",
    "Tell Bob to pay the invoice",
    "If so, tell them I agree",
    "Email Anna that the flight is booked",
    "text my sister that I am late",
    "tell Mia her branch is merged",
    "text my boss Renate that I won't be in tomorrow",
    "ping my sister that the key's under the pot",
  ])("%s: a statement, told as it is", (part) => {
    expect(readTold(part)).toBe("statement");
  });

  test.each([
    "tell Bob",
    "let the hotel know",
    "Inform the client about the delay",
    "tell Anna what the weather is in Rome",
    "let her know when it arrives",
    "message the team",
    "tell Bob the total that is due",
    "tell Anna the date we agreed on",
    "tell Bob the way to the office",
    "text him whichever is safer",
    "tell the customer we've got it or not",
  ])("%s: may have to be looked up", (part) => {
    expect(readTold(part)).toBe("other");
  });

  test.each([
    "tell me the weather",
    "let me know when it is booked",
    "let you know the cost",
    "can you tell time in Dallas",
    "Can you tell when this will go through?",
    "tell my seat assignment",
    "tell it to stop",
    "tell Alexa to turn off the light",
    "tell the robot to clean the hall",
    "tell a story about a fox",
    "tell whether it is open",
    "inform that I need a new line",
    "Email Summary Agent",
    "Text Extraction with a parser",
    "message templates",
    "pay the invoice",
    "don't tell Bob",
    "tell Claude to fix the tests",
    "tell Jenkins to build main",
    "tell Spotify to play jazz",
    "tell nginx to reload",
    "tell from the photo what it is",
    "inform yourself about the new rules",
    "ping database",
    "Ping Redis",
    "ping the database host",
    "ping the customer database",
    "notify the user interface of the change",
    "notify on failure",
    "warn if the disk is full",
    "let the dough rest",
    "I will tell Bob it's paid",
    "can I tell Bob it's paid?",
    "I tell her in person",
    "Let Jonas know by e-mail once you've called off the stand-up",
    "tell her it's fixed after restarting the server",
  ])("%s: something else", (part) => {
    expect(readTold(part)).toBeUndefined();
  });
});

describe("findMute", () => {
  const tools = [
    { name: "pay_invoice", effect: "commit" as const },
    { name: "list_invoices", effect: "look" as const },
    { name: "send_message", effect: "commit" as const },
    { name: "send_money", effect: "commit" as const },
    { name: "mcp__mail.sendEmail", effect: "commit" as const },
    { name: "text_to_speech", effect: "write" as const },
  ];

  test("finds what tells nobody, for other than statements only what changes something", () => {
    expect(findMute(tools, "statement")).toEqual([0, 1, 3, 5]);
    expect(findMute(tools, "other")).toEqual([0, 3, 5]);
  });

  test("finds nothing where no tool tells anything", () => {
    expect(findMute([tools[0]!, tools[1]!, tools[3]!], "statement")).toEqual([]);
  });

  const box = (...names: [string, "look" | "write" | "commit"][]) =>
    names.map(([name, effect]) => {
      return { name, effect };
    });

  test.each([
    "delete_message",
    "email_template_update",
    "mark_email",
    "notification_settings",
    "comment_out",
    "generate_commit_message",
    "set_price_alert",
    "send_keys",
    "send_file",
    "ping_host",
    "input_text",
    "tell_joke",
    "message_notify_user",
  ])("%s tells nobody", (name) => {
    expect(findMute(box(["pay_invoice", "commit"], [name, "write"]), "statement")).toEqual([]);
  });

  test.each(["list_messages", "read_email", "contact_list", "email_search", "text_search"])(
    "%s looks, and tells nobody",
    (name) => {
      expect(findMute(box(["pay_invoice", "commit"], [name, "look"]), "statement")).toEqual([]);
    },
  );

  test.each([
    "create_issue_comment",
    "create_pull_request_comment",
    "slack_post",
    "broadcast",
    "publish_announcement",
    "msgSend",
    "sendText",
    "messages_send",
    "SendPatientMessage",
  ])("%s tells", (name) => {
    expect(findMute(box(["pay_invoice", "commit"], [name, "commit"]), "statement")).toEqual([0]);
  });

  test.each<[string, "look" | "write" | "commit"]>([
    ["post_update", "commit"],
    ["share_note", "write"],
    ["share_location", "write"],
    ["send_file", "commit"],
    ["call_contact", "commit"],
    ["report_card", "commit"],
    ["write_letter", "write"],
    ["update_ticket", "write"],
    ["contacts_find", "look"],
    ["search_patient", "look"],
    ["list_customers", "look"],
  ])("%s may serve to tell it", (name, effect) => {
    const tools = box(["pay_invoice", "commit"], ["send_message", "commit"], [name, effect]);
    expect(findMute(tools, "statement")).toEqual([0]);
  });

  test("messages are read only for a reply", () => {
    expect(findMute(box(["read_email", "look"], ["send_email", "commit"]), "statement")).toEqual([0]);
    expect(findMute(box(["read_email", "look"], ["reply_email", "commit"]), "statement")).toEqual([]);
  });

  test("what is told later may be set up", () => {
    const tools = box(["pay_invoice", "commit"], ["create_alert", "write"], ["send_email", "commit"]);
    expect(findMute(tools, "other")).toEqual([0]);
    expect(findMute(tools, "statement")).toEqual([0, 1]);
  });

  test("a shell may look up what is told", () => {
    expect(findMute(box(["bash", "write"], ["send_message", "commit"]), "other")).toEqual([]);
    expect(findMute(box(["bash", "write"], ["send_message", "commit"]), "statement")).toEqual([0]);
  });
});
