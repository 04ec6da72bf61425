// Later messages without a verb of their own: more of the same, and corrections.
import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../../../gpu-worker/planning/session/events.ts";
import { readFollowUp } from "../../../../gpu-worker/planning/session/follow-ups.ts";
import { leastMs } from "../../../support/least-ms.ts";

const tools = [
  { name: "list_events", effect: "look" },
  { name: "create_event", effect: "write" },
  { name: "update_event", effect: "write" },
  { name: "send_email", effect: "commit" },
  { name: "get_weather", effect: "look" },
  { name: "set_alarm", effect: "write" },
] as const;
const user = (text: string): SessionEvent => ({ kind: "user", text });
const called = (name: string, said = "ok"): SessionEvent[] => [
  { kind: "call", text: name },
  { kind: "result", text: said },
];
const raised = (...turns: SessionEvent[]) => {
  const { score: added } = readFollowUp(turns, tools, { repeated: 5, corrected: 2.5 });
  return tools.map(({ name }) => name).filter((name) => added(name) > 0);
};
const looked = [user("What is on Thursday?"), ...called("list_events")];
const booked = [user("Lunch with Bob on Friday"), ...called("list_events"), ...called("create_event")];

describe("more of the same", () => {
  it.each(["and Friday?", "what about Friday?", "ok, the same for Friday", "same on Friday please"])(
    "needs the calls for the message before: %s",
    (said) => {
      expect(raised(...looked, user(said))).toEqual(["list_events"]);
    },
  );

  it.each(["try again", "ok, use the other one then", "try it with UTC instead"])(
    "needs the call that failed: %s",
    (said) => {
      expect(raised(...looked, ...called("update_event", "Error: no such zone"), user(said))).toEqual([
        "update_event",
      ]);
      expect(raised(...looked, ...called("update_event"), user("try the soup"))).toEqual([]);
    },
  );

  it.each([
    "try to find her address",
    "take it easy, I'll do it",
    "try again tomorrow",
    "use list_events instead",
    "take a look at the list",
  ])("does not need it: %s", (said) => {
    expect(raised(...looked, ...called("update_event", "Error: no such zone"), user(said))).not.toContain(
      "update_event",
    );
  });

  it("needs the call that failed where the user agrees to another try, and else the user's own", () => {
    const failed = [...looked, ...called("update_event", "Error: slot is taken")];
    const after = (offered: string, said: string) =>
      raised(...failed, { kind: "assistant", text: offered }, user(said));
    expect(after("That slot is taken. Would Tuesday do?", "yes ok")).toEqual(["update_event"]);
    expect(after("That slot is taken.", "yes ok")).toEqual([]);
    expect(after("That slot is taken. Would Tuesday do?", "no")).toEqual([]);
    expect(after("That slot is taken. Shall I set an alarm?", "yes ok")).toEqual([]);
  });

  it("needs the only tool with the verb of an order for what the talk is about", () => {
    const boxed = (...more: string[]) =>
      readFollowUp(
        [...booked, user("oh, she can't come. cancel it please")],
        [...tools, ...more.map((name) => ({ name, effect: "write" as const }))],
        { repeated: 5, corrected: 2.5 },
      );
    expect(boxed("cancel_event").score("cancel_event")).toBe(2.5);
    expect(boxed("cancel_event", "cancel_order").score("cancel_event")).toBe(0);
    expect(raised(...booked, user("if she can't come, update it"))).toEqual([]);
    expect(raised(...booked, user("list them for me, then update it"))).toEqual([]);
  });

  it.each([
    ["actually, make that 17", 5],
    ["oops typo, 17", 5],
    ["make it 17", 2.5],
  ])("a correction of the last change counts most where it turns back: %s", (said, weight) => {
    const turns = [...booked, ...called("update_event"), user(said)];
    expect(readFollowUp(turns, tools, { repeated: 5, corrected: 2.5 }).score("update_event")).toBe(weight);
  });

  it("needs each of them once", () => {
    const again = [...booked, user("the same for Ann")];
    expect(raised(...again)).toEqual(["list_events", "create_event"]);
    expect(raised(...again, ...called("list_events"))).toEqual(["create_event"]);
    expect(raised(...again, ...called("list_events", "error: no access"))).toEqual([]);
  });

  it.each([
    "Ann too",
    "and 4472",
    "and order B-12 please",
    "and the other one",
    "and the other one too please",
    "room 12 as well",
    "that too",
  ])("is one thing more, for which the last change is made again: %s", (said) => {
    expect(raised(...booked, ...called("set_alarm", "error: no clock"), user(said))).toEqual([
      "list_events",
      "create_event",
    ]);
    const two = [user("Mail Bob and set an alarm"), ...called("send_email"), ...called("set_alarm")];
    expect(raised(...two, user(said))).toEqual(["set_alarm"]);
  });

  it("needs only what was looked up where the change depended on it", () => {
    const turns = [user("Move lunch if I'm free"), ...called("list_events"), ...called("update_event")];
    expect(raised(...turns, user("dinner too"))).toEqual(["list_events"]);
    expect(raised(...turns, user("dinner too"), ...called("list_events"))).toEqual([]);
  });

  it("needs that change more than what was looked up for it", () => {
    const turns = [...booked, user("Ann too")];
    const { score } = readFollowUp(turns, tools, { repeated: 5, corrected: 2.5 });
    expect([score("create_event"), score("list_events")]).toEqual([5, 2.5]);
  });

  it.each([
    "rename the file too",
    "email Bob too",
    "push as well",
    "delete those as well",
    "an alarm too",
    "and the weather",
    "his order too",
    "it is the same for Bob too",
    "the price of it too",
    "works for me too",
    "my wife likes the hotel too",
    "the last one failed too",
    "and the guests arrived",
    "2 done as well",
  ])("is none where the message has an order of its own, or names another tool: %s", (said) => {
    expect(raised(...booked, user(said))).toEqual([]);
  });

  it("goes back over messages that needed no call", () => {
    expect(raised(...booked, user("thanks"), user("the same for Ann"))).toEqual([
      "list_events",
      "create_event",
    ]);
  });

  it("changes nothing for a question", () => {
    expect(raised(...booked, user("and Ann?"))).toEqual(["list_events"]);
  });

  it("goes on from the request before a mere consent", () => {
    const agreed = [...looked, { kind: "assistant", text: "Shall I mail it?" } as const, user("yes")];
    expect(raised(...agreed, ...called("send_email"), user("now the same for Friday"))).toContain(
      "list_events",
    );
  });

  it.each([
    "and the weather?",
    "what about the weather there?",
    "and her meetings?",
    "how about their plans?",
  ])("is not asked for where another thing is: %s", (said) => {
    expect(raised(...looked, user(said))).toEqual([]);
  });

  it.each(["what about ", "and ", "and the ", "same as ", ".".repeat(20_000), "ok ".repeat(9_000)])(
    "is read in little time: %.12s",
    async (begin) => {
      const long = `${begin}${"a".repeat(2_000)}${" as a b".repeat(500)} ?.`;
      expect(await leastMs(50, () => raised(...looked, user(long)))).toBeLessThan(50);
    },
  );

  it.each(["and is Friday free?", "and can you cancel it?", "is it the same as last week?", "thanks"])(
    "is not asked for: %s",
    (said) => {
      expect(raised(...looked, user(said))).toEqual([]);
    },
  );

  it("is not asked for by a first message", () => {
    expect(raised(user("the same for Bob"))).toEqual([]);
  });
});

