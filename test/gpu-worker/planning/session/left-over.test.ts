// What a message still asks for once a call has served a part of it.
import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../../../gpu-worker/planning/session/events.ts";
import { readLeftOver } from "../../../../gpu-worker/planning/session/left-over.ts";
import { leastMs } from "../../../support/least-ms.ts";

const tools = [
  { name: "list_lights", effect: "look" },
  { name: "turn_off", effect: "write" },
  { name: "add_task", effect: "write" },
  { name: "refund_order", effect: "commit" },
  { name: "merge_pr", effect: "commit" },
  { name: "close_issue", effect: "write" },
  { name: "send_message", effect: "commit" },
  { name: "run_lint", effect: "look" },
  { name: "make_chart", effect: "write" },
] as const;
const user = (text: string): SessionEvent => ({ kind: "user", text });
const called = (name: string, args: object = {}, said = "ok"): SessionEvent[] => [
  { kind: "call", text: name, args: JSON.stringify(args) },
  { kind: "result", text: said },
];
const read = (...turns: SessionEvent[]) => {
  const { score, isOpen } = readLeftOver(turns, tools, { nextItem: 5, tells: 2 });
  return { likelier: tools.map(({ name }) => name).filter((name) => score(name) > 0), isOpen };
};

describe("a list in the message", () => {
  it.each([
    ["add milk, eggs and bread to my list", "milk"],
    ["add milk and eggs to my list", "milk"],
    ["remind a@x.example and b@x.example", "a@x.example"],
    ["close issues 4 and 9", "4"],
    ["bump package.json and Cargo.toml", "/repo/package.json"],
    ["invite Ann and Bob", "Ann"],
  ])("is called for thing by thing: %s", (said, title) => {
    expect(read(user(said), ...called("add_task", { title }))).toEqual({
      likelier: ["add_task"],
      isOpen: true,
    });
  });

  it.each<[string, string | string[], string[]]>([
    ["add milk, eggs and bread", ["milk", "eggs"], ["eggs", "bread"]],
    ["add milk and call Bob", ["milk"], ["milk"]],
    ["rename it to draft and close", ["draft"], ["order"]],
    ["type hints for a.py, lint it, and commit", ["a.py"], ["a.py"]],
    ["take order 91200 and 3", ["order"], ["order"]],
    ["book a hotel in Austin, Texas", "Austin", ["order"]],
    ["show it to Kim, Tom already has it", "Kim", ["order"]],
    ["forward it to Kim and CC nobody", "Kim", ["order"]],
    ["set it to 21, 19 is too cold", "21", ["order"]],
    ["keep it free between 10 and 12", "10", ["order"]],
    ["pay 4 and 5 days later remind me", "4", ["order"]],
    ["plan lunch, thursday, and keep it short", "lunch", ["order"]],
    ["invite Ann and Bob", ["Ann", "B. Smith"], ["order"]],
  ])("is done, or none: %s", (said, first, second) => {
    const calls = [...called("add_task", { titles: second }), ...called("add_task", { titles: first })];
    expect(read(user(said), ...calls)).toEqual({ likelier: [], isOpen: false });
  });
});

describe("what is still to be done", () => {
  it.each(["turn it off and tell #ops", "turn it off, then let Ann know", "turn it off and message my boss"])(
    "is to tell somebody: %s",
    (said) => {
      expect(read(user(said), ...called("turn_off")).likelier).toEqual(["send_message"]);
      expect(read(user(said), ...called("turn_off"), ...called("send_message")).likelier).toEqual([]);
    },
  );

  it("is no message to the user, nor one that may not be due", () => {
    for (const said of ["tell me", "tell Ann if it fails", "tell the difference"])
      expect(read(user(`turn it off and ${said}`), ...called("turn_off")).likelier).toEqual([]);
  });

  it("is the first order that a tool is named after and no call has served", () => {
    const merged = called("merge_pr", {}, "merged");
    expect(read(user("merge 22 and close 19"), ...merged)).toEqual({
      likelier: ["close_issue"],
      isOpen: true,
    });
    expect(read(user("merge 22 and close 19"), ...merged, ...called("close_issue")).isOpen).toBe(false);
    expect(read(user("merge 22, rebase the rest and close 19"), ...merged).isOpen).toBe(false);
    for (const said of ["make 19 urgent", "refund status", "close friends stay"])
      expect(read(user(`merge 22 and ${said}`), ...merged)).toEqual({ likelier: [], isOpen: false });
    expect(read(user("merge 22 and close 19"), ...called("merge_pr", {}, "Error: conflict")).isOpen).toBe(
      false,
    );
  });

  it("waits for a change where it depends on something", () => {
    const said = user("list lights, and if one is on, close 19");
    expect(read(said, ...called("list_lights")).isOpen).toBe(false);
  });
});

