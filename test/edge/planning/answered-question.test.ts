import { describe, expect, test } from "vitest";
import { answersQuestion, withAnswer } from "../../../edge/planning/answered-question.ts";
import { leastMs } from "../../support/least-ms.ts";

describe("a message that only answers the assistant's question", () => {
  test.each([
    ["When?", "tmrw 2pm, 30 min, zoom"],
    ["When should I remind you?", "sunday after lunch"],
    ["From which account?", "the joint one"],
    ["On which day?", "thursdays, Kreuzberg"],
    ["I'm sorry to hear that. May I ask why?", "too expensive"],
    ["Sure! How many days per week can you train?", "3, only dumbbells"],
    ["What is your order number?", "#4417"],
    ["When do you want to travel, and with how many people?", "mid May, 2 adults"],
  ])("has no goal of its own: %s %s", (question, said) => {
    expect(answersQuestion(said, question)).toBe(true);
  });

  test.each([
    ["an offer", "Shall I book one?", "the early one"],
    ["a choice among results", "Which one would you like?", "the second"],
    ["small talk", "How are you today?", "a bit tired"],
    ["nothing more to do", "Done. Anything else?", "the milk"],
    ["no question", "I found three plumbers.", "the first one"],
    ["a question back", "When?", "in May, is that ok?"],
    ["a wish of its own", "What is your order number?", "it's 12, please cancel it"],
    ["a command", "At what time?", "call the restaurant and ask"],
    ["a change of mind", "For which day?", "actually forget it"],
  ])("is none after or of %s", (_what, question, said) => {
    expect(answersQuestion(said, question)).toBe(false);
  });

  test("is put behind the goal", () => {
    expect(withAnswer("Schedule a call with Nina.", "tomorrow at two")).toBe(
      "Schedule a call with Nina, tomorrow at two",
    );
    expect(withAnswer("Call Nina :;, \n..", "at two")).toBe("Call Nina, at two");
    expect(withAnswer("...", "at two")).toBe(", at two");
    expect(withAnswer("Is my flight on time?", "EW 7811")).toBe("Is my flight on time? EW 7811");
  });

  test.each([",", " ", ".", "\n"])(
    "is put behind a goal of 200,000 %j and a letter in no time",
    async (sign) => {
      const goal = `Schedule a call${sign.repeat(200_000)}x`;
      expect(withAnswer(goal, "tomorrow")).toBe(`${goal}, tomorrow`);
      expect(await leastMs(500, () => withAnswer(goal, "tomorrow"))).toBeLessThan(500);
    },
  );
});
