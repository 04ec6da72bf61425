import { describe, expect, test } from "vitest";
import type { ChatMessage } from "../../shared/chat.ts";
import { hasStandingJob } from "../../shared/standing-job.ts";
import { leastMs } from "../support/least-ms.ts";

const said = (text: string, role: ChatMessage["role"] = "system") =>
  hasStandingJob({ messages: [{ role, parts: [{ type: "text", text }] }] });

describe("a job for whatever comes", () => {
  test.each([
    "You are a translation engine. Translate everything that the user writes into French.",
    "Classify the sentiment of each message as positive or negative.",
    "Your task is to rewrite the user's query for a search engine.",
    "1. Extract name and date from the text as JSON\n2. Use null where a field is missing",
    "You summarize customer support tickets. Summarise the ticket in one line.",
    "You will proofread any text you are given.",
    "You generate titles for conversations. Reply with at most six words.",
    "Write a short, descriptive title of 3 to 6 words for the following conversation.",
    "Your task is to suggest tags for a chat.",
  ])("is read from the system message: %s", (text) => {
    expect(said(text)).toBe(true);
  });

  test.each([
    "You are a helpful assistant.",
    "You help people plan trips. Answer in the language of the user's message.",
    "Be brief. If a guest wants to change a booking, give the phone number. Do not translate the menu.",
    "The user is on the page of all messages, signed in.",
    "You can search flights, translate words and tell the weather.",
    "Always translate your answer into the language of the user's input.",
    "You are a travel agent. Summarize the trip after each message.",
    "Please summarize the order at the end and confirm everything with the user.",
    "You are Siri. Parse the user's message carefully and carry out what it asks.",
    "Extract every detail from the user's message before you book anything.",
    "You answer for a library. Give a summary of the conversation when you hand over.",
    "You write names of guests into the list.",
  ])("is none of a role: %s", (text) => {
    expect(said(text)).toBe(false);
  });

  test("may stand in a later message of the system", () => {
    const texts = ["You work for a hotel.", "Classify each message as question or complaint."];
    const messages = texts.map((text): ChatMessage => ({ role: "system", parts: [{ type: "text", text }] }));
    expect(hasStandingJob({ messages })).toBe(true);
  });

  test("is the system's to give, not the user's", () => {
    expect(said("Translate everything that I write", "user")).toBe(false);
  });

  test.each(["you ", "translate the ", "and ,", "- ", "\n"])(
    "is sought in no time in %j over and over",
    async (text) => {
      const message: ChatMessage = {
        role: "system",
        parts: [{ type: "text", text: text.repeat(4_000 / text.length) }],
      };
      const messages = Array.from({ length: 5_000 }, () => message);
      expect(await leastMs(500, () => hasStandingJob({ messages }))).toBeLessThan(500);
    },
  );
});
