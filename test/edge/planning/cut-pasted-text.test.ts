import { describe, expect, test } from "vitest";
import { cutPastedText } from "../../../edge/planning/asked-text.ts";
import { leastMs } from "../../support/least-ms.ts";

const mail = "Dear Ms Fox, please cancel my order and refund me. I will call the bank otherwise. Regards, Jo";

describe("a request beside the text it is about", () => {
  test.each<[string, string, string]>([
    [
      "a forwarded mail",
      `What can I say to her?\n\n---------- Forwarded message ---------\n${mail}`,
      "What can I say to her?",
    ],
    [
      "a mail with its sender and subject",
      `Is he angry with me?\nFrom: Jo\nSent: Monday\nSubject: Order\n\n${mail}`,
      "Is he angry with me?",
    ],
    [
      "a mail of an address",
      `who has to act here\n\nFrom: Jo Fox <jo@example.com>\n${mail}`,
      "who has to act here",
    ],
    [
      "a thread of two senders",
      `Sum this up for me\n\nFrom: Jo\n${mail}\nFrom: Kim\nCall me.`,
      "Sum this up for me",
    ],
    [
      "lines that are answered",
      `> please call the bank\n> and pay\nHow do I refuse politely?`,
      "How do I refuse politely?",
    ],
    [
      "a letter below the line that names it",
      `Translate this letter into French:\n${mail}`,
      "Translate this letter into French:",
    ],
    [
      "a letter that is to be made shorter",
      `Here's my letter. Make it shorter and friendlier.\n\n${mail}`,
      "Here's my letter. Make it shorter and friendlier.",
    ],
    [
      "text between marks, with the request below",
      `Here is a complaint:\n---\n${mail}\n---\nClassify its tone.`,
      "Here is a complaint:\n\nClassify its tone.",
    ],
    ["the text of a tl;dr", "tl;dr this: The committee decided to cancel the summer festival", "tl;dr this:"],
    [
      "words behind what is done to them",
      "Please translate to Italian: we would like to order two pizzas",
      "Please translate to Italian:",
    ],
    [
      "what is to be explained",
      "Explain this command: git reset --hard HEAD~1 && git push --force",
      "Explain this command:",
    ],
    [
      "words whose grammar is to be mended",
      "Fix the grammar and send it to Tom: i has book the hotel for us",
      "Fix the grammar and send it to Tom:",
    ],
    ["a text that begins like a request", `Improve this:\n\nIf you may, ${mail}`, "Improve this:"],
    ["a letter after a question about it", `Is this mail too harsh?\n\n${mail}`, "Is this mail too harsh?"],
    ["a sentence in quotation marks", `Is "please cancel my order and refund me" polite?`, 'Is "…" polite?'],
    [
      "other quotation marks",
      `Make “please cancel my order and refund me” sound friendlier`,
      'Make "…" sound friendlier',
    ],
  ])("is left without %s", (_what, text, rest) => {
    expect(cutPastedText(text)).toBe(rest);
  });

  test.each([
    ["two words stand behind a colon", "translate to Italian: good morning"],
    ["it goes on with what to change", "Fix the wording of the button: it should say Pay now"],
    [
      "the user goes on behind what is to be explained",
      "Explain this error: no such file or directory, open 'a.json' and then fix it",
    ],
    [
      "the user asks something else behind it",
      "Explain this error: Cannot find module 'a' from b. How do I fix it?",
    ],
    [
      "more is to be done with the mended words",
      "Fix the grammar: he dont like apples. Then translate it into Spanish.",
    ],
    ["it names a title", 'Order "The Old Man" for my dad'],
    [
      "it wants done what is quoted",
      `My boss writes: "please book a room for Friday at nine". Can you do that?`,
    ],
    ["it only points", `Please see below:\n\n${mail}`],
    [
      "what follows is what to do",
      "Here is what I need:\n\nBook a flight to Rome for Friday, then a hotel near the station",
    ],
    [
      "the user goes on",
      "Reply to this message that I am coming\n\nAnd then lock the front door, close the garage and set the alarm",
    ],
    [
      "no text is worked on",
      "Edit this photo\n\nMake it brighter, crop it to a square, then post it with a nice caption",
    ],
    ["what follows is short", "Summarise this letter.\n\nCancel my account."],
    ["it is a trip", "From: Berlin\nTo: Rome\nfind me a train that leaves on Friday morning, and a hotel"],
    ["inches are marked", 'buy a 24" monitor and a 27" monitor for the office on Monday'],
  ])("is all of the text where %s", (_why, text) => {
    expect(cutPastedText(text)).toBe(text);
  });

  test.each([
    ["senders", "From: a\n".repeat(20_000)],
    ["quotation marks", ' "a b'.repeat(40_000)],
    ["opening marks", " “a b".repeat(40_000)],
    ["dates", "on a wrote\n".repeat(20_000)],
    ["spaces", " ".repeat(200_000)],
    ["indented senders", " from: a\n".repeat(22_000)],
    ["short lines", "from: a\nb\nb\n".repeat(15_000)],
  ])("is found in no time beside 200,000 characters of %s", async (_what, text) => {
    const pasted = `find me a lamp\n${text}`;
    expect(await leastMs(1_000, () => cutPastedText(pasted))).toBeLessThan(1_000);
  });
});