describe("a correction", () => {
  it.each([
    "make it Sunday",
    "no, make that noon",
    "sorry, I meant Saturday",
    "actually make the lunch earlier",
    "Sunday instead",
  ])("needs the last change again, or a tool that adjusts the same thing: %s", (said) => {
    expect(raised(...booked, user(said))).toEqual(["create_event", "update_event"]);
  });

  it("does not need what adjusts another thing, but for a number", () => {
    expect(raised(...booked, user("sorry, I meant Ann"))).toEqual(["create_event", "update_event"]);
    expect(raised(...booked, user("make it 3"))).toContain("set_alarm");
  });

  it("is none where another tool is named", () => {
    expect(raised(...booked, user("an email instead"))).toEqual([]);
  });

  it("needs the last change alone if that adjusts", () => {
    const moved = [user("Move lunch to 1"), ...called("update_event")];
    expect(raised(...moved, user("make it 2"))).toEqual(["update_event"]);
  });

  it("corrects nothing where nothing was changed", () => {
    expect(raised(...looked, user("make it Friday"))).toEqual([]);
  });
});

describe("the same for somebody else", () => {
  const isOpen = (...turns: SessionEvent[]) =>
    readFollowUp(turns, tools, { repeated: 5, corrected: 2.5 }).isOpen;

  it("is open until each call was made again", () => {
    const again = [...booked, user("the same for Ann"), ...called("list_events")];
    expect([isOpen(...again), isOpen(...again, ...called("create_event"))]).toEqual([true, false]);
  });

  it("is not open for a question, which one look may answer", () => {
    expect(isOpen(...booked, user("and Saturday?"), ...called("list_events"))).toBe(false);
  });
});
