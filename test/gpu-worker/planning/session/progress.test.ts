// How far the calls have got with what a message asks for, where no word of a tool's name tells it.
import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../../../gpu-worker/planning/session/events.ts";
import { readProgress } from "../../../../gpu-worker/planning/session/progress.ts";

const user = (text: string): SessionEvent => ({ kind: "user", text });
const called = (name: string, said = "ok"): SessionEvent[] => [
  { kind: "call", text: name },
  { kind: "result", text: said },
];
const tools = [
  { name: "start_vacuum", effect: "write" },
  { name: "add_tag", effect: "write" },
  { name: "browser_click", effect: "write" },
  { name: "edit_file", effect: "write" },
  { name: "bash", effect: "write" },
  { name: "get_status", effect: "look" },
] as const;
const progress = (asked: string, ...names: string[]) =>
  readProgress([user(asked), ...names.flatMap((name) => called(name))], tools);

describe("as many changes as the message asks for", () => {
  it("are counted where each call does a whole thing", () => {
    expect(progress("ok it is free again, try again", "start_vacuum")).toBe("counted");
  });

  it.each([
    ["put the socks in the basket", "browser_click"],
    ["make it case-insensitive", "edit_file"],
    ["clean the disk", "bash"],
  ])("are not where a call is a step among many: %s", (asked, name) => {
    expect(progress(asked, name)).toBe("even");
  });

  it("are where other calls looked for its other parts", () => {
    expect(
      progress("Check the pump, then look at the valve and restart it", "get_status", "start_vacuum"),
    ).toBe("behind");
    expect(
      progress("Check the pump. Look at the valve. Restart it.", "get_status", "get_status", "start_vacuum"),
    ).toBe("counted");
  });

  it("are not where a look only served a change, and another one is ordered", () => {
    expect(progress("put the hall first, and then tag the red one", "get_status", "start_vacuum")).toBe(
      "unclear",
    );
    expect(
      progress("put the hall first, and then tag the red one", "get_status", "start_vacuum", "add_tag"),
    ).not.toBe("unclear");
    expect(progress("look how the hall is, and do it", "get_status", "start_vacuum")).not.toBe("unclear");
  });

  it("are not once one of the calls was such a step", () => {
    expect(progress("reserve the blue one", "browser_click", "start_vacuum")).toBe("even");
  });

  it.each(["put both under light", "mark every open one as a bug", "all pending ones of my team are fine"])(
    "are not where several things are meant: %s",
    (asked) => {
      expect(progress(asked, "add_tag")).toBe("even");
    },
  );
});

describe("a look after a change", () => {
  it("verifies it", () => {
    expect(progress("restart it, then confirm that it is healthy", "start_vacuum", "get_status")).toBe(
      "verified",
    );
  });

  it("verifies nothing where nothing was changed, or a part is not served", () => {
    expect(progress("restart the pump", "get_status")).toBe("unclear");
    expect(
      progress("Restart the pump. Then tag it as old. Then open the blinds.", "start_vacuum", "get_status"),
    ).toBe("behind");
  });
});

describe("work is finished", () => {
  const progressOf = (...turns: SessionEvent[]) => readProgress(turns, tools);
  const tagged = [user("Tag the red one"), ...called("add_tag")];

  it.each([
    "why did you tag it?",
    "hm, how come you didn't ask?",
    "ok, what did you change?",
    "what files did you change in total?",
    "why had you not tagged it before, it was only the colour?",
    "did you tell them that it is red?",
    "how would you go about tagging all of them?",
  ])("where the user asks for the assistant's reasons or deeds: %s", (said) => {
    expect(progressOf(...tagged, user(said))).toBe("finished");
  });

  it.each([
    "Fine, I'll wait.",
    "let me think about it",
    "no I'll do it later myself. what did you change in total?",
    "no wait, I miscounted. leave it",
    "ok, maybe later. thanks",
    "not now",
  ])("where the user puts the rest off, or takes it on: %s", (said) => {
    expect(progressOf(...tagged, user(said))).toBe("finished");
  });

  it.each([
    "I'll wait for your mail, send it",
    "not now, tag the blue one first",
    "leave it. Tag the blue one",
    "did you see the blue one? tag it",
    "let me think about it and remind me tomorrow",
    "maybe tomorrow",
  ])("not where something else is asked for: %s", (said) => {
    expect(progressOf(...tagged, user(said))).not.toBe("finished");
  });

  it.each(["ok good", "got it", "I see", "makes sense"])(
    "thanks, where a message only agrees: %s",
    (said) => {
      expect(progressOf(...tagged, user(said))).toBe("thanked");
      expect(progressOf(...tagged, user(`${said} and now tag the blue one`))).not.toBe("thanked");
    },
  );

  it.each([
    "why is it red?",
    "why did it fail?",
    "why did you tag it? remove it",
    "why did you tag it, please remove it",
    "what did they change?",
  ])("not where the question is about something else, or more is asked: %s", (said) => {
    expect(progressOf(...tagged, user(said))).not.toBe("finished");
  });

  it.each([
    "The user denied this operation.",
    "The user doesn't want to proceed with this tool use. The tool use was rejected.",
    "Error: tool call was rejected by the user",
    "exec command rejected by user",
  ])("for now where the user did not allow a call: %s", (said) => {
    expect(progressOf(user("Clean the disk"), ...called("bash", said))).toBe("finished");
  });

  it.each([
    "user u12 was denied by policy 4",
    "The user declined the quote on 3 May.",
    "Order 12 was declined by the user",
  ])("not where a result tells that somebody was denied something: %s", (said) => {
    expect(progressOf(user("Look at the log"), ...called("get_status", said))).not.toBe("finished");
  });
});
