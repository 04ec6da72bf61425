// A coding agent's session of 21 requests, in each caller's dialect, at each provider, with JSON and streamed answers: each request to
// the provider begins with the bytes of the one before, so that prompt caches hit. Only the plan block, at the very end, differs.
import { describe, expect, test } from "vitest";
import type { ProviderKind } from "../../../shared/providers.ts";
import { foldChatMessage } from "../../support/chat-stream.ts";
import { betaWire } from "../../support/fake-provider/anthropic-wire.ts";
import { gammaWire } from "../../support/fake-provider/gemini-wire.ts";
import { alphaWire, routerWire } from "../../support/fake-provider/openai-wire.ts";
import { completeAnswer, type FakeAnswer } from "../../support/fake-provider/script.ts";
import { foldMessage, parseFrames } from "../../support/messages-stream.ts";
import { foldResponse, parseResponseFrames } from "../../support/responses-stream.ts";
import { createTestApp, eventStream, newCaller, type Sent } from "../support/app.ts";

const turns = 21;
const wires = { alpha: alphaWire, beta: betaWire, gamma: gammaWire, router: routerWire };
type Item = Record<string, unknown>;

/** What the model does in a turn: thinks, says something, calls one tool or two; every fifth time it has finished. */
function scriptTurn(turn: number): FakeAnswer {
  if (turn % 5 === 4) return { text: `Done with part ${turn}: “naïve” \\u0041 \u2028 {"a":1}` };
  const calls = turn % 3 === 1 ? 2 : 1;
  return {
    ...(turn % 2 === 0 && { reasoning: `Part ${turn} needs a look.` }),
    ...(turn % 3 !== 2 && { text: `Looking at ${turn}.` }),
    toolCalls: Array.from({ length: calls }, (_, index) => ({
      id: `call_${turn}_${index}`,
      name: index === 0 ? "read_file" : "run",
      arguments: { path: `src/${turn}.ts`, 7: "x", lines: [1, 2.5], deep: { z: 1, a: null } },
    })),
  };
}

const resultOf = (turn: number) => `line one of ${turn}\n\t"quoted" €\n`;
const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
const tools = ["read_file", "run"].map((name) => ({ name, description: `Does ${name}`, parameters }));
const instructions = "You are a coding agent.";
const wish = (turn: number) => `Fix part ${turn}.`;

/** What is read of an answer, each field in its own dialect. */
type Reply = {
  choices: { message: Item & { tool_calls?: { id: string }[] } }[];
  content: { type: string; id: string }[];
  output: (Item & { type: string; call_id: string })[];
};

type Dialect = {
  path: string;
  open: Item[];
  body: (session: readonly Item[]) => object;
  /** What the answer adds to the session, and the ids of its calls. */
  read: (reply: Reply) => { items: Item[]; calls: string[] };
  /** The same answer out of a stream's text. */
  fold: (text: string) => object;
  results: (calls: readonly string[], turn: number) => Item[];
};

const userMessage = (turn: number): Item => ({ role: "user", content: wish(turn) });

const dialects: readonly Dialect[] = [
  {
    path: "/v1/chat/completions",
    open: [{ role: "system", content: instructions }, userMessage(0)],
    body: (messages) => ({
      messages,
      tools: tools.map((tool) => ({ type: "function", function: tool })),
      max_tokens: 4_000,
    }),
    read: ({ choices }) => ({
      items: [choices[0]!.message],
      calls: (choices[0]!.message.tool_calls ?? []).map(({ id }) => id),
    }),
    fold: (text) => ({ choices: [{ message: foldChatMessage(text) }] }),
    results: (calls, turn) =>
      calls.map((id) => ({ role: "tool", tool_call_id: id, content: resultOf(turn) })),
  },
  {
    path: "/v1/messages",
    open: [userMessage(0)],
    body: (messages) => ({
      system: [{ type: "text", text: instructions, cache_control: { type: "ephemeral" } }],
      messages,
      tools: tools.map(({ parameters: input_schema, ...tool }) => ({ ...tool, input_schema })),
      max_tokens: 4_000,
    }),
    read: ({ content }) => ({
      items: [{ role: "assistant", content }],
      calls: content.flatMap(({ type, id }) => (type === "tool_use" ? [id] : [])),
    }),
    fold: (text) => foldMessage(parseFrames(text)),
    results: (calls, turn) => [
      {
        role: "user",
        content: calls.map((id) => ({ type: "tool_result", tool_use_id: id, content: resultOf(turn) })),
      },
    ],
  },
  {
    path: "/v1/responses",
    open: [userMessage(0)],
    body: (input) => ({
      instructions,
      input,
      tools: tools.map((tool) => ({ type: "function", ...tool })),
      max_output_tokens: 4_000,
      store: false,
      include: ["reasoning.encrypted_content"],
    }),
    read: ({ output }) => ({
      items: output,
      calls: output.flatMap((item) => (item.type === "function_call" ? [item.call_id] : [])),
    }),
    fold: (text) => foldResponse(parseResponseFrames(text)),
    results: (calls, turn) =>
      calls.map((id) => ({ type: "function_call_output", call_id: id, output: resultOf(turn) })),
  },
];

