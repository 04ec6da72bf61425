// Messages that only ask to see something, beside those that ask for what a program is to show.
import { expect, it } from "vitest";
import { readMessage } from "../../../../gpu-worker/planning/message/read-message.ts";
import { isOnlyQuestions } from "../../../../gpu-worker/planning/tools/no-changes.ts";

const isOnlyLooking = (text: string) => {
  const { parts, askings } = readMessage(text);
  return isOnlyQuestions({ parts, askings });
};

it.each([
  "Show me order 300",
  "Show me a list of my orders",
  "Please show my tasks",
  "Let me see my calendar",
])("only asks to see: %s", (text) => {
  expect(isOnlyLooking(text)).toBe(true);
});

it.each([
  "Would a dispute of the charge block my card?",
  "would anything break if we drop the table tmp?",
  "Would stopping web-1 lose any data?",
])("only asks what would be: %s", (text) => {
  expect(isOnlyLooking(text)).toBe(true);
});

it.each([
  "Would somebody close the ticket",
  "Would the bank freeze my card for me",
  "Would a refund be possible?",
])("may ask for a change: %s", (text) => {
  expect(isOnlyLooking(text)).toBe(false);
});

it.each([
  "Show us a spinner while the list is loading",
  "Show me a warning when the disk is full",
  "Show all errors in red",
  "Show our logo at the top of every page",
  "Show my name in the header instead of the address",
  "Show us the version next to the logo",
])("asks for a change: %s", (text) => {
  expect(isOnlyLooking(text)).toBe(false);
});

it.each([
  "job failed again, see why",
  "The nightly job failed again. Find out why.",
  "build failed on main, figure out why",
  "deploy broke prod, figure out what happened",
  "tests fail on main, see what is wrong",
  "see why prod is slow",
  "I was refunded twice, please check",
  "I think I left the garage open, can you look",
  "remind me what stage the deal is in",
  "Ben wants us to send the quote, should we?",
])("only asks for a look: %s", (text) => {
  expect(isOnlyLooking(text)).toBe(true);
});

it.each([
  "The job failed, see why and rerun it",
  "Job 12 failed. See why, then rerun it",
  "rerun what failed, see why",
  "deploy 2.4, see why",
  "I want a refund, please check",
  "remind me what to buy at 5",
  "delete failed runs. See why they fail",
  "see what you can do about the failing job",
  "figure out how to deploy it and do it",
])("asks for more than a look: %s", (text) => {
  expect(isOnlyLooking(text)).toBe(false);
});
