import { describe, expect, test } from "vitest";
import { hasStandingJob } from "../../../edge/planning/standing-job.ts";
import type { ChatMessage } from "../../../shared/chat.ts";

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
  ])("is read from the system message: %s", (text) => {
    expect(said(text)).toBe(true);
  });

  test.each([
    "You are a helpful assistant.",
    "You help people plan trips. Answer in the language of the user's message.",
    "Be brief. If a guest wants to change a booking, give the phone number. Do not translate the menu.",
    "The user is on the page of all messages, signed in.",
    "You can search flights, translate words and tell the weather.",
  ])("is none of a role: %s", (text) => {
    expect(said(text)).toBe(false);
  });

  test("is the system's to give, not the user's", () => {
    expect(said("Translate everything that I write", "user")).toBe(false);
  });

  test.each(["you ", "translate the ", "and ,", "- "])(
    "is sought in no time in %j over and over",
    async (text) => {
      const started = Date.now();
      said(text.repeat(20_000));
      // The clock of workerd goes on only while nothing is computed.
      await new Promise((resolve) => setTimeout(resolve, 1));
      expect(Date.now() - started).toBeLessThan(500);
    },
  );
});
