import { describe, expect, it } from "vitest";
import { asksOnlyQuestions, canAskFor } from "../../../../gpu-worker/planning/message/asking.ts";
import { readMessage } from "../../../../gpu-worker/planning/message/read-message.ts";

const read = (goal: string) => readMessage(goal).askings;

describe("what a part of a goal can ask for", () => {
  it.each([
    "How do I delete a remote branch?",
    "and now?",
    "so, done?",
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
    "can I take my dog along or is that not allowed",
    "has 7712 shipped",
    "did #4411 get refunded",
    "can our data be read by others",
    "can the queue be drained while it is used",
    "Is there a way to grow tomatoes without a garden?",
    "teach me how to play the solo",
    "did Anna reply to my mail?",
    "Is Rex's operation covered?",
    "Has Acme been paid?",
    "were Ann's keys at the desk",
    "Have the Poles paid invoice 778?",
    "hey does Kim have the keys",
    "ok will i get money back for today",
    "do we have a contact at Globex?",
    "do you have rain jackets in green",
    "can you see who liked my last post?",
    "could you check whether the rent was paid",
    "my friend said you can cancel for free within a day is that true",
    "are you able to make phone calls?",
    "I was just wondering if you could tell me what is going on with my order",
    "It would be great if you could find out why it is slow",
    "any chance you can see whether the windows are shut?",
    "could you be so kind to tell me what it costs",
    "I'd appreciate it if you could check whether she has paid",
    "I need to find out who paid",
    "just wanted to check if my card is frozen",
    "can you check?",
    "please advise when the parcel arrives",
    "I can't remember whether I paid the rent",
    "just checking if my refund went through",
  ])("is an answer, of a question: %s", (goal) => {
    expect(read(goal)).toEqual(["answer"]);
  });

  it.each([
    "Delete the remote branch",
    "can you book me a table for two",
    "could I get a refund for my order",
    "can you see if my order can be cancelled",
    "any chance you can book a later train?",
    "Any seat by the window is fine, book it",
    "anything you can do to make the query faster?",
    "why don't you book the early train",
    "how about ordering a pizza for lunch",
    "have the car washed by Friday",
    "have Bob call me?",
    "have my order cancelled please?",
    "was hoping to get a refund",
    "was wondering if you could cancel my order",
    "were you born in a barn? door!",
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
    "would it be too much trouble to print the contract?",
    "is there someone who could mail her the contract?",
    "it would be great if you could cancel it",
    "I'm not sure if you could move it",
    "I need to check if it can be moved",
    "can anyone send me the slides",
    "I was wondering if you could cancel my membership",
    "write an email to explain why I am late",
    "call the vet to know when they open",
    "Embed the video in the page",
    "shred the old contracts",
    "are you able to move my appointment?",
    "do you mind closing the window",
    "ok book it for Friday",
    "red shoes in size 9",
  ])("is anything, of a request: %s", (goal) => {
    expect(read(goal)[0]).toBe("anything");
  });

  it("is an answer up to the end of the question", () => {
    expect(read("When is Mrs. Berg's next appointment?")).toEqual(["answer"]);
    expect(read("How can I stop a container and remove its volumes? Delete the old one.")).toEqual([
      "answer",
      "answer",
      "anything",
    ]);
    expect(read("How do I stop it now and can you remove the old one?")).toEqual(["answer", "anything"]);
  });

  it.each([
    "I called the vet at six",
    "Tom will merge it on Friday",
    "she fixed the gate",
    "booked the hotel last week",
    "the alarm in the kitchen is on",
    "It says offline",
    "My flight was two hours late",
    "ive restarted it twice already",
    "thats the wrong mare",
    "Here is the letter for the zoo",
    "maybe it's just at home",
  ])("is little, of a statement: %s", (goal) => {
    expect(read(goal)).toEqual(["little"]);
  });

  it("is little, of what should have happened, and of a reason, a purpose or a limit behind a request", () => {
    expect(read("Where is it? It should have come on Friday.")).toEqual(["answer", "little"]);
    for (const aside of ["because I want to move", "so my boss can sign it", "only the first one"])
      expect(read(`Print the contract, ${aside}`)).toEqual(["anything", "little"]);
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

  it.each([
    "Write SQL to delete duplicate rows",
    "write me a short poem about cancelling a flight",
    "can you come up with a slogan for the shop",
    "Write a bash script that removes old images",
    "implement binary search in rust",
    "give me a haiku",
  ])("is text, of what is only written: %s", (goal) => {
    expect(read(goal)).toEqual(["text"]);
  });

  it.each([
    "write an email to Tom about the test",
    "give me the headlines",
    "make me a voiceover from this script",
    "write down the door code",
    "Make this script faster",
  ])("is anything, of what is sent, found or changed: %s", (goal) => {
    expect(read(goal)).toEqual(["anything"]);
  });

  it("is text, of what the text is to be like", () => {
    expect(read("Write a function that deletes old files. It should have a dry run.")).toEqual([
      "text",
      "text",
    ]);
  });

  it.each([
    ["Lock the front door, leave the porch light on", "nothing"],
    ["shut this window but leave the others alone", "nothing"],
    ["Answer the urgent ones; ignore the newsletters", "nothing"],
    ["Mark the invoice as paid, you can ignore the reminder", "nothing"],
    ["Rate the café and leave a comment on it", "anything"],
    ["Fetch the report but leave the mail unread", "nothing"],
    ["Find a train to Rome without stopping in Bologna", "little"],
    ["The app quit without saving the file, find out why", "little"],
    ["Post the photo but keep it private", "nothing"],
    ["Remove the comments but keep the docstrings", "nothing"],
    ["Dim the lamp, the music can stay on", "nothing"],
    ["Open a pull request but leave the merging to Sam", "nothing"],
    ["Fix the parser and leave the testing to the end", "anything"],
    ["Pay the tax and keep the receipt as a PDF", "anything"],
    ["Open the blinds and keep the heating at 21", "anything"],
    ["Sort the list and leave out everybody who paid", "anything"],
  ])("may be nothing, of what is to stay as it is: %s", (goal, asking) => {
    expect(read(goal)[1]).toBe(asking);
  });

  it("may be nothing of the first part, beside another one", () => {
    expect(read("Keep the heating as it is and switch the hall lights on")).toEqual(["nothing", "anything"]);
    expect(read("Keep the timer where it is")).toEqual(["anything"]);
  });

  it.each([
    "Stop sending me reminders about the dentist",
    "I no longer need the reservation",
    "Don't mail me any more",
    "never ring here ever again",
    "We won't be needing the table tonight",
    "Forget the taxi",
    "Acme no longer wants the invoice",
  ])("is a stop, of what goes on and is to end: %s", (goal) => {
    expect(read(goal)).toEqual(["stop"]);
  });

  it.each([
    "Stop the music",
    "I no longer live in Bern",
    "Don't mail Anna",
    "I don't need the car until Friday",
    "We won't need the car until Friday",
    "I don't want a taxi",
    "I don't work here any more",
    "Cancel it because it's no longer needed",
  ])("is no stop: %s", (goal) => {
    expect(read(goal)).not.toContain("stop");
  });

  it.each(["Let me know when the next meeting is", "let us know how the retry works"])(
    "is an answer, of what the speaker wants to know: %s",
    (goal) => expect(read(goal)).toEqual(["answer"]),
  );

  it("is anything, of news that is to come", () => {
    expect(read("Let me know when the flight is booked")).toEqual(["anything"]);
  });

  it("is an answer, of what is to be shown before it is done", () => {
    expect(read("Write the post, but let me see it before you publish it")).toEqual(["anything", "answer"]);
  });

  it("is an answer, of a condition that belongs to a question", () => {
    expect(read("If I cancel my gym now, do I have to pay for May?")).toEqual(["answer", "answer"]);
    expect(read("If nobody objects by noon, book the room")).toEqual(["anything", "anything"]);
  });

  it("is nothing, of what it denies", () => {
    expect(read("Draft a letter to Tom, but do not send it")).toEqual(["anything", "nothing"]);
  });

  it("is only questions, whatever else is denied or announced", () => {
    expect(asksOnlyQuestions(read("Explain what this regex does, I'll change it myself"))).toBe(true);
    expect(asksOnlyQuestions(read("Explain what this regex does and simplify it"))).toBe(false);
    expect(asksOnlyQuestions(read("Don't change it, I'll do that myself"))).toBe(false);
  });

  it("changes nothing, where it is an answer", () => {
    expect(canAskFor("answer", "look")).toBe(true);
    expect(canAskFor("answer", "commit")).toBe(false);
    expect(canAskFor("nothing", "look")).toBe(false);
    expect(canAskFor("anything", "commit")).toBe(true);
    expect(canAskFor("text", "write", "generate")).toBe(true);
    expect(canAskFor("text", "commit", "delete")).toBe(false);
    expect(canAskFor("stop", "commit", "cancel")).toBe(true);
    expect(canAskFor("stop", "write", "set")).toBe(false);
  });
});

it("what follows a look is asked for", () => {
  expect(read("Could you see what was bought, and put a password on purchases?")).toEqual([
    "answer",
    "anything",
  ]);
});

it("what is only thought of asks for little", () => {
  expect(read("Imagine I missed my train. Book a taxi")).toEqual(["little", "anything"]);
  expect(read("They ask about the cake. Say we'll take it")[1]).toBe("anything");
});
