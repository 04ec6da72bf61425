// Claude 5.1 and later sign their thinking with all that stands before it: what the gateway has added must be there again.
import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";
import {
  blockDelta,
  blockStart,
  blockStop,
  messageDelta,
  messageStart,
  messageStop,
} from "../../fixtures/anthropic-streams.ts";
import { toSse } from "../dialects/replay.ts";
import { createTestApp, eventStream, newCaller } from "../support/app.ts";

const signature = "c2VhbC1vbmU=";
const encrypted = "ZW5jcnlwdGVk";
type Answer = "thinking" | "redacted";
const starts = {
  thinking: [
    blockStart(0, { type: "thinking", thinking: "", signature: "" }),
    blockDelta(0, "thinking_delta", { thinking: "First this." }),
    blockDelta(0, "signature_delta", { signature }),
  ],
  redacted: [blockStart(0, { type: "redacted_thinking", data: encrypted })],
} satisfies Record<Answer, object[]>;

/** Thinks, then calls a tool. */
const claude = (answer: Answer) => (): Response => {
  const events = [
    messageStart(),
    ...starts[answer],
    blockStop(0),
    blockStart(1, { type: "tool_use", id: "toolu_1", name: "read", input: {} }),
    blockDelta(1, "input_json_delta", { partial_json: "{}" }),
    blockStop(1),
    messageDelta({ stop_reason: "tool_use" }, { output_tokens: 9 }),
    messageStop,
  ];
  return eventStream(toSse(events, true));
};
/** As the aggregator tells Claude's thinking. */
const aggregator = (): Response => {
  const detail = {
    type: "reasoning.text",
    text: "First this.",
    signature,
    format: "anthropic-claude-v1",
    index: 0,
  };
  const call = { index: 0, id: "toolu_1", type: "function", function: { name: "read", arguments: "{}" } };
  const chunk = (delta: object, finish: string | null) => ({
    id: "gen-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const chunks = [
    chunk({ role: "assistant", reasoning: "First this.", reasoning_details: [detail] }, null),
    chunk({ tool_calls: [call] }, null),
    chunk({}, "tool_calls"),
    { ...chunk({}, null), choices: [], usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 } },
  ];
  const text = chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("");
  return eventStream(`${text}data: [DONE]\n\n`);
};

type Turn = Record<string, unknown> & { role: string; content: unknown };
type Conversation = { path: string; first: object; next: (answer: Record<string, unknown>) => object };

const schema = { type: "object", properties: {} };
const named = { name: "read", description: "Reads a page." };
const goal = "Read the page, then tell me.";
const conversations: Record<string, (model: string) => Conversation> = {
  messages: (model) => {
    const body = { model, max_tokens: 100, tools: [{ ...named, input_schema: schema }] };
    const user = { role: "user", content: goal };
    return {
      path: "/v1/messages",
      first: { ...body, messages: [user] },
      next: (answer) => {
        const { content } = answer as unknown as Anthropic.Message;
        const call = content.find((block) => block.type === "tool_use");
        const result = { type: "tool_result", tool_use_id: call!.id, content: "A page." };
        const messages = [user, { role: "assistant", content }, { role: "user", content: [result] }];
        return { ...body, messages };
      },
    };
  },
  chat: (model) => {
    const body = {
      model,
      max_tokens: 100,
      tools: [{ type: "function", function: { ...named, parameters: schema } }],
    };
    const user = { role: "user", content: goal };
    return {
      path: "/v1/chat/completions",
      first: { ...body, messages: [user] },
      next: ({ choices }) => {
        // A client that keeps no fields it does not know, but the reasoning.
        const { extra_content: _, ...message } = (choices as { message: Record<string, unknown> }[])[0]!
          .message;
        const result = { role: "tool", tool_call_id: "toolu_1", content: "A page." };
        return { ...body, messages: [user, message, result] };
      },
    };
  },
  responses: (model) => {
    const body = {
      model,
      tools: [{ type: "function", ...named, parameters: schema }],
      include: ["reasoning.encrypted_content"],
    };
    const user = { role: "user", content: goal };
    return {
      path: "/v1/responses",
      first: { ...body, input: [user] },
      next: ({ output }) => {
        const result = { type: "function_call_output", call_id: "toolu_1", output: "A page." };
        return { ...body, input: [user, ...(output as object[]), result] };
      },
    };
  },
};

