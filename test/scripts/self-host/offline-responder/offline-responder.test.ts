import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { offlineModelId } from "../../../../edge/catalog/model.ts";
import {
  type OfflineResponder,
  startOfflineResponder,
} from "../../../../scripts/self-host/offline-responder/offline-responder.ts";
import { writePlanBlock } from "../../../../shared/plan-block.ts";
import type { PlanResponse } from "../../../../shared/planning.ts";

let responder: OfflineResponder;
let client: OpenAI;

beforeAll(async () => {
  responder = await startOfflineResponder({ port: 0, wordDelayMs: 0 });
  client = new OpenAI({ apiKey: "none", baseURL: responder.url, maxRetries: 0 });
});
afterAll(() => responder.stop());

function planBlock(
  actions: string[],
  tool: string,
  toolNames: string[] = [],
  likelyTools?: string[],
): string {
  const probability = likelyTools ? 0.3 : 0.9;
  const steps = actions.map((actionName) => ({ actionName, probability }));
  const brainSignal = { actionType: tool, confidence: probability, likelyTools };
  return writePlanBlock({ steps, brainSignal } as unknown as PlanResponse, toolNames)!;
}

const weatherTool = {
  type: "function" as const,
  function: {
    name: "get_weather",
    parameters: {
      type: "object",
      properties: {
        city: { type: "string" },
        unit: { type: "string", enum: ["celsius", "fahrenheit"] },
        days: { type: "integer", minimum: 1, maximum: 7 },
        note: { type: "string" },
      },
      required: ["city", "unit", "days"],
    },
  },
};
const part = (text: string) => ({ type: "text" as const, text });
/** A user's turn as the edge sends it: what was said, then the plan. */
const user = (said: string, block?: string) => ({
  role: "user" as const,
  content: block === undefined ? said : [part(said), part(block)],
});
const system = (content: string) => ({ role: "system" as const, content });

