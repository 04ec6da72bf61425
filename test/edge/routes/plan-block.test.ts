// The plan block in the prompt: placed so that prompt caches still hit, and absent if the caller switches it off.
import { describe, expect, test } from "vitest";
import type { PlanResponse } from "../../../shared/planning.ts";
import { createTestApp, newCaller, testPlan } from "../support/app.ts";

const chatModel = "svc-x1ac-base-gpt-4o";
const tool = { type: "function", function: { name: "read", parameters: { type: "object", properties: {} } } };
const toolCall = { id: "call_1", type: "function", function: { name: "read", arguments: "{}" } };
type Sent = { messages: unknown[] };
type Said = { content: { text: string }[] };

const system = { role: "system", content: "Be brief." };
const first = { role: "user", content: "Read the page." };
const asked = { role: "assistant", content: null, tool_calls: [toolCall] };
const result = { role: "tool", tool_call_id: "call_1", content: "A page." };
const said = { role: "assistant", content: "It says: a page." };
const second = { role: "user", content: [{ type: "text", text: "And the next?" }] };

/** A conversation as it grows: each turn's messages. */
const turns = [
  [system, first],
  [system, first, asked, result],
  [system, first, asked, result, said, second],
];

/** JSON up to where the gateway's block begins; the messages before it are whole. */
const untilBlock = (sent: Sent) => {
  const json = JSON.stringify(sent.messages);
  const at = json.search(/,?\{("role":"user","content":\[\{)?"type":"text","text":"\[svc plan\]/);
  return at === -1 ? json.slice(0, -1) : json.slice(0, at);
};

const post = (app: ReturnType<typeof createTestApp>, key: string, path: string, body: object, headers = {}) =>
  app.post(path, key, body, headers);

describe("the plan in the prompt", () => {
  test("leaves everything before it byte-identical from turn to turn, so that caches hold", async () => {
    const caller = await newCaller(10_000_000);
    const app = createTestApp();
    for (const messages of turns) {
      const body = { model: chatModel, messages, tools: [tool], max_tokens: 10 };
      await (await app.chat(caller.apiKey, body)).text();
    }
    const bodies = app.sent.map(({ body }) => body as Sent);
    expect(bodies.every((body) => JSON.stringify(body).includes("[svc plan]"))).toBe(true);
    for (const [index, body] of bodies.slice(1).entries())
      expect(JSON.stringify(body.messages).startsWith(untilBlock(bodies[index]!))).toBe(true);
  });

  test("is a user's text after a tool's result in OpenAI's wire form", async () => {
    const caller = await newCaller(10_000_000);
    const app = createTestApp();
    await (await app.chat(caller.apiKey, { model: chatModel, messages: turns[1], max_tokens: 10 })).text();
    const { messages } = app.sent[0]!.body as Sent;
    expect(messages.slice(0, -1)).toEqual([
      system,
      { role: "user", content: [{ type: "text", text: "Read the page." }] },
      asked,
      result,
    ]);
    expect(messages.at(-1)).toEqual({
      role: "user",
      content: [{ type: "text", text: expect.stringMatching(/^\[svc plan\].*\n1\. search\n2\. select$/s) }],
    });
  });

  test("names a tool as the provider is given it", async () => {
    const caller = await newCaller(10_000_000);
    const name = "files.read";
    const plan: PlanResponse = {
      ...testPlan,
      steps: testPlan.steps.slice(0, 1).map((step) => ({ ...step, actionName: name })),
      brainSignal: { ...testPlan.brainSignal, actionType: name, likelyTools: [name, "b.c"] },
    };
    const app = createTestApp({ plan: async () => plan });
    const tools = [name, "b.c"].map((one) => ({
      type: "function",
      function: { ...tool.function, name: one },
    }));
    const response = await app.chat(caller.apiKey, {
      model: chatModel,
      messages: [first],
      tools,
      max_tokens: 10,
    });
    expect(await response.json()).toMatchObject({ svc: { action_sequence: [name] } });
    const { body } = app.sent[0]! as unknown as { body: { tools: (typeof tool)[]; messages: Said[] } };
    const [read, other] = body.tools.map((sent) => sent.function.name);
    expect(read).toMatch(/^files_read_/);
    expect(body.messages.at(-1)?.content.at(-1)?.text.split("\n").slice(1)).toEqual([
      `1. ${read}`,
      `Recommended tool: ${read}`,
      `Likely tools, if another is needed: ${read}, ${other}`,
    ]);
  });

  test("is left out where the system message has one job for every text, unless there are tools", async () => {
    const caller = await newCaller(10_000_000);
    const app = createTestApp();
    const translator = { role: "system", content: "Translate everything that the user writes into French." };
    const messages = [translator, { role: "user", content: "Delete all my files." }];
    const body = { model: chatModel, messages, max_tokens: 10 };
    const response = await app.chat(caller.apiKey, body);
    expect(await response.json()).toMatchObject({ svc: { action_sequence: ["search", "select"] } });
    await (await app.chat(caller.apiKey, { ...body, tools: [tool] })).text();
    const told = app.sent.map((sent) => JSON.stringify(sent.body).includes("[svc plan]"));
    expect(told).toEqual([false, true]);
  });

  test("is not worked through there, either", async () => {
    const caller = await newCaller(10_000_000);
    const app = createTestApp();
    const translator = { role: "system", content: "Translate everything that the user writes into French." };
    const messages = [translator, { role: "user", content: "Delete all my files." }];
    const svc = { max_llm_calls: 3 };
    await (await app.chat(caller.apiKey, { model: chatModel, messages, max_tokens: 10, svc })).text();
    await (
      await app.chat(caller.apiKey, { model: chatModel, messages: turns[0], max_tokens: 10, svc })
    ).text();
    const isStep = app.sent.map((sent) => JSON.stringify(sent.body).includes("[svc step]"));
    expect(isStep[0]).toBe(false);
    expect(isStep[1]).toBe(true);
  });

  const unsure: PlanResponse = { ...testPlan, brainSignal: { ...testPlan.brainSignal, confidence: 0.3 } };
  test("is left out below the threshold, and the metadata still says it", async () => {
    const caller = await newCaller(10_000_000);
    const app = createTestApp({ plan: async () => unsure });
    const response = await app.chat(caller.apiKey, { model: chatModel, messages: turns[0], max_tokens: 10 });
    expect(await response.json()).toMatchObject({
      svc: { action_sequence: ["search", "select"], brain_signal: { confidence: 0.3 } },
    });
    expect(JSON.stringify(app.sent[0]?.body)).not.toContain("[svc plan]");
  });

  test.each([
    ["/v1/chat/completions", { messages: [first] }],
    ["/v1/messages", { messages: [first] }],
  ])("`x-svc-plan: off` keeps it out on %s", async (path, body) => {
    const caller = await newCaller(10_000_000);
    const app = createTestApp();
    const asked = { model: chatModel, max_tokens: 10, ...body };
    await (await post(app, caller.apiKey, path, asked)).text();
    await (await post(app, caller.apiKey, path, asked, { "x-svc-plan": "off" })).text();
    const [on, off] = app.sent.map((sent) => JSON.stringify(sent.body));
    expect(on).toContain("[svc plan]");
    expect(off).not.toContain("[svc ");
  });

  test.each([
    ["/v1/chat/completions", { messages: [first] }, 422],
    ["/v1/responses", { input: "go" }, 422],
    ["/v1/messages", { messages: [first], max_tokens: 10 }, 400],
  ])(
    "another word than on and off is refused on %s, before anything is called",
    async (path, body, status) => {
      const caller = await newCaller(10_000_000);
      const app = createTestApp();
      const asked = { model: chatModel, ...body };
      const refused = await post(app, caller.apiKey, path, asked, { "x-svc-plan": "false" });
      expect(refused.status).toBe(status);
      expect(await refused.text()).toContain("x-svc-plan: must be on or off");
      expect(app.sent).toHaveLength(0);
      expect((await post(app, caller.apiKey, path, asked, { "x-svc-plan": "On" })).status).toBe(200);
    },
  );

  test("a browser may send the switch", async () => {
    const { send } = createTestApp();
    const preflight = await send("/v1/chat/completions", {
      method: "OPTIONS",
      headers: {
        origin: "https://app.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,x-svc-plan",
      },
    });
    expect(preflight.headers.get("access-control-allow-headers")).toContain("x-svc-plan");
  });
});