async function talk(
  { path, first, next }: Conversation,
  provider: () => Response,
  keys: Record<string, string> = {},
  later: Record<string, string> = {},
) {
  const caller = await newCaller(100_000_000);
  const app = createTestApp({ provider: [provider] });
  const send = async (body: object, headers: Record<string, string> = {}) => {
    const response = await app.post(path, caller.apiKey, body, { ...keys, ...headers });
    const answer = await response.json<Record<string, unknown>>();
    expect(response.status, JSON.stringify(answer)).toBe(200);
    return answer;
  };
  const answer = await send(first);
  await send(next(answer), later);
  const [before, after] = app.sent.map(({ body }) => body as unknown as { messages: Turn[] });
  return { before: before!.messages, after: after!.messages, answer, sent: app.sent };
}

const own = { "x-beta-key": "sk-ant-own" };
const planText = (messages: readonly Turn[]) => JSON.stringify(messages).match(/\[svc plan\]/g)?.length ?? 0;

describe.each(Object.keys(conversations))("a conversation over %s", (dialect) => {
  const open = (model: string) => conversations[dialect]!(`svc-x1ac-base-${model}`);

  test.each<Answer>(["thinking", "redacted"])(
    "sends Claude the same words before its %s as when it thought (failures 65)",
    async (answer) => {
      const { before, after } = await talk(open("claude-opus-5-5"), claude(answer), own);
      expect(planText(before)).toBe(1);
      expect(after[0]).toEqual(before[0]);
      const [thought] = after[1]!.content as Record<string, unknown>[];
      expect(thought).toMatchObject(
        answer === "thinking"
          ? { type: "thinking", thinking: "First this.", signature }
          : { type: "redacted_thinking", data: encrypted },
      );
      expect(JSON.stringify(after)).not.toContain("svc_added");
    },
  );

  test("does so by way of the aggregator, too", async () => {
    const { before, after } = await talk(open("anthropic/claude-opus-5.5"), aggregator);
    expect(planText(before)).toBe(1);
    expect(after[0]).toEqual(before[0]);
    expect(JSON.stringify(after[1])).toContain(`"signature":"${signature}"`);
    expect(JSON.stringify(after)).not.toContain("svc_added");
  });

  test("does so also where the next request wants no plan", async () => {
    const { before, after } = await talk(open("claude-opus-5-5"), claude("thinking"), own, {
      "x-svc-plan": "off",
    });
    expect(JSON.stringify(after[0]!.content)).toContain("[svc plan]");
    expect(after[0]).toEqual(before[0]);
  });

  test("goes on with another provider's model without the seal", async () => {
    const { path, first } = open("claude-opus-5-5");
    const { after, sent } = await talk(
      {
        path,
        first,
        next: (answer) => ({
          ...open("claude-opus-5-5").next(answer),
          model: "svc-x1ac-base-claude-sonnet-4-5",
        }),
      },
      claude("thinking"),
      own,
    );
    expect(sent[1]!.body.model).toBe("claude-sonnet-4-5");
    expect(JSON.stringify(after)).not.toContain("svc_added");
  });

  test("carries nothing with a model that signs its thinking alone", async () => {
    const { answer, after } = await talk(open("claude-sonnet-4-5"), claude("thinking"), own);
    expect(JSON.stringify(answer)).not.toContain("svc_added");
    expect(planText(after.slice(0, 1))).toBe(0);
  });
});