describe("the offline responder", () => {
  it("says that it is offline, what replaces it, the goal and the plan", async () => {
    const { choices, model, usage } = await client.chat.completions.create({
      model: "openai/gpt-4o",
      messages: [
        system("Be kind."),
        user("Book me a flight", planBlock(["search_flights", "read_page"], "search_flights")),
      ],
    });
    const text = choices[0]?.message.content ?? "";
    expect(model).toBe(offlineModelId);
    expect(text.split(". ")[0]).toContain("offline");
    for (const words of [
      "POOL_ROUTER_KEY",
      "ROUTER_BASE_URL",
      "Ollama",
      "Book me a flight",
      "1. search flights\n2. read page",
    ]) {
      expect(text).toContain(words);
    }
    expect(choices[0]?.finish_reason).toBe("stop");
    expect(usage!.total_tokens).toBe(usage!.prompt_tokens + usage!.completion_tokens);
  });

  it("ends at the first of very many stop sequences", async () => {
    const stop = ["plan", ...Array.from({ length: 150_000 }, () => "offline")];
    const { choices } = await client.chat.completions.create({ model: "a/b", messages: [user("Hi")], stop });
    expect(choices[0]?.message.content).not.toContain("offline");
  });

  it("streams the same text word by word, with usage, and ends", async () => {
    const request = {
      model: "any/model",
      messages: [user("Read my mail", planBlock(["open_mail"], "open_mail"))],
    };
    const whole = await client.chat.completions.create(request);
    const stream = await client.chat.completions.create({
      ...request,
      stream: true,
      stream_options: { include_usage: true },
    });
    const pieces: string[] = [];
    const finishes: string[] = [];
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) {
      if (chunk.choices[0]?.delta.content) pieces.push(chunk.choices[0].delta.content);
      if (chunk.choices[0]?.finish_reason) finishes.push(chunk.choices[0].finish_reason);
      usage = chunk.usage ?? usage;
    }
    expect(pieces.join("")).toBe(whole.choices[0]?.message.content);
    expect(pieces.length).toBeGreaterThan(20);
    expect(finishes).toEqual(["stop"]);
    expect(usage).toEqual(whole.usage);
  });

  it("calls the tool the plan recommends with arguments from the goal, then answers with its result", async () => {
    const block = planBlock(["get_weather"], "get_weather", ["get_weather"]);
    const asked = "Weather in New York for 3 days in fahrenheit";
    const first = await client.chat.completions.create({
      model: "a/b",
      messages: [user(asked, block)],
      tools: [weatherTool],
    });
    const message = first.choices[0]!.message;
    const call = message.tool_calls![0] as OpenAI.ChatCompletionMessageFunctionToolCall;
    expect(first.choices[0]).toMatchObject({ finish_reason: "tool_calls", message: { content: null } });
    expect(call.function.name).toBe("get_weather");
    expect(JSON.parse(call.function.arguments)).toEqual({ city: "New York", unit: "fahrenheit", days: 3 });

    const result = { role: "tool" as const, tool_call_id: call.id, content: "Sunny, 75 degrees" };
    const second = await client.chat.completions.create({
      model: "a/b",
      messages: [user(asked), message, result, { role: "user", content: block }],
      tools: [weatherTool],
    });
    expect(second.choices[0]?.finish_reason).toBe("stop");
    expect(second.choices[0]?.message.content).toContain("Sunny, 75 degrees");
  });

  it("says which tools are likely where the plan is not sure of one, and calls one only where it must", async () => {
    const names = ["get_time", "get_weather"];
    const messages = [user("Rain?", planBlock(["get_weather"], "get_weather", names, ["get_weather"]))];
    const tools = [{ ...weatherTool, function: { ...weatherTool.function, name: "get_time" } }, weatherTool];
    const free = await client.chat.completions.create({ model: "a/b", messages, tools });
    expect(free.choices[0]!.message.content).toContain("one of these tools next: get_weather");
    const forced = await client.chat.completions.create({
      model: "a/b",
      messages,
      tools,
      tool_choice: "required",
    });
    expect(forced.choices[0]!.message.tool_calls).toMatchObject([{ function: { name: "get_weather" } }]);
  });

  it("streams a tool call whose arguments re-join to the same JSON", async () => {
    const block = planBlock(["get_weather"], "get_weather", ["get_weather"]);
    const messages = [user("Weather in Paris", block)];
    const stream = client.chat.completions.stream({ model: "a/b", messages, tools: [weatherTool] });
    const { choices } = await stream.finalChatCompletion();
    const call = choices[0]!.message.tool_calls![0] as OpenAI.ChatCompletionMessageFunctionToolCall;
    expect(JSON.parse(call.function.arguments)).toEqual({ city: "Paris", unit: "celsius", days: 1 });
    expect(choices[0]?.finish_reason).toBe("tool_calls");
  });

  it.each<[OpenAI.ChatCompletionToolChoiceOption, boolean]>([
    ["none", false],
    ["auto", false],
    ["required", true],
    [{ type: "function", function: { name: "get_weather" } }, true],
  ])("without a recommendation, tool_choice %j calls a tool: %s", async (tool_choice, calls) => {
    const { choices } = await client.chat.completions.create({
      model: "a/b",
      messages: [user("Hi")],
      tools: [weatherTool],
      tool_choice,
    });
    expect((choices[0]!.message.tool_calls ?? []).length > 0).toBe(calls);
  });

  it("keeps to the output limit and says so", async () => {
    const { choices, usage } = await client.chat.completions.create({
      model: "a/b",
      messages: [user("Hi")],
      max_tokens: 5,
    });
    expect(choices[0]?.finish_reason).toBe("length");
    expect(usage?.completion_tokens).toBe(5);
  });

  it.each([["offline"], [["nowhere", "", "responder", "offline"]]])(
    "ends before a stop sequence: %j",
    async (stop) => {
      const request = { model: "a/b", messages: [user("Hi")], stop };
      const { choices } = await client.chat.completions.create(request);
      expect(choices[0]).toMatchObject({ message: { content: "This is the svc" }, finish_reason: "stop" });
    },
  );

  it("answers in the JSON Schema asked for", async () => {
    const schema = {
      type: "object",
      properties: { steps: { type: "array", items: { $ref: "#/$defs/step" } }, done: { type: "boolean" } },
      required: ["steps", "done"],
      $defs: { step: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
    };
    const { choices } = await client.chat.completions.create({
      model: "a/b",
      messages: [user("Plan it")],
      response_format: { type: "json_schema", json_schema: { name: "plan", schema } },
    });
    expect(JSON.parse(choices[0]!.message.content!)).toEqual({ steps: [{ name: "Plan it" }], done: true });
  });

  it("gives n answers", async () => {
    const { choices } = await client.chat.completions.create({ model: "a/b", messages: [user("Hi")], n: 3 });
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2]);
  });

  it("lists its one model at no price", async () => {
    const { data } = await client.models.list();
    expect(data).toMatchObject([
      { id: offlineModelId, context_length: 128_000, pricing: { prompt: "0", completion: "0" } },
    ]);
  });

  it.each([
    ["POST", "/chat/completions", "{", 400],
    ["POST", "/chat/completions", '{"messages":[]}', 400],
    ["GET", "/nowhere", undefined, 404],
  ])("refuses %s %s %j with %i", async (method, path, body, status) => {
    const response = await fetch(`${responder.url}${path}`, { method, ...(body !== undefined && { body }) });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code: status } });
  });
});

describe("the responder as a process", () => {
  it("prints one line when it serves, and leaves when its supervisor does", async () => {
    const script = fileURLToPath(
      new URL("../../../../scripts/self-host/offline-responder/offline-responder.ts", import.meta.url),
    );
    const child = spawn(process.execPath, [script], {
      env: { ...process.env, PORT: "0", SUPERVISED: "1" },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const url = /^listening (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(line.toString())?.[1];
    expect((await fetch(`${url}/models`)).status).toBe(200);
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});
