// What is only to be told to somebody, and which tools can tell it.
import { describe, expect, test } from "vitest";
import { findMute, readTold } from "../../../gpu-worker/planning/telling.ts";

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
});
