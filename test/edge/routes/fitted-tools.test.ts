// A provider refuses the whole request for one tool it does not accept: names, schemas and repeated tools are changed for each provider.
import { describe, expect, test } from "vitest";
import { createTestApp, eventStream, newCaller, type Sent } from "../support/app.ts";

type Json = Record<string, unknown>;
type Given = { name: string; schema: Json };

const sse = (frames: object[], end = "") =>
  eventStream([...frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`), end].join(""));
const openaiCall = (name: string) =>
  sse(
    [
      {
        id: "c",
        choices: [
          {
            index: 0,
            delta: {
              tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name, arguments: "{}" } }],
            },
            finish_reason: "tool_calls",
          },
        ],
      },
    ],
    "data: [DONE]\n\n",
  );
const openaiTools = ({ tools }: Json): Given[] =>
  (tools as { function: { name: string; parameters: Json } }[]).map((tool) => ({
    name: tool.function.name,
    schema: tool.function.parameters,
  }));

const targets = [
  { kind: "alpha", model: "gpt-4o", fits: /^[\w-]{1,64}$/, call: openaiCall, list: openaiTools },
  { kind: "router", model: "openai/gpt-4o", fits: /^[\w-]{1,64}$/, call: openaiCall, list: openaiTools },
  {
    kind: "beta",
    model: "claude-sonnet-4-5",
    fits: /^[\w-]{1,128}$/,
    call: (name: string) =>
      sse([
        { type: "message_start", message: { id: "msg_1" } },
        {
          type: "content_block_start",
          index: 0,
          content_block: { type: "tool_use", id: "toolu_1", name, input: {} },
        },
        { type: "message_delta", delta: { stop_reason: "tool_use" } },
        { type: "message_stop" },
      ]),
    list: ({ tools }: Json): Given[] =>
      (tools as { name: string; input_schema: Json }[]).map(({ name, input_schema: schema }) => ({
        name,
        schema,
      })),
  },
  {
    kind: "gamma",
    model: "gemini-2.5-flash",
    fits: /^[A-Za-z_][\w.:-]{0,63}$/,
    call: (name: string) =>
      sse([
        {
          candidates: [{ content: { parts: [{ functionCall: { name, args: {} } }] }, finishReason: "STOP" }],
        },
      ]),
    list: ({ tools }: Json): Given[] =>
      (
        tools as { functionDeclarations: { name: string; parametersJsonSchema: Json }[] }[]
      )[0]!.functionDeclarations.map(({ name, parametersJsonSchema: schema }) => ({ name, schema })),
  },
] as const;
type Target = (typeof targets)[number];

/** The provider calls the last tool that it was given. */
async function ask(target: Target, tools: object[], messages: object[] = [{ role: "user", content: "Hi" }]) {
  const { apiKey } = await newCaller(1_000_000);
  const app = createTestApp({ provider: [(sent: Sent) => target.call(target.list(sent.body).at(-1)!.name)] });
  const body = {
    model: `svc-x1ac-base-${target.model}`,
    messages,
    tools,
    max_tokens: 50,
    svc: { plan: "off" },
  };
  const response = await app.chat(apiKey, body, { [`x-${target.kind}-key`]: "sk-own" });
  const answer = await response.json<{
    choices: { message: { tool_calls: { id: string; function: Json }[] } }[];
  }>();
  expect(response.status, JSON.stringify(answer)).toBe(200);
  const [sent] = app.sent as [Sent];
  const call = answer.choices[0]?.message.tool_calls[0];
  return {
    sent,
    given: target.list(sent.body),
    called: call?.function.name,
    id: call?.id,
    unsupported: response.headers.get("x-svc-unsupported"),
  };
}

const tool = (name: string, parameters: object = { type: "object", properties: {} }) => ({
  type: "function",
  function: { name, description: name, parameters },
});

describe.each(targets)("tools for $kind", (target) => {
  test.each(["1password__get_item", "files.read", "files/read it", "größe", "-x"])(
    "%s is a name that it takes, in the history too, and the caller's own in a call (failures 38)",
    async (name) => {
      const call = { id: "call_0", type: "function", function: { name, arguments: "{}" } };
      const history = [
        { role: "user", content: "Hi" },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "call_0", content: "done" },
      ];
      const plain = name.replace(/^\d|\W/g, "_");
      const { sent, given, called } = await ask(target, [tool(plain), tool(name)], history);
      for (const one of given) expect(one.name).toMatch(target.fits);
      expect(new Set(given.map((one) => one.name)).size).toBe(2);
      expect(called).toBe(name);
      if (!target.fits.test(name)) expect(sent.text).not.toContain(`"name":${JSON.stringify(name)}`);
    },
  );

  test("a tool without arguments has an empty list of them (failures 39)", async () => {
    const { given, unsupported } = await ask(target, [tool("bare", { type: "object" }), tool("empty", {})]);
    for (const { schema } of given) expect(schema).toEqual({ type: "object", properties: {} });
    expect(unsupported).toBeNull();
  });

  test("a union at the root of a schema is one object where it is refused, and that is said (failures 39)", async () => {
    const properties = { a: { type: "string" }, b: { type: "string" } };
    const union = { type: "object", properties, anyOf: [{ required: ["a"] }, { required: ["b"] }] };
    const { given, unsupported } = await ask(target, [tool("either", union)]);
    const refused = target.kind !== "gamma";
    expect(given[0]?.schema).toEqual(refused ? { type: "object", properties } : union);
    expect(unsupported).toBe(refused ? "tools.parameters" : null);
  });

  test("a tool that is there twice is given once (failures 40)", async () => {
    const { given, called } = await ask(target, [tool("twice"), tool("other"), tool("twice")]);
    expect(given.map(({ name }) => name)).toEqual(["twice", "other"]);
    expect(called).toBe("other");
  });

  // github.com/NousResearch/hermes-agent/issues/54290
  test("an array whose items are not described has a description that says nothing (failures 50)", async () => {
    const list = { type: "array" };
    const properties = {
      list,
      deep: { anyOf: [{ type: ["null", "array"] }, { type: "array", items: list }] },
      items: { type: "string", default: list },
    };
    const { given, unsupported } = await ask(target, [tool("lists", { type: "object", properties })]);
    const whole = { type: "array", items: {} };
    expect(given[0]?.schema.properties).toEqual({
      list: whole,
      deep: {
        anyOf: [
          { type: ["null", "array"], items: {} },
          { type: "array", items: whole },
        ],
      },
      items: { type: "string", default: list },
    });
    expect(unsupported).toBeNull();
  });

  // github.com/MervinPraison/PraisonAI/issues/3111, github.com/Automattic/wordpress-mcp/issues/58
  test("keywords that say nothing in a form that is refused are left out, at any depth (failures 63)", async () => {
    const inner = { type: "object", properties: [], required: null };
    const wrong = {
      type: "object",
      properties: { inner, required: { type: "string", enum: null } },
      required: {},
    };
    const { given, unsupported } = await ask(target, [
      tool("wrong", wrong),
      tool("empty", { type: "object", properties: null, required: null }),
    ]);
    expect(given.map(({ schema }) => schema)).toEqual([
      { type: "object", properties: { inner: { type: "object" }, required: { type: "string" } } },
      { type: "object", properties: {} },
    ]);
    expect(unsupported).toBeNull();
  });

  // github.com/NVIDIA-NeMo/Switchyard/issues/502, github.com/HKUDS/nanobot/issues/4444
  test("a call has an id that no call before it has, and one that two have is sent as two (failures 54)", async () => {
    const given = target.kind === "beta" ? "toolu_1" : "call_1";
    const turn = (id: string) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id, type: "function", function: { name: "t", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: id, content: "done" },
    ];
    const history = [{ role: "user", content: "Hi" }, ...turn(given), ...turn(given), ...turn(`${given}_3`)];
    const { sent, id } = await ask(target, [tool("t")], history);
    expect(history.some((message) => "tool_call_id" in message && message.tool_call_id === id)).toBe(false);
    expect(id).toMatch(target.kind === "gamma" ? /./ : new RegExp(`^${given}_\\d$`));
    const sentIds = [...sent.text.matchAll(/"(?:tool_use_id|tool_call_id)":"(\w+)"/g)].map(
      (match) => match[1],
    );
    const whole = [given, `${given}_2`, `${given}_3`];
    expect(sentIds).toEqual(target.kind === "gamma" ? [] : whole);
  });
});