it.each(["and then ", "the a ", "a, ", "1 and ", '"a":"1",'])(
  "reads long texts of %j in little time",
  async (text) => {
    const turns = [user(`all ${text.repeat(2_000)}`), ...called("turn_off", { id: text.repeat(500) })];
    expect(await leastMs(50, () => read(...turns))).toBeLessThan(50);
  },
);

describe("a thing of a list that another tool was called for", () => {
  const said = user("tag WEB-12 and WEB-15, and close issues WEB-12 and WEB-15");
  const tagged = ["WEB-12", "WEB-15"].flatMap((title) => called("add_task", { title }));

  it("is still to be called for with this one", () => {
    expect(read(said, ...tagged, ...called("close_issue", { key: "WEB-12" }))).toEqual({
      likelier: ["close_issue"],
      isOpen: true,
    });
  });

  it("is not where the call commits: what was looked up may not be meant", () => {
    const looked = ["9120", "9130"].flatMap((id) => called("list_lights", { id }));
    const refund = called("refund_order", { id: "9120" });
    expect(
      read(user("compare orders 9120 and 9130 and refund the dearer one"), ...looked, ...refund).isOpen,
    ).toBe(false);
  });
});

describe("both of two things", () => {
  const once = (said: string, args: object = { id: "B77" }) =>
    read(user("x"), { kind: "assistant", text: "y" }, user(said), ...called("turn_off", args)).isOpen;

  it.each(["cancel both please", "block both", "share it with both of them", "nudge both, ask Matti"])(
    "take two calls: %s",
    (said) => {
      expect(once(said)).toBe(true);
      const second = called("turn_off", { id: "B78" });
      expect(read(user(said), ...called("turn_off", { id: "B77" }), ...second).isOpen).toBe(false);
    },
  );

  it.each([
    "yes both",
    "do both",
    "both said yes",
    "a rash on both arms",
    "I like both the fan and the lamp",
    "I like both. Stop the first",
    "compare both and stop the louder one",
    "check them both, then stop the late one",
  ])("are not meant: %s", (said) => {
    expect(once(said)).toBe(false);
  });

  it.each(["reserve it, and Emma too", "tag the hall and the kitchen as well please"])(
    "are named, the second one behind the first: %s",
    (said) => {
      expect(once(said)).toBe(true);
      expect(once(said, { ids: ["B77", "Emma", "the kitchen"] })).toBe(false);
    },
  );

  it.each([
    "reserve it, and tell the porter too",
    "restart web and check logs too",
    "book the flight and find hotels too",
    "charge him 20 and text him too",
  ])("are not where the second is an order of its own: %s", (said) => {
    expect(once(said)).toBe(false);
  });

  it("are done by a call that took them both", () => {
    expect(once("mail both", { to: ["a@x.example", "b@x.example"] })).toBe(false);
    expect(once("mail both", { to: "a@x.example, b@x.example" })).toBe(false);
  });
});

describe("what the assistant has just named", () => {
  const after = (said: string) =>
    read(
      user("Which orders are open?"),
      { kind: "assistant", text: "Two: 901 and 902." },
      user(said),
      ...called("refund_order", { order: "901" }),
    );

  it("is worked through where the message means it", () => {
    expect(after("refund them")).toEqual({ likelier: ["refund_order"], isOpen: true });
    expect(after("ok, refund all of them please")).toEqual({ likelier: ["refund_order"], isOpen: true });
  });

  it.each([
    "refund 901",
    "refund 901, that's all",
    "refund 901 and let them know",
    "refund the cheaper of them",
    "not all, refund the first",
    "compare them and refund the dearer one",
    "all right, refund the newer order",
  ])("is done with one call where the message means one: %s", (said) => {
    const { likelier, isOpen } = after(said);
    expect(isOpen || likelier.includes("refund_order")).toBe(false);
  });
});
