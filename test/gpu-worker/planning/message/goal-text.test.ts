import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mayAskSeveral, splitGoal } from "../../../../gpu-worker/planning/message/goal-text.ts";
import { leastMs } from "../../../support/least-ms.ts";

describe("the parts of a goal", () => {
  it.each([
    ["nothing", "", []],
    ["one instruction", "Book a flight", []],
    ["a pair of words, which is one thing", "Find salt and pepper", []],
    ["a short second part, which stays with the first", "Find a red hat and gloves", []],
    ["a short wish of its own", "Find a hotel and book it", ["Find a hotel", "book it"]],
    ["a name to be told", "Pay the bill and message Bob", ["Pay the bill", "message Bob"]],
    ["kin to be told", "Order ten bulbs, then text dad.", ["Order ten bulbs", "text dad."]],
    ["a thing with the same verb", "List names and phone numbers", []],
    ["a sequel", "Log in to the site, then update my name", ["Log in to the site", "update my name"]],
    [
      "a sequel in capitals",
      "Close the old ticket AND THEN open a new one",
      ["Close the old ticket", "open a new one"],
    ],
    [
      "sentences",
      "Find Anna's number. After that, send her a text!",
      ["Find Anna's number.", "send her a text!"],
    ],
    ["lines", "one line here\n\nand another line there", ["one line here", "and another line there"]],
    ["marks between", "Buy some fresh milk; pay with my card", ["Buy some fresh milk", "pay with my card"]],
    ["what is not to be done", "Save it without sending", ["Save it", "without sending"]],
    ["what is done after", "Run the tests before you deploy it", ["Run the tests", "deploy it"]],
    ["the same with a form in ing", "Close the vent before arming it", ["Close the vent", "arming it"]],
    ["what people do themselves", "Order sushi before painting the fence", []],
    ["when a shop shuts", "Get the cake before closing time on Friday", []],
    ["a look that is asked for, which is no part", "Show it to me before you send it", []],
    ["a limit of what is denied", "Don't merge it before you run the tests", []],
    ["a question about what comes before", "What do I need before renting a car?", []],
    ["what the speaker does", "Pack the lunch before leaving the house", []],
    ["the way it is done, which is no part", "Rename it all without asking me", []],
    ["a title, whose full stop ends nothing", "Refund the last order of Mrs. Patel from Leeds", []],
    ["the word for a number", "Find out where order no. 20411 is", []],
    ["a time of day", "Book a table at 7 p.m. on Friday evening", []],
    ["a time of day that ends a sentence", "It is 7 p.m. Call a taxi", ["It is 7 p.m.", "Call a taxi"]],
    ["a degree", "Be so kind as to print the letter", []],
    ["a way behind 'but'", "play some jazz but without waking the kids", []],
    [
      "a list, without its marks",
      "1. look up Jana Berg\n2) list her orders\n- refund the lamp",
      ["look up Jana Berg", "list her orders", "refund the lamp"],
    ],
    [
      "a list in one line",
      "1) refund order 4711 2) mail the customer 3) close ticket 90",
      ["refund order 4711", "mail the customer", "close ticket 90"],
    ],
    ["a purpose, with its first word", "Deploy it now so QA can start", ["Deploy it now", "so QA can start"]],
    [
      "what follows from a fact, without it",
      "It broke last night so Tom can cancel the visit",
      ["It broke last night", "Tom can cancel the visit"],
    ],
    [
      "a list in one line with full stops",
      "To do: 1. buy some milk 2. call Ann Berg 3. pay the rent",
      ["To do", "buy some milk", "call Ann Berg", "pay the rent"],
    ],
    [
      "a number that ends a sentence, where no list begins",
      "Cancel order 2. Thanks a lot",
      ["Cancel order 2.", "Thanks a lot"],
    ],
    ["a number with a comma, which is one word", "Send 1,000 euros to Tom", []],
    [
      "a short part between long ones",
      "Rename the report, final version, and send it to Eve",
      ["Rename the report, final version", "send it to Eve"],
    ],
  ])("of %s", (_name, goal, parts) => {
    expect(splitGoal(goal)).toEqual(parts);
  });

  it("are at most eight: the first and the last four", () => {
    const goal = Array.from({ length: 20 }, (_, place) => `Do thing number ${place}.`).join(" ");
    expect(splitGoal(goal).map((part) => Number(/\d+/.exec(part)![0]))).toEqual([0, 1, 2, 3, 16, 17, 18, 19]);
  });

  it("stand in the goal in their order, without spaces around them, and are never one alone", () => {
    const word = fc.constantFrom(
      "go",
      "and",
      "then",
      "buy",
      "milk",
      "it",
      ",",
      ".",
      ";",
      "\n",
      " ",
      "&",
      "–",
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), (words) => {
        const goal = words.join(" ");
        const parts = splitGoal(goal);
        expect(parts).not.toHaveLength(1);
        let from = 0;
        for (const part of parts) {
          const at = goal.indexOf(part, from);
          expect(at).toBeGreaterThanOrEqual(from);
          expect(part).toBe(part.trim());
          expect(part).not.toBe("");
          from = at + part.length;
        }
      }),
    );
  });

  it("of a goal beyond the window are those of its beginning", () => {
    const goal = `Buy the first thing now. ${"x".repeat(3_000)} and buy the last thing`;
    expect(splitGoal(goal).join(" ")).not.toContain("last thing");
  });
});

it("a goal of spaces takes no longer than another: it held a thread for eight seconds", async () => {
  const read = () => {
    for (const space of [" ", "\t", "\u00a0"]) expect(splitGoal(`a${space.repeat(1_990)}b`)).toEqual([]);
    expect(mayAskSeveral(`a${" ".repeat(1_990)}b`)).toBe(false);
  };
  expect(await leastMs(500, read)).toBeLessThan(500);
});

it("a long space says what a short one does", () => {
  const space = " ".repeat(60);
  expect(splitGoal(`book the first train,${space}then write to my sister`)).toEqual([
    "book the first train",
    "write to my sister",
  ]);
  expect(splitGoal(`book the first train${space}\n${space}write to my sister`)).toHaveLength(2);
});