type Setting = { name: string; kind: ProviderKind; llm: string; headers: Record<string, string> };

const settings: readonly Setting[] = [
  { name: "alpha", kind: "alpha", llm: "gpt-5.1", headers: { "x-alpha-key": "sk-own" } },
  { name: "beta", kind: "beta", llm: "claude-sonnet-4-5", headers: { "x-beta-key": "sk-ant-own" } },
  { name: "gamma, older", kind: "gamma", llm: "gemini-2.5-flash", headers: { "x-gamma-key": "AIzaOwn" } },
  { name: "gamma", kind: "gamma", llm: "gemini-3.1-pro-preview", headers: { "x-gamma-key": "AIzaOwn" } },
  { name: "router", kind: "router", llm: "openai/gpt-4o", headers: { "x-router-key": "sk-or-own" } },
  { name: "the pool", kind: "router", llm: "claude-sonnet-4-5", headers: {} },
];

/** The field of a provider's body that grows with the session. */
const growing = { alpha: "messages", beta: "messages", gamma: "contents", router: "messages" } as const;

/** As the provider streams it; Gemini seals each call. */
function writeAnswer(kind: ProviderKind, turn: number): Response {
  const answer = completeAnswer(scriptTurn(turn), wires[kind].defaultModel);
  const frames = wires[kind].writeFrames(answer, { includeUsage: true }).join("");
  const sealed = frames.replaceAll(
    '{"functionCall":',
    `{"thoughtSignature":"c2VhbC0${turn}","functionCall":`,
  );
  return eventStream(sealed);
}

async function play(
  { path, open, body, read, fold, results }: Dialect,
  { kind, llm, headers }: Setting,
  { plan, stream }: { plan: string; stream: boolean },
) {
  let turn = 0;
  const app = createTestApp({ provider: [() => writeAnswer(kind, turn)] });
  const caller = await newCaller(1_000_000_000);
  const session = [...open];
  for (; turn < turns; turn += 1) {
    const response = await app.post(
      path,
      caller.apiKey,
      { model: `svc-x1ac-base-${llm}`, ...body(session), stream },
      { "x-svc-plan": plan, ...headers },
    );
    const text = await response.text();
    expect(response.status, text).toBe(200);
    const { items, calls } = read(stream ? fold(text) : JSON.parse(text));
    session.push(...items, ...(calls.length > 0 ? results(calls, turn) : [userMessage(turn)]));
  }
  return app.sent;
}

/** Where the gateway's own words begin, in a part or a turn of their own. */
const block = /,?(\{"role":"user","(content|parts)":\[)?\{("type":"text",)?"text":"\[svc plan\]/;

/** The prompt's growing field up to the end of what the caller sent, and everything else of the body. */
function readPrompt({ text, body }: Sent, kind: ProviderKind) {
  expect(JSON.stringify(body)).toBe(text);
  const { [growing[kind]]: grows, ...others } = body;
  const json = JSON.stringify(grows);
  const at = json.search(block);
  return {
    whole: json,
    caller: json.slice(0, at === -1 ? -1 : at),
    rest: JSON.stringify(others),
    planned: at !== -1,
  };
}

type Prompt = ReturnType<typeof readPrompt>;

/** How many turns begin with the prompt of the turn before. */
const countHeld = (prompts: readonly Prompt[]) =>
  prompts.slice(1).filter(({ whole, rest }, index) => {
    const before = prompts[index]!;
    return whole.startsWith(before.caller) && rest === before.rest;
  }).length;

describe.each(dialects)("$path", (dialect) => {
  describe.each(settings)("at $name", (setting) => {
    test.each(["on", "off"])(
      "the prompt of a turn begins with that of the turn before, whole and streamed (plan %s)",
      { timeout: 60_000 },
      async (plan) => {
        const prompts: Prompt[][] = [];
        for (const stream of [false, true]) {
          const sent = await play(dialect, setting, { plan, stream });
          prompts.push(sent.map((one) => readPrompt(one, setting.kind)));
        }
        const [whole, streamed] = prompts as [Prompt[], Prompt[]];
        expect([whole, streamed].map(countHeld)).toEqual([turns - 1, turns - 1]);
        // Who reads streams has lost nothing by it.
        expect(streamed.map((prompt) => prompt.whole)).toEqual(whole.map((prompt) => prompt.whole));
        const planned = whole.filter((prompt) => prompt.planned).length;
        if (plan === "off") expect(planned).toBe(0);
        else expect(planned).toBeGreaterThanOrEqual(turns / 3);
        // Nothing of the session is lost on the way: the last prompt has its every result.
        for (const part of [0, 6, 12, 18]) expect(whole.at(-1)!.whole).toContain(`line one of ${part}`);
      },
    );
  });
});
