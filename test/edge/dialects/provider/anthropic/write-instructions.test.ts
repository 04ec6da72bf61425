// Instructions in the middle of a conversation: in their place where the model takes them, in words where not.
import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../../../../shared/chat.ts";
import { say } from "../../../support/conversation.ts";
import { write } from "./written-request.ts";

describe("instructions in mid-conversation", () => {
  const opus = "claude-opus-4-8";
  const text = (words: string) => ({ type: "text", text: words });
  const asked = say("user", "Hi");
  const answered = say("assistant", "Hello.");
  const brief = say("developer", "Be brief.");
  const german = say("system", "Speak German.");

  it.each<[string, ChatMessage[], object[], object[]]>([
    [
      "stay after the user's turn",
      [say("system", "A"), asked, brief, answered, asked],
      [text("A")],
      [
        { role: "user", content: [text("Hi")] },
        { role: "system", content: [text("Be brief.")] },
        { role: "assistant", content: [text("Hello.")] },
        { role: "user", content: [text("Hi")] },
      ],
    ],
    [
      "stand behind all that the user says before the answer, joined",
      [asked, brief, say("user", "You?"), german],
      [],
      [
        { role: "user", content: [text("Hi"), text("You?")] },
        { role: "system", content: [text("Be brief."), text("Speak German.")] },
      ],
    ],
    [
      "after a turn of the model's wait for the user's",
      [asked, answered, brief, say("user", "You?")],
      [],
      [
        { role: "user", content: [text("Hi")] },
        { role: "assistant", content: [text("Hello.")] },
        { role: "user", content: [text("You?")] },
        { role: "system", content: [text("Be brief.")] },
      ],
    ],
    [
      "that no turn of the user's follows are the system's",
      [asked, answered, brief],
      [text("Be brief.")],
      [
        { role: "user", content: [text("Hi")] },
        { role: "assistant", content: [text("Hello.")] },
      ],
    ],
  ])("%s", (_how, messages, system, expected) => {
    const { body: sent, unsupported } = write({ messages }, opus);
    expect(sent.system ?? []).toEqual(system);
    expect(sent.messages).toEqual(expected);
    expect(unsupported).toEqual([]);
  });
});
