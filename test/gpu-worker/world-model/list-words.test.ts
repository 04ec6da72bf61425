import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readList, readToolWords, stemsOf } from "../../../gpu-worker/world-model/list-words.ts";
import { actionText, nameWords, toolText } from "../../../gpu-worker/world-model/text-templates.ts";

const read = (name: string, description = "") => readToolWords(nameWords(name), description);

describe("words of a text", () => {
  it("are stemmed, in order, without those that say nothing", () => {
    expect(stemsOf("Booking the flights, studies & classes; he passed 3 boxes")).toEqual(
      "book flight study classe he pass 3 boxe".split(" "),
    );
    expect(stemsOf("I would like to have it")).toEqual(["like"]);
  });
});

// Expected numbers: training/lexical.py on the same texts.
describe("a goal against a list of tools", () => {
  const tools = [
    read("searchFlights", "Search for available flights between two cities"),
    read("hotels.book_room", "Book a room in a hotel. Booking needs dates."),
    read("get_weather"),
    read("get_weather"),
  ];
  const list = readList("Please find cheap flights to Lisbon and book a hotel", tools);
  const rounded = (values: ArrayLike<number>) => Array.from(values, (value) => Number(value.toFixed(6)));

  it("is weighed as training weighed it", () => {
    expect(rounded(list.words)).toEqual([0.287467, 0.601541, 0, 0]);
    expect(rounded(list.names)).toEqual([0.5, 0.666667, 0, 0]);
    expect(rounded(list.numbers)).toEqual([1.386294, 0.3, 0.301934, 0.314074, 0.666667, 0.5, 0.2625]);
  });

  it("is all zeros where there are no words", () => {
    expect(rounded(readList("", [read("a_b")]).numbers)).toEqual([0, 0, 0, 0, 0, 0, 0.05]);
  });

  it("gives finite numbers for any texts", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 80 });
    fc.assert(
      fc.property(text, fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 6 }), (goal, pairs) => {
        const { words, names, numbers } = readList(
          goal,
          pairs.map(([name, description]) => read(name, description)),
        );
        for (const value of [...words, ...names, ...numbers]) expect(Number.isFinite(value)).toBe(true);
        for (const share of [...words, ...names]) {
          expect(share).toBeGreaterThanOrEqual(0);
          expect(share).toBeLessThanOrEqual(1 + 1e-12);
        }
      }),
    );
  });
});

describe("texts for the encoder", () => {
  it.each([
    ["math.getHCF_v2", "math get hcf v2"],
    ["HTTPServerList", "http server list"],
    ["get-user__ID", "get user id"],
    ["sendEmail2", "send email2"],
    ["日本 検索", "日本 検索"],
  ])("%s is %j in words", (name, words) => {
    expect(nameWords(name)).toBe(words);
  });

  it("say a tool's name and the beginning of its description in one line", () => {
    expect(toolText({ name: "sendEmail", description: "  Sends \n an  e-mail " })).toBe(
      "send email: Sends an e-mail",
    );
    expect(toolText({ name: "sendEmail", description: " " })).toBe("send email");
    expect(toolText({ name: "a", description: "x".repeat(900) })).toHaveLength(3 + 400);
  });

  it.each([
    ["mail.sendEmail", "send email"],
    ["mcp__files__readFile", "read file"],
    ["search", "search"],
    ["", "unknown"],
    ["...", "unknown"],
  ])("name the action %j %j", (name, text) => {
    expect(actionText(name)).toBe(text);
  });
});
