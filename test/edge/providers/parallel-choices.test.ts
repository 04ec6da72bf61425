import { describe, expect, test } from "vitest";
import type { CallContext } from "../../../edge/providers/call.ts";
import { callForChoices } from "../../../edge/providers/choices.ts";
import type { ChatEvent } from "../../../shared/chat.ts";
import { beta, contextOf, fakeFetch, read, request } from "../support/provider-call.ts";

describe("several choices from a provider that gives one at a time", () => {
  const reply = (text: string) => () =>
    Promise.resolve(
      Response.json({
        id: "m",
        type: "message",
        role: "assistant",
        model: "claude",
        content: [{ type: "text", text }],
        stop_reason: "end_turn",
        stop_sequence: null,
        usage: { input_tokens: 10, output_tokens: 2 },
      }),
    );

  test("are parallel calls merged under their own numbers, each with an observer of its own", async () => {
    let number = 0;
    const { sent, fetch } = fakeFetch(() => reply(`answer ${number++}`)());
    const observers: { events: ChatEvent[]; ended: boolean }[] = [];
    const observeCall: CallContext["observeCall"] = () => {
      const observer = { events: [] as ChatEvent[], ended: false };
      observers.push(observer);
      return {
        observe: (events) => void observer.events.push(...events),
        ended: () => {
          observer.ended = true;
        },
        named: () => {},
        dropped: () => {},
      };
    };
    const answer = await callForChoices(
      beta,
      { ...request, stream: false, choices: 6 },
      50,
      contextOf(fetch, { observeCall }),
    );
    const events = await read(answer.events);
    expect(sent).toHaveLength(6);
    const texts = new Map(
      events.flatMap((event) => (event.type === "text-delta" ? [[event.choice, event.text] as const] : [])),
    );
    expect([...texts.keys()].sort()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(new Set(texts.values()).size).toBe(6);
    expect(events.filter(({ type }) => type === "finish")).toHaveLength(6);
    expect(events.filter(({ type }) => type === "start")).toHaveLength(1);
    expect(observers).toHaveLength(6);
    for (const observer of observers) {
      expect(observer.ended).toBe(true);
      expect(observer.events.findLast(({ type }) => type === "usage")).toMatchObject({
        usage: { input: 10, output: 2, total: 12 },
      });
    }
  });

  test("fail as a whole when one is refused at first", async () => {
    const { fetch } = fakeFetch(reply("fine"), new Response("{}", { status: 400 }), reply("fine"));
    await expect(
      callForChoices(beta, { ...request, stream: false, choices: 3 }, 50, contextOf(fetch)),
    ).rejects.toMatchObject({ code: "upstream_rejected" });
  });
});
