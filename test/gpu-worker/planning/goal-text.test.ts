import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isEnglish,
  isSmallTalk,
  mayAskSeveral,
  readDenials,
  splitGoal,
} from "../../../gpu-worker/planning/goal-text.ts";
import { createTokenizer, TokenizerFile } from "../../../gpu-worker/world-model/tokenizer.ts";

describe("the parts of a goal", () => {
  it.each([
    ["nothing", "", []],
    ["one instruction", "Book a flight", []],
    ["a pair of words, which is one thing", "Find salt and pepper", []],
    ["a short second part, which stays with the first", "Find a red hat and gloves", []],
    ["a short wish of its own", "Find a hotel and book it", ["Find a hotel", "book it"]],
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

it("a goal of spaces takes no longer than another: it held a thread for eight seconds", () => {
  const begunAt = performance.now();
  for (const space of [" ", "\t", "\u00a0"]) expect(splitGoal(`a${space.repeat(1_990)}b`)).toEqual([]);
  expect(mayAskSeveral(`a${" ".repeat(1_990)}b`)).toBe(false);
  expect(performance.now() - begunAt).toBeLessThan(500);
});

it("a long space says what a short one does", () => {
  const space = " ".repeat(60);
  expect(splitGoal(`book the first train,${space}then write to my sister`)).toEqual([
    "book the first train",
    "write to my sister",
  ]);
  expect(splitGoal(`book the first train${space}\n${space}write to my sister`)).toHaveLength(2);
});

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

describe("small talk", () => {
  it.each([
    "hi",
    "Hello there!",
    "good morning :)",
    "thanks, that's all",
    "thx so much",
    "Hey, how are you?",
  ])("is nothing but that: %s", (message) => {
    expect(isSmallTalk(message)).toBe(true);
  });

  it.each(["", "ok", "again", "thanks, now send it", "hi can you help", "good night", "hello world program"])(
    "asks for nothing else: %j",
    (message) => {
      expect(isSmallTalk(message)).toBe(false);
    },
  );
});

const file = new URL("../../../gpu-worker/checkpoints/base/tokenizer.json", import.meta.url);
const { isWord } = createTokenizer(TokenizerFile.parse(JSON.parse(readFileSync(file, "utf8"))));
const read = (goal: string) => isEnglish(goal, isWord);

describe("a goal", () => {
  it.each([
    "Book a table at Osteria Francescana for Giulia and Marco",
    "Ship 40 pallets to Rotterdam",
    "CANCEL MY HOTEL RESERVATION IN ROME",
    "plese remnd me too cal the dentits tomorow at 9",
    "Translate this into English: 今天天气很好",
    "Check Deutsche Bahn trains Cologne to Berlin",
    "Call Oluwaseun Adeyemi",
    "Fix TypeError in fetchUserProfile useEffect",
    "npm install eslint prettier",
    "Restart PostgreSQL, Redis, RabbitMQ",
    "Refill metformin, lisinopril and atorvastatin",
    "Draft affidavit, subpoena duces tecum",
    "Book El Celler de Can Roca tonight",
    "Wire 500 EUR DE89370400440532013000",
    "Translate this into English: Liebe Bürgerinnen und Bürger, am Sonntag ist die Wahl. Die Lokale sind von 8 bis 18 Uhr offen",
    "Concatenate part1.txt and part2.txt",
    "déjà vu in one of my cafés",
    "merci",
    "42",
    "👍",
    "",
  ])("is taken for English: %s", (goal) => {
    expect(read(goal)).toBe(true);
  });

  it.each([
    "Bestell mir eine große Pizza mit Pilzen",
    "Compra dos entradas para el concierto del sábado",
    "Me gustaría cancelar la suscripción de mi cuenta",
    "Cancela mi suscripción",
    "Bestell eine Pizza",
    "Traduis cette phrase en anglais",
    "Cerca un idraulico vicino a casa mia",
    "Agende uma reunião com a Carla na terça",
    "Stuur een mailtje naar Piet over de vergadering",
    "Hitta billigaste tåget till Malmö",
    "Rezervă o masă pentru patru persoane",
    "把这个文件发给李雷",
    "カレンダーに会議を追加して",
    "Переведи это на английский",
    "احجز لي رحلة إلى دبي",
    "मेरा बैलेंस बताओ",
  ])("is known to be in another language: %s", (goal) => {
    expect(read(goal)).toBe(false);
  });
});
