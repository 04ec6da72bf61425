import { describe, expect, it } from "vitest";
import { splitClauses } from "../../../gpu-worker/planning/clauses.ts";

const verbs = new Set(["find", "book", "add", "check", "send", "log", "update", "email"]);
const split = (goal: string, most = 6) => splitClauses(goal, (word) => verbs.has(word), most);

describe("clauses", () => {
  it.each([
    ["Book a flight", ["Book a flight"]],
    ["Find a hotel and book it", ["Find a hotel", "book it"]],
    ["Find salt and pepper", ["Find salt and pepper"]],
    [
      "Find the laptop, add it to the cart and check out",
      ["Find the laptop", "add it to the cart", "check out"],
    ],
    ["Log in to the site, then update my name", ["Log in to the site", "update my name"]],
    ["Find Anna's number. After that, send her a text!", ["Find Anna's number.", "send her a text!"]],
    ["Hi!", []],
    ["", []],
  ])("of %j", (goal, clauses) => {
    expect(split(goal)).toEqual(clauses);
  });

  it("keeps what is beyond the limit in the last one", () => {
    expect(split("find a pen. book a room. send a note. add a line.", 2)).toEqual([
      "find a pen.",
      "book a room.. send a note.. add a line.",
    ]);
  });
});
