// What a message says without asking for anything.
import { describe, expect, it } from "vitest";
import {
  isRemark,
  isSmallTalk,
  isThanks,
  tellsEvent,
} from "../../../../gpu-worker/planning/message/remarks.ts";
import { leastMs } from "../../../support/least-ms.ts";

it.each([
  "ok",
  "Oh no!",
  "good morning",
  "perfect, thanks.",
  "the files are in now.",
  "Tom can't",
  "My card was stolen",
  "The errors stopped on their own",
  "You refunded me the wrong amount.",
  "the pool failed its inspection",
  "Dr Feld called in sick for Wednesday.",
])("%s: a remark", (part) => expect(isRemark(part)).toBe(true));

it.each([
  "cancel it",
  "you need to cancel it",
  "good seats for two",
  "make sure the door is locked",
  "the bill has to be paid",
  "my order needs a new address",
  "what is in it",
  "Is the room free?",
  "please check what was ordered",
  "Replace the expired card",
  "restart crashed pods",
  "retry the failed payment",
  "You feed the cat at five",
])("%s: no remark", (part) => expect(isRemark(part)).toBe(false));

it.each([
  ["ticket 44 was closed by mistake", true],
  ["Checkout crashed after the deploy", true],
  ["The courier came while I was out", true],
  ["My flight got cancelled", true],
  ["Mum rang about the florist", true],
  ["I fixed the typo in README.md, commit", false],
  ["Login broke with 4.2. Read auth.ts", false],
  ["she wants a single", false],
  ["my new address is 8 Elm Row", false],
  ["he has asked to be erased", false],
  ["also is it going to be icy tomorrow", false],
  ["close the ticket that was opened", false],
  ["I got the parcel yesterday", true],
  ["I've got bracket.stl", false],
  ["We have got three guests", false],
])("%s: tells what happened: %s", (part, told) => expect(tellsEvent(part)).toBe(told));

it("takes a message for thanks only if it is short", () => {
  expect(isThanks("great, thanks a lot")).toBe(true);
  expect(isThanks("move it to Friday")).toBe(false);
  expect(
    isThanks(`Thanks. Then move the ${"very ".repeat(12)}long meeting to Friday and tell everybody`),
  ).toBe(false);
});

it.each([
  "ok thanks for sorting it",
  "yes perfect",
  "not now, thanks",
  "looks great!",
  "that's perfect, bye",
])("takes %j for thanks", (message) => expect(isThanks(message)).toBe(true));

it.each([
  "works, but show a thank you message after sending",
  "make the header look great",
  "redirect to the thank you page",
  "name the list Great Tits",
])("takes %j for no thanks", (message) => expect(isThanks(message)).toBe(false));

it("reads repeated words of thanks before another word at once", async () => {
  const thanks = `${"thank ".repeat(24)}0`;
  expect(isRemark(thanks)).toBe(false);
  expect(await leastMs(500, () => isRemark(thanks))).toBeLessThan(500);
});

it("reads a long part in the time that it is long", async () => {
  const parts = ["ok ".repeat(700), "no! ".repeat(500), "a ".repeat(1_000), `${"well, ".repeat(300)}x`];
  expect(await leastMs(50, () => parts.map(isRemark))).toBeLessThan(50);
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
