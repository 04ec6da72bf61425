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
