// What a goal says not to do.
import { describe, expect, it } from "vitest";
import { readDenials } from "../../../gpu-worker/planning/denials.ts";

const denied = (goal: string) => readDenials(goal).map(({ text }) => text);

describe("what a goal says not to do", () => {
  it.each<[goal: string, texts: string[]]>([
    ["Draft a letter to the landlord, but do not send it", ["send it"]],
    ["sort my photos by year, dont delete duplicates", ["delete duplicates"]],
    ["Never restart the server. Show me its logs.", ["restart the server."]],
    ["Pay invoice 12, but do not email anybody else", ["email anybody else"]],
    ["Book the room and do not book anything else in June or pay, else I am broke", []],
    ["prepare the order for 20 chairs, you must not submit it", ["submit it"]],
    ["Don’t send it.", ["send it."]],
    ["I don't want to cancel the gym, just change the day", ["cancel the gym"]],
    ["we're not looking to buy anything, only compare prices", ["buy anything"]],
    ["Write to the landlord but don't send it before I've said yes", ["send it before I've said yes"]],
    ["Please don't close the shop tab, and don't pay yet", ["close the shop tab", "pay yet"]],
    ["Write the letter and save it, don't send.", ["send."]],
    ["Run the tests and commit. Dont push!", ["push!"]],
    ["Review PR 91 and tell me if it's safe to merge. Don't merge.", ["merge."]],
    ["don't cancel my order! I just wanted to know if the size can change", ["cancel my order!"]],
    ["Write the post, but let me see it before you publish it", ["publish it"]],
    ["Fill in the form and send me the pdf to check before you submit it", ["submit it"]],
    ["Find a flight to Rome, no need to book a hotel", ["book a hotel"]],
    ["there's no need to call the bank, check my balance", ["call the bank"]],
    ["Summarize the report, you don't have to email it", ["email it"]],
    ["Let's not order anything today, list what is missing", ["order anything today"]],
    ["I'm not ready to buy yet, compare the two phones", ["buy yet"]],
    ["Don't bother sending a reminder, create the invoice", ["sending a reminder"]],
    ["Please hold off on sending the newsletter, fix the typo", ["sending the newsletter"]],
    ["Instead of cancelling my booking, move it to Friday", ["cancelling my booking"]],
    ["Rather than deleting the branch, rename it", ["deleting the branch"]],
  ])("is read without its denial: %s", (goal, texts) => {
    expect(denied(goal)).toEqual(texts);
  });

  it.each([
    ["reminds", "Don't forget to send the report to Lena"],
    ["asks for the opposite", "don't lose my changes to the rota"],
    ["asks for the opposite of a wish", "I don't want to lose my changes to the rota"],
    ["wants a standing thing stopped", "Don't send the paper to me any more"],
    ["depends on something", "If it costs over 50 don't buy it, otherwise order two"],
    ["depends on what was said before", "If the train is late, do not book the hotel"],
    ["makes an exception", "don't delete anything besides the logs"],
    ["asks for the same elsewhere", "Never call my ex. Call my mum."],
    ["tells what was", "My statement says Kiosk. Never been there."],
    ["tells of the speaker", "I drive all week and never write down a kilometre"],
    ["asks for it otherwise", "Do not send it to Bob, just to Ana"],
    ["asks for the same in a sentence beside", "Don't buy the red one. Buy blue."],
    ["asks for the same of another thing", "Instead of cancelling the hotel, cancel the car"],
    ["asks for something else in the same part", "Instead of deleting the branch rename it"],
    [
      "asks for something else in the same part, and more",
      "Instead of merging the PR close it, then tell Anna",
    ],
    ["asks for the opposite of what is kept", "No need to preserve the old branch, remove it"],
    ["names a thing", "Plan a route, avoid parking garages"],
    ["sets a bound", "Order flowers, do not deliver before noon"],
    ["denies the contrary", "Don't skip the tests, run all of them"],
    ["denies nothing", "Book a flight to Rome"],
    ["is empty", " "],
  ])("is nothing where it %s: %s", (_why, goal) => {
    expect(denied(goal)).toEqual([]);
  });

  it("is all that the verb can mean where no thing is named", () => {
    const open = (goal: string) => readDenials(goal).map(({ isOpen }) => isOpen);
    expect(open("Look up hotels in Vienna, do not book anything")).toEqual([true]);
    expect(open("Write to Tom, don't send yet")).toEqual([true]);
    expect(open("Tidy the folder, don't delete the invoices")).toEqual([false]);
  });

  it("has the index of its part", () => {
    expect(readDenials("Find the Q3 deck. Don't share it with anybody.")[0]!.part).toBe(1);
  });
});
