import { describe, expect, it } from "vitest";
import { canAskFor, readAskings } from "../../../gpu-worker/planning/asking.ts";
import { readDenials } from "../../../gpu-worker/planning/goal-text.ts";

const read = (goal: string) => readAskings(goal, readDenials(goal));

describe("what a part of a goal can ask for", () => {
  it.each([
    "How do I delete a remote branch?",
    "where can I sell old coins",
    "when is it too late to cancel the trip",
    "What's the best way to pay off a loan?",
    "Should I book the hotel now or wait?",
    "is it safe to open an attachment from my bank",
    "who should sign the contract",
    "I only want to know how to change my plan",
    "tell me what happens to my seat after I cancel",
    "do I have to pay the invoice twice",
    "will they still refund the ticket",
    "is it possible to open a can without an opener",
    "can anyone see what I buy",
    "I'd really like to know why it was declined",
    "could you explain how to freeze a card",
    "any open invoices of Initech?",
    "can I still change the address?",
    "can our data be read by others",
    "can the queue be drained while it is used",
    "Is there a way to grow tomatoes without a garden?",
    "teach me how to play the solo",
  ])("is an answer, of a question: %s", (goal) => {
    expect(read(goal)).toEqual(["answer"]);
  });

  it.each([
    "Delete the remote branch",
    "can you book me a table for two",
    "could I get a refund for my order",
    "any chance you can book a later train?",
    "Any seat by the window is fine, book it",
    "anything you can do to make the query faster?",
    "why don't you book the early train",
    "how about ordering a pizza for lunch",
    "have the car washed by Friday",
    "do the dishes and the laundry",
    "When the build is green deploy it",
    "What I want is to cancel my order",
    "let me know when you have paid it",
    "what should I answer her?",
    "Would it be possible to move my appointment to Friday?",
    "is it possible to cancel my order?",
    "Is there any chance you could move my appointment?",
    "is there a way to cancel my order?",
    "can my appointment be moved to Friday?",
    "could the order be cancelled today, please",
    "may I have a refund for the lamp",
    "can anyone send me the slides",
    "I was wondering if you could cancel my membership",
    "write an email to explain why I am late",
    "call the vet to know when they open",
    "Embed the video in the page",
    "shred the old contracts",
    "red shoes in size 9",
  ])("is anything, of a request: %s", (goal) => {
    expect(read(goal)[0]).toBe("anything");
  });

  it("is an answer up to the end of the question", () => {
    expect(read("How can I stop a container and remove its volumes? Delete the old one.")).toEqual([
      "answer",
      "answer",
      "anything",
    ]);
    expect(read("How do I stop it now and can you remove the old one?")).toEqual(["answer", "anything"]);
  });

  it.each([
    "I called the vet at six",
    "booked the hotel last week",
    "the alarm in the kitchen is on",
    "It says offline",
    "My flight was two hours late",
  ])("is little, of a statement: %s", (goal) => {
    expect(read(goal)).toEqual(["little"]);
  });

  it.each([
    "I'd like to move my appointment",
    "We need a table for six",
    "I wanted to cancel my order",
    "it has to be paid by noon",
    "the closest hotel to the station",
  ])("is anything, of a wish: %s", (goal) => {
    expect(read(goal)[0]).toBe("anything");
  });

  it("is the answer to its question, of a condition", () => {
    expect(read("If I cancel my gym now, do I have to pay for May?")).toEqual(["answer", "answer"]);
    expect(read("If nobody objects by noon, book the room")).toEqual(["anything", "anything"]);
  });

  it("is nothing, of what it denies", () => {
    expect(read("Draft a letter to Tom, but do not send it")).toEqual(["anything", "nothing"]);
  });

  it("changes nothing, where it is an answer", () => {
    expect(canAskFor("answer", "look")).toBe(true);
    expect(canAskFor("answer", "commit")).toBe(false);
    expect(canAskFor("nothing", "look")).toBe(false);
    expect(canAskFor("anything", "commit")).toBe(true);
  });
});
