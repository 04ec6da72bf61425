import { describe, expect, it } from "vitest";
import { readDenials } from "../../../gpu-worker/planning/denials.ts";

const denied = (goal: string) => readDenials(goal).map(({ text }) => text);

describe("what a goal says not to do", () => {
  it.each<[goal: string, texts: string[]]>([
    ["Draft a letter to the landlord, but do not send it", ["send it"]],
    ["sort my photos by year, dont delete duplicates", ["delete duplicates"]],
    ["Never restart the server. Show me its logs.", ["restart the server."]],
    ["prepare the order for 20 chairs, you must not submit it", ["submit it"]],
    ["Don’t send it.", ["send it."]],
    ["I don't want to cancel the gym, just change the day", ["cancel the gym"]],
    ["we're not looking to buy anything, only compare prices", ["buy anything"]],
    ["Write to the landlord but don't send it before I've said yes", ["send it before I've said yes"]],
    ["Please don't close the shop tab, and don't pay yet", ["close the shop tab", "pay yet"]],
  ])("is read without its denial: %s", (goal, texts) => {
    expect(denied(goal)).toEqual(texts);
  });

  it.each([
    ["reminds", "Don't forget to send the report to Lena"],
    ["asks for the opposite", "don't lose my changes to the rota"],
    ["asks for the opposite of a wish", "I don't want to lose my changes to the rota"],
    ["wants a standing thing stopped", "Don't send the paper to me any more"],
    ["depends on something", "If it costs over 50 don't buy it, otherwise order two"],
    ["makes an exception", "don't delete anything besides the logs"],
    ["asks for the same elsewhere", "Never call my ex. Call my mum."],
    ["tells what was", "My statement says Kiosk. Never been there."],
    ["tells of the speaker", "I drive all week and never write down a kilometre"],
    ["asks for it otherwise", "Do not send it to Bob, just to Ana"],
    ["asks for the same in a sentence beside", "Don't buy the red one. Buy blue."],
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

  it("has the place of its part", () => {
    expect(readDenials("Find the Q3 deck. Don't share it with anybody.")[0]!.place).toBe(1);
  });
});
