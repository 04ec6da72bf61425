import { describe, expect, test } from "vitest";
import { createSealer, restoreAdded } from "../../../../edge/dialects/provider/bound-thinking.ts";
import type { ChatEvent, ChatMessage, ContentPart } from "../../../../shared/chat.ts";
import { leastMs } from "../../../support/least-ms.ts";
import { say } from "../../support/conversation.ts";
import { chatRequest } from "../replay.ts";

const added = { texts: ["[svc plan] do it", "and ünïcode \u{1F600}"], place: "into" } as const;
const sealerOf = (model: string, more: object = added) =>
  createSealer(chatRequest({ added: { ...added, ...more, texts: [...added.texts] } }), model);
const signed = (signature: string): ChatEvent => ({ type: "signature", choice: 0, block: 0, signature });
const seal = (signature: string, more?: object): string => {
  const event = sealerOf("claude-opus-5-5", more)!(signed(signature));
  return event.type === "signature" ? event.signature : "";
};
const thought = (signature: string): ContentPart => ({ type: "reasoning", text: "so", signature });
const result: ContentPart = { type: "tool-result", toolCallId: "c", content: [] };
const restore = (...messages: ChatMessage[]) => restoreAdded(chatRequest({ messages })).messages;

describe("the models whose thinking is bound", () => {
  test.each([
    "claude-opus-5-5",
    "claude-opus-5.1",
    "anthropic/claude-sonnet-5.5",
    "claude-haiku-5-5-20261101",
    "claude-fable-5-1",
    "claude-mythos-5-2",
    "claude-opus-6",
    "claude-sonnet-10",
  ])("%s is one", (model) => expect(sealerOf(model)).toBeDefined());

  test.each([
    "claude-opus-5",
    "claude-opus-5-20260901",
    "claude-sonnet-4-6",
    "anthropic/claude-opus-4.8",
    "claude-mythos-5-1",
    "claude-fable-5",
    "openai/gpt-5.5",
  ])("%s is none", (model) => expect(sealerOf(model)).toBeUndefined());
});

describe("what was added", () => {
  test("is in the first signature of an answer, and in no other", () => {
    const sealer = sealerOf("claude-opus-5-5")!;
    const events = [signed("first"), signed("second")].map(sealer);
    expect(events[0]).toMatchObject({ signature: expect.stringMatching(/^svc_added_1\.[\w-]+\.first$/) });
    expect(events[1]).toEqual(signed("second"));
  });

  test("stands again where it stood: at the end of the newest turn of user or tool", () => {
    const asked = say("assistant", thought(seal("sig==")), {
      type: "tool-call",
      id: "c",
      name: "n",
      arguments: "{}",
    });
    expect(restore(say("user", "goal"), say("system", "brief"), asked, say("user", result))).toEqual([
      say("user", "goal", ...added.texts),
      say("system", "brief"),
      { ...asked, parts: [thought("sig=="), asked.parts[1]!] },
      say("user", result),
    ]);
  });

  test("is a turn of its own again, if it was one", () => {
    const asked = say("assistant", thought(seal("s", { place: "new-turn" })));
    expect(restore(say("user", "goal"), say("tool", result), asked)).toEqual([
      say("user", "goal"),
      say("tool", result),
      say("user", ...added.texts),
      say("assistant", thought("s")),
    ]);
  });

  test("is read once for an answer, and for each answer of a long conversation", () => {
    const turn = [say("user", "q"), say("assistant", thought(seal("a")), thought(seal("b")))];
    const one = [say("user", "q", ...added.texts), say("assistant", thought("a"), thought("b"))];
    expect(restore(...turn, ...turn)).toEqual([...one, ...one]);
  });

  test("is put back once for a turn, however many seals a caller writes after it", async () => {
    const many = Array.from({ length: 8_000 }, () => say("assistant", thought(seal("s"))));
    const restoreMany = () => restore(say("user", "q"), ...many);
    expect(await leastMs(1_500, restoreMany)).toBeLessThan(1_500);
    const [first, ...others] = restoreMany();
    expect(first).toEqual(say("user", "q", ...added.texts));
    expect(others).toHaveLength(8_000);
  });

  test("is not sealed if it is too long", () => {
    expect(
      createSealer(chatRequest({ added: { texts: ["x".repeat(8_192)], place: "into" } }), "claude-opus-5-5"),
    ).toBeUndefined();
  });
});

test.each([
  ["no seal", "c2lnbmF0dXJl"],
  ["a seal of another kind", "svc1.e30"],
])("a request with %s stays as it is", (_what, signature) => {
  const request = chatRequest({ messages: [say("user", "q"), say("assistant", thought(signature))] });
  expect(restoreAdded(request)).toBe(request);
});

test.each(["svc_added_1.", "svc_added_1.%%%.own", "svc_added_1.e30.own", "svc_added_1.bnVsbA.own"])(
  "a seal that was not written here, %s, adds nothing",
  (signature) => {
    const [first] = restore(say("user", "q"), say("assistant", thought(signature)));
    expect(first).toEqual(say("user", "q"));
  },
);
