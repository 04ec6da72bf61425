// Which tools can tell somebody something, by their names.
import { describe, expect, test } from "vitest";
import { readMessage } from "../../../../gpu-worker/planning/message/read-message.ts";
import { findMute, readPurposes, withoutMute } from "../../../../gpu-worker/planning/tools/mute-tools.ts";

describe("findMute", () => {
  const tools = [
    { name: "pay_invoice", effect: "commit" as const },
    { name: "list_invoices", effect: "look" as const },
    { name: "send_message", effect: "commit" as const },
    { name: "send_money", effect: "commit" as const },
    { name: "mcp__mail.sendEmail", effect: "commit" as const },
    { name: "text_to_speech", effect: "write" as const },
  ];

  test("finds what tells nobody; if what is told may have to be looked up, only what changes something", () => {
    expect(findMute(tools, "statement")).toEqual([0, 1, 3, 5]);
    expect(findMute(tools, "other")).toEqual([0, 3, 5]);
  });

  test("leaves out what has to be run before there is news", () => {
    expect(findMute([{ name: "run_tests", effect: "write" }, tools[0]!], "news")).toEqual([1]);
  });

  test("finds what changes something for a look, such as a condition", () => {
    expect(findMute(tools, "look")).toEqual([0, 2, 3, 4]);
    const logits = [Float64Array.of(0, 0, 0), Float64Array.of(0, 0, 0), Float64Array.of(0, 0, 0)];
    const [whole, condition] = withoutMute(logits, tools.slice(0, 2), ["look", undefined]);
    expect([...whole!]).toEqual([0, 0, 0]);
    expect([...condition!]).toEqual([Number.NEGATIVE_INFINITY, 0, 0]);
  });

  test.each([
    ["is the door locked? Turn on the light", true, ["look", undefined]],
    ["is the door locked? Turn on the light", false, [undefined, undefined]],
    ["is the door locked? Is the light on?", true, [undefined, undefined]],
    ["Turn on the light. Can you lock the door?", true, [undefined, undefined]],
  ])(
    "a question beside a request is only for a look, until a call is made: %s %s",
    (goal, isNew, purposes) => {
      expect(readPurposes(readMessage(goal), isNew)).toEqual(purposes);
    },
  );

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
    ["file_send", "commit"],
    ["call_contact", "commit"],
    ["report_card", "commit"],
    ["write_letter", "write"],
    ["update_ticket", "write"],
    ["send_payment_reminder", "commit"],
    ["contacts_find", "look"],
    ["search_patient", "look"],
    ["list_customers", "look"],
  ])("%s may serve to tell it", (name, effect) => {
    const tools = box(["pay_invoice", "commit"], ["send_message", "commit"], [name, effect]);
    expect(findMute(tools, "statement")).toEqual([0]);
  });

  test.each(["close_ticket", "reopen_ticket", "send_invoice"])("%s tells nobody", (name) => {
    expect(findMute(box(["send_message", "commit"], [name, "commit"]), "statement")).toEqual([1]);
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
