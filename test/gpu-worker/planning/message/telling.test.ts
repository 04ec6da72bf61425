// What is only to be told to somebody.
import { describe, expect, test } from "vitest";
import { readTold } from "../../../../gpu-worker/planning/message/telling.ts";

describe("readTold", () => {
  test.each([
    "let Bob know the invoice is paid",
    "let my bank know i'll be in ireland",
    "Tell Bob the invoice is paid",
    "tell bob it's paid",
    "and then please tell her that it is done",
    "could you inform the finance team that we are late",
    "warn the guests that the party is off",
    "Tell Bob to pay the invoice",
    "Remind Bob to pay the invoice",
    "Ask Bob whether the invoice is paid",
    "ask whether she wants unpaid leave",
    "If so, tell them I agree",
    "Email Anna that the flight is booked",
    "text my sister that I am late",
    "tell Mia her branch is merged",
    "text my boss Renate that I won't be in tomorrow",
    "ping my sister that the key's under the pot",
    "let Ms Hart know Ben won't be in today",
    "Tell Aunt Vera we landed safely",
    "tell the airline I will be late",
    "tell the practice I'm running ten minutes late",
    "tell the hotel we're not there until midnight",
    "text the babysitter we'll be back by eleven",
  ])("%s: a statement, told as it is", (part) => {
    expect(readTold(part)).toBe("statement");
  });

  test.each([
    "tell Bob",
    "let the hotel know",
    "Inform the client about the delay",
    "tell Anna what the weather is in Rome",
    "let her know when it arrives",
    "message the team",
    "tell Bob the total that is due",
    "tell Anna the date we agreed on",
    "tell Bob the way to the office",
    "text him whichever is safer",
    "tell the customer we've got it or not",
  ])("%s: may have to be looked up", (part) => {
    expect(readTold(part)).toBe("other");
  });

  test.each([
    "Remind me to pay the invoice",
    "and please remind us at six to ring him",
    "remind me when I get home to lock the shed",
    "remind me about the ladder",
    "remind me the day before to pack",
  ])("%s: the speaker, by a reminder", (part) => {
    expect(readTold(part)).toBe("reminder");
  });

  test.each([
    "let me know when it is booked",
    "and let me know as soon as it's confirmed",
    "tell me once the invoice is paid",
    "let us know if the rate drops below 900",
  ])("%s: the speaker, as news", (part) => {
    expect(readTold(part)).toBe("news");
  });

  test.each([
    "remind me what a median is",
    "remind me of my account number",
    "remind me when my flight is",
    "remind me the wifi password",
    "Remind me, what did we decide?",
    "Remind me",
    "let me know if you can move the meeting",
    "let me know when the next meeting is",
    "let me know if the build is green, then push",
    "tell me when the train leaves",
    "tell the bank to block my card",
    "let the app store know to use the other card",
    "tell the vet we're not coming",
    "tell the bank that my card was stolen",
    "tell the insurer's system I moved",
    "tell me the weather",
    "let you know the cost",
    "can you tell time in Dallas",
    "Can you tell when this will go through?",
    "tell my seat assignment",
    "tell it to stop",
    "tell Alexa to turn off the light",
    "tell the robot to clean the hall",
    "tell a story about a fox",
    "tell whether it is open",
    "inform that I need a new line",
    "Email Summary Agent",
    "Text Extraction with a parser",
    "message templates",
    "pay the invoice",
    "don't tell Bob",
    "tell Claude to fix the tests",
    "tell Jenkins to build main",
    "tell Spotify to play jazz",
    "tell nginx to reload",
    "tell from the photo what it is",
    "inform yourself about the new rules",
    "ping database",
    "Ping Redis",
    "ping the database host",
    "ping the customer database",
    "notify the user interface of the change",
    "notify on failure",
    "warn if the disk is full",
    "let the dough rest",
    "I will tell Bob it's paid",
    "can I tell Bob it's paid?",
    "I tell her in person",
    "Let Jonas know by e-mail once you've called off the stand-up",
    "tell her it's fixed after restarting the server",
  ])("%s: something else", (part) => {
    expect(readTold(part)).toBeUndefined();
  });
});
