// What a goal says not to do.
import { describe, expect, it } from "vitest";
import { asksNothing, readDenials } from "../../../../gpu-worker/planning/message/denials.ts";

const denied = (goal: string) => readDenials(goal).flatMap(({ text, things }) => (things ? [] : [text]));

describe("what a goal says not to do", () => {
  it.each<[goal: string, texts: string[]]>([
    ["Draft a letter to the landlord, but do not send it", ["send it"]],
    ["sort my photos by year, dont delete duplicates", ["delete duplicates"]],
    ["Never restart the server. Show me its logs.", ["restart the server."]],
    ["The slowest took 900 ms. Never restart the server", ["restart the server"]],
    ['She asks "Is it free?"\nNever answer her by mail', ["answer her by mail"]],
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
    ["Update the ticket without closing it", ["closing it"]],
    ["Save the draft without sending", ["sending"]],
    ["I didn't mean to close issue 5, reopen it", ["close issue 5"]],
    ["Could you not cancel the order but change its colour", ["cancel the order"]],
    ["Write the reply, I'll send it myself", ["send it myself"]],
    ["I've already paid the invoice, just file it", ["paid the invoice"]],
    ["Remove Peter from the list, but don't tell him", ["tell him"]],
    ["My parcel broke. I don't need a refund, send a new one", ["a refund"]],
    ["I don't want store credit, pay me back", ["store credit"]],
    ["Export the list to a file, not to the report", ["to the report"]],
    ["Fetch the spec and write types for it, no tests needed", ["tests needed"]],
    ["Forget the meeting. Just write to him.", ["the meeting."]],
    ["If it rains, move the picnic. Don't tell the guests yet.", ["tell the guests yet."]],
    ["Turn on the lamp without turning on the radio", ["turning on the radio"]],
    ["I don't want the file deleted, move it", ["the file deleted"]],
    ["I'll pay for it myself, book the hotel", ["pay for it myself"]],
    ["Merge it. No wait, don't merge it", ["merge it"]],
    ["Archive the mail instead of deleting it", ["deleting it"]],
    ["Rename it in all files and commit. No push.", ["push."]],
    ["The kids are asleep, so no music please", ["music please"]],
    ["Never mind the deploy. Revert the change", ["the deploy."]],
    ["Never mind the deploy", ["the deploy"]],
    ["Never mind the deploy, it's quiet today", ["the deploy"]],
    ["I don't need the deploy", []],
    ["Draft a reply, feel free not to send it yet", ["send it yet"]],
    ["Start the washing, you needn't fold it", ["fold it"]],
    ["Merge the contacts, delete nothing", ["delete"]],
    ["Call nobody. Text Leo that I am here", ["Call"]],
    ["Prepare the slides and print them once I've approved them", ["print them"]],
    ["Write to my landlord. Before sending show it to me", ["sending"]],
    ["check my balance, whatever you do don't transfer anything", ["transfer anything"]],
    ["Under no circumstances refund order 5, open a ticket", ["refund order 5"]],
    ["Write the post and make sure you don't publish it", ["publish it"]],
    ["Be careful not to email anybody, save a draft", ["email anybody"]],
    ["can u pls NOT merge stuff now. Find the timeout", ["merge stuff now."]],
    ["I'd never pay that. Show me the bill", ["pay that."]],
    ["I'd rather you didn't post it, show me the comments", ["post it"]],
    ["I don't feel like booking a hotel. Find a night train", ["booking a hotel."]],
    ["Not ready to withdraw yet, what would be available?", ["withdraw yet"]],
    ["can we skip posting it and only mail the team", ["posting it"]],
    ["You must never open the garage. Turn on the light", ["open the garage."]],
    ["Please do not try to restore it, list the backups", ["restore it"]],
    ["Nothing should be deleted. Show me the tables.", ["deleted."]],
    ["No refund, just send me a new one", ["refund"]],
    ["Delete the branch. Never mind.", ["Delete the branch."]],
    ["Merge PR 4. Scratch that.", ["Merge PR 4."]],
    ["Call mum. Never mind, text her", ["Call mum."]],
    ["Cancel my 3 o'clock. Actually, leave it, write that I'm late", ["Cancel my 3 o'clock."]],
    ["Close ticket 42. No, keep it open and assign it to Ana", ["Close ticket 42."]],
    ["Add Tom to the list, actually never mind", ["Add Tom to the list"]],
    ["Don't cancel the meeting after all", ["cancel the meeting after all"]],
    ["Don't refund him before the item is back", ["refund him before the item is back"]],
    ["Don't refund him before noon", []],
    ["Send her a notice. Actually, don't.", ["Send her a notice."]],
    ["Unlock the car, wait, no, lock it", ["Unlock the car"]],
    ["Refund the order. No, email the customer instead.", ["Refund the order."]],
    ["Sell 10 shares, sorry, buy 10", ["Sell 10 shares"]],
    ["I have already packed and printed the pass, order a taxi", ["packed", "printed the pass"]],
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
    ["depends on what is said after a title", "Don't book it with Dr. Weber if it costs over 50"],
    ["makes an exception", "don't delete anything besides the logs"],
    ["asks for the same elsewhere", "Never call my ex. Call my mum."],
    ["tells what was", "My statement says Kiosk. Never been there."],
    ["tells of the speaker", "I drive all week and never write down a kilometre"],
    ["tells of somebody", 'The nurse asks "how often?" and never writes it down'],
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
    ["is to be cancelled", "Forget the sushi order, everybody has eaten"],
    ["says how it is done", "Speed up the parser without changing its output"],
    ["tells what was done", "I drove on the A22 without paying the toll, so settle that"],
    ["is done for the speaker", "I want to order a pizza for myself"],
    ["asks for silence", "The advert is blaring, not a peep please"],
    ["is all that is said", "I don't want the red one"],
    ["has another branch", "Don't buy it. Otherwise we can't pay the rent."],
    ["is said in surprise", "The build is red again. Don't tell me it's the cache."],
    ["is the thing that another part means", "I don't need the light, turn it off"],
    [
      "is the other of two, and a later part means one",
      "Not the kitchen light, the bedroom light: turn it off",
    ],
    ["is a way and not the work", "Not a direct flight, any flight will do, book it"],
    ["suggests", "Would you not rather restart the server"],
    ["says who comes along", "I will travel by myself, book one seat"],
    ["is followed by a request too short for a part", "We've already backed up, deploy"],
    ["tells what is missing", "We have no milk, no bread. Order both"],
    ["tells what is missing before a request", "No power since noon, send somebody"],
    ["tells something", "Find a seat, no idea which row"],
    ["tells what was paid", "We swapped flats and paid nothing"],
    ["tells what did not come", "3 days gone and still nothing"],
    ["tells what somebody has not", "I only have an hour and no car, rent one"],
    ["is all but a thing", "Heat nothing but the bathroom to 22"],
    ["asks for silence", "Announce the upgrade, no alerts in that time"],
    ["tells what somebody may decide", "They want proof, before they let me in"],
    ["asks for the same after it", "Don't print it. Print the other one."],
    ["only mends the request", "Book a table for 2. Scratch that, for 4"],
    ["asks for the same thing otherwise", "Turn on the light. Forget it, turn on the fan"],
    ["only mends a word of the request", "Book a flight to Oslo. Scratch that, Bergen"],
    ["has the words in a title", "Play the album by Nirvana, Never Mind, and turn it up"],
    ["takes back a denial", "Don't send it. Actually, never mind, send it"],
    ["tells of the past", "I'd never seen such a mess. Clean up the folder"],
    ["asks for all", "Nothing should be missing from the report, send it to Bob"],
    ["has a short request behind it", "Can we skip running the tests? Just deploy"],
    ["has one behind it that is to be heeded", "Be careful not to spend over 50, order shoes"],
    ["says to whom instead", "Make sure you do not send it to Bob but to Ann"],
    ["names a place", "I'm not going to the party, tell Ann"],
    ["is a reason", "Cancel my order, I changed my mind"],
    ["is no request before it is dropped", "That washing machine we ordered, forget it"],
    ["is what somebody is told", "Send Ann a note saying sorry, never mind."],
    ["says in what state to leave a thing", "Stop the vacuum, leave it"],
    ["asks for the opposite of a state", "The last box shouldn't be ticked, the others are fine"],
    ["is all that is said", "Nothing should be deleted"],
    ["suggests", "Could we not move it to Friday"],
    ["is put more generally", "Book the Hilton. No, take the Ritz"],
    ["is added to", "Create a task for the milk. Sorry, add the eggs"],
    ["is mended by a day", "Book the hall for Friday, sorry, Saturday"],
    ["is mended by another thing", "Cancel my class on Monday, sorry, the one on Tuesday"],
    ["is mended by the same verb", "Send it to Bob. No, send it to Ana."],
    ["is followed by an apology", "Pay the bill. Sorry, forgot the number: 12"],
    ["is followed by more", "Pay the bill. Sorry, send it to Bob as well"],
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

  it("is the whole verb, unless only a place, a person or a way may be denied", () => {
    const wholly = (goal: string) => readDenials(goal).map(({ isWhole }) => isWhole);
    expect(wholly("Instead of paying it now, file the invoice")).toEqual([true]);
    expect(wholly("Tidy the folder, don't delete anything yet")).toEqual([true]);
    expect(wholly("I've already paid the invoice, just file it")).toEqual([true]);
    expect(wholly("Order the lamp, but don't send it to the office")).toEqual([false]);
    expect(wholly("Don't book that train, take the next")).toEqual([false]);
  });

  it("has the verb's present forms", () => {
    const verbs = (goal: string) => readDenials(goal)[0]!.verbs;
    expect(verbs("I already paid the invoice, just file it")).toContain("pay");
    expect(verbs("We've already cancelled the room, book another one")).toContain("cancel");
    expect(verbs("Update the ticket without closing it")).toContain("close");
  });

  it("has the index of its part", () => {
    expect(readDenials("Find the Q3 deck. Don't share it with anybody.")[0]!.part).toBe(1);
  });
});

describe("a message", () => {
  it.each([
    "Close the ticket. No, keep it.",
    "Stop the sprinkler. No, leave it running, thanks.",
    "Book spin for Friday. Never mind.",
    "Add Tom to the members, actually never mind",
    "Send her a notice. Actually, don't.",
    "Cancel yoga. Wait, no, don't cancel it",
    "Don't send it",
  ])("asks for nothing: %s", (goal) => {
    expect(asksNothing(goal)).toBe(true);
  });

  it.each([
    "Close the ticket. No, keep it and assign it to Ana.",
    "Find the order and refund it. Never mind.",
    "Sell 10 shares, sorry, buy 10",
    "Don't renew my insurance",
    "Don't send it, show it to me first",
    "Let me see it before you post it",
    "thanks",
    " ",
  ])("may ask for something: %s", (goal) => {
    expect(asksNothing(goal)).toBe(false);
  });
});

describe("what is denied of one thing alone, since another part asks for the verb", () => {
  const ofThings = (goal: string) => readDenials(goal).flatMap(({ things = [] }) => things);

  it.each<[goal: string, things: string[]]>([
    ["Book the cheapest flight and find a hotel, but don't book the hotel", ["hotel"]],
    ["Never call my ex. Call my mum.", ["ex"]],
    ["Send the summary, don't send the raw data to Bob", ["raw", "data"]],
    ["Don't pay the invoice of Acme, pay the other one", []],
    ["Don't book the hotel with the pool, book the hotel by the lake", []],
    ["Send it to Ana. Don't send it to Bob", []],
  ])("%s", (goal, things) => {
    expect(ofThings(goal)).toEqual(things);
  });

  it("what is only to be written asks for nothing", () => {
    expect(denied("Draft a reply saying we'll send it tomorrow. Don't send it yet")).toEqual(["send it yet"]);
  });
});
