import { describe, expect, it } from "vitest";
import { readTranscript } from "../../../scripts/eval/transcripts.ts";

describe("a goal that is a transcript", () => {
  it.each([
    ["in one line", "user: Find food. system: Which cuisine? user: Asian, please."],
    ["in lines", "user: Find food.\nsystem: Which cuisine?\nuser: Asian, please."],
    [
      "with blank lines and other names",
      "user: Find food.\n\nassistant:  Which cuisine?\nuser:\nAsian, please.\n",
    ],
  ])("%s is its turns", (_name, goal) => {
    expect(readTranscript(goal)).toEqual([
      { kind: "user", text: "Find food." },
      { kind: "assistant", text: "Which cuisine?" },
      { kind: "user", text: "Asian, please." },
    ]);
  });

  it("of one turn is what the user says", () => {
    expect(readTranscript("user: Find food.")).toEqual([{ kind: "user", text: "Find food." }]);
  });

  it("keeps a speaker's own name, and names inside of words, as text", () => {
    expect(readTranscript("user: Tell the user: hello. And superuser: no. system: Done.")).toEqual([
      { kind: "user", text: "Tell the user: hello. And superuser: no." },
      { kind: "assistant", text: "Done." },
    ]);
  });

  it.each([
    "",
    "Find food",
    "system: be brief",
    "The user: somebody",
    "user:name is taken",
    "User story: as a cook",
  ])("is not %j", (goal) => {
    expect(readTranscript(goal)).toEqual([]);
  });
});
