// Later messages without a verb of their own: more of the same, and corrections.
import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../../../gpu-worker/planning/session/events.ts";
import { readFollowUp } from "../../../../gpu-worker/planning/session/follow-ups.ts";

const tools = [
  { name: "list_events", effect: "look" },
  { name: "create_event", effect: "write" },
  { name: "update_event", effect: "write" },
  { name: "send_email", effect: "commit" },
] as const;
const user = (text: string): SessionEvent => ({ kind: "user", text });
const called = (name: string, said = "ok"): SessionEvent[] => [
  { kind: "call", text: name },
  { kind: "result", text: said },
];
const raised = (...turns: SessionEvent[]) => {
  const added = readFollowUp(turns, tools, { repeated: 5, corrected: 2.5 });
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

  it("needs each of them once", () => {
    const again = [...booked, user("the same for Ann")];
    expect(raised(...again)).toEqual(["list_events", "create_event"]);
    expect(raised(...again, ...called("list_events"))).toEqual(["create_event"]);
    expect(raised(...again, ...called("list_events", "error: no access"))).toEqual([]);
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
  it.each(["make it 2 pm", "no, make that 2 pm", "sorry, I meant Saturday", "2 pm instead"])(
    "needs the last change again, or a tool that adjusts: %s",
    (said) => {
      expect(raised(...booked, user(said))).toEqual(["create_event", "update_event"]);
    },
  );

  it("needs the last change alone if that adjusts", () => {
    const moved = [user("Move lunch to 1"), ...called("update_event")];
    expect(raised(...moved, user("make it 2"))).toEqual(["update_event"]);
  });

  it("corrects nothing where nothing was changed", () => {
    expect(raised(...looked, user("make it Friday"))).toEqual([]);
  });
});
