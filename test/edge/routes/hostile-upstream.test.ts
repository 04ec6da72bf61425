// Misbehaviour of providers and of servers that imitate them: each case ends in the complete answer or in an explicit error, for
// callers of both dialects and on every wire (known-failures.md, the table of Portkey).
import { describe, expect, test } from "vitest";
import { findOrderBreaks, foldMessage, parseFrames } from "../../support/messages-stream.ts";
import { findResponseBreaks, foldResponse, parseResponseFrames } from "../../support/responses-stream.ts";
import { createTestApp, newCaller, type Sent } from "../support/app.ts";

type Wire = {
  name: string;
  model: string;
  headers: Record<string, string>;
  /** Frames of an answer: a start, two words, a tool call, an end. Without line ends. */
  start: string[];
  words: string[];
  tool: string[];
  end: string[];
  unknown: string;
  failure: string;
  /** Closing without `end` is not to be taken for an answer. */
  garbage: string;
};

const data = (value: object) => `data: ${JSON.stringify(value)}`;
const named = (value: { type: string } & Record<string, unknown>) => `event: ${value.type}\n${data(value)}`;
const chunk = (delta: object, finish_reason: string | null = null) =>
  data({ id: "c", choices: [{ index: 0, delta, finish_reason }] });
const part = (parts: object[], more: object = {}) =>
  data({ candidates: [{ content: { role: "model", parts }, index: 0, ...more }] });
const block = (index: number, content_block: object, ...deltas: object[]) => [
  named({ type: "content_block_start", index, content_block }),
  ...deltas.map((delta) => named({ type: "content_block_delta", index, delta })),
  named({ type: "content_block_stop", index }),
];
const text = (value: string) => ({ type: "text_delta", text: value });

const wires: Wire[] = [
  {
    name: "OpenAI's wire",
    model: "svc-x1ac-base-gpt-4o",
    headers: { "x-alpha-key": "sk-own" },
    start: [chunk({ role: "assistant", content: "" })],
    words: [chunk({ content: "Grüße, " }), chunk({ content: "世界 👩‍🚀" })],
    // No argument deltas at all.
    tool: [chunk({ tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "now" } }] })],
    end: [
      chunk({}, "tool_calls"),
      data({ id: "c", choices: [], usage: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 } }),
      "data: [DONE]",
    ],
    unknown: "event: mystery\ndata: {}",
    failure: data({ error: { message: "The host fell over", code: 500 } }),
    garbage: 'data: {"choices":[{"ind',
  },
  {
    name: "Anthropic's wire",
    model: "svc-x1ac-base-claude-sonnet-4-5",
    headers: { "x-beta-key": "sk-ant-own" },
    start: [
      named({
        type: "message_start",
        message: { id: "msg_1", usage: { input_tokens: 9, output_tokens: 1 } },
      }),
    ],
    words: block(0, { type: "text", text: "" }, text("Grüße, "), text("世界 👩‍🚀")),
    tool: block(1, { type: "tool_use", id: "toolu_1", name: "now", input: {} }),
    end: [
      named({
        type: "message_delta",
        delta: { stop_reason: "tool_use", stop_sequence: null },
        usage: { output_tokens: 5 },
      }),
      named({ type: "message_stop" }),
    ],
    unknown: named({ type: "mystery", weight: 1 }),
    failure: named({ type: "error", error: { type: "overloaded_error", message: "The host fell over" } }),
    garbage: 'event: content_block_delta\ndata: {"type":"content_blo',
  },
  {
    name: "Gemini's wire",
    model: "svc-x1ac-base-gemini-2.5-flash",
    headers: { "x-gamma-key": "AIzaOwn" },
    start: [],
    words: [part([{ text: "Grüße, " }]), part([{ text: "世界 👩‍🚀" }])],
    tool: [part([{ functionCall: { name: "now" } }])],
    end: [
      data({
        candidates: [{ content: { role: "model", parts: [] }, finishReason: "STOP", index: 0 }],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 },
      }),
    ],
    unknown: data({ mystery: true }),
    failure: data({ error: { code: 503, message: "The host fell over", status: "UNAVAILABLE" } }),
    garbage: 'data: {"candidates":[{"cont',
  },
];

const encoder = new TextEncoder();
type Manner = { breaks?: boolean; hangs?: Sent; headers?: Record<string, string> };

/** A response of these bytes, one piece at a time; `breaks`: the connection is lost after them. */
function respond(
  pieces: Uint8Array[],
  { breaks = false, hangs, headers = { "content-type": "text/event-stream" } }: Manner = {},
): Response {
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces[at++];
      if (piece !== undefined) controller.enqueue(piece);
      else if (breaks) controller.error(new Error("connection reset"));
      else if (!hangs) controller.close();
      else {
        // As fetch does: the body fails when the call is given up.
        return new Promise((_, reject) => {
          hangs.signal?.addEventListener("abort", () => reject(new Error("aborted")));
        });
      }
    },
  });
  return new Response(body, { headers });
}
const join = (frames: string[], lineEnd = "\n") =>
  frames.map((frame) => frame.replaceAll("\n", lineEnd) + lineEnd + lineEnd).join("");
const whole = (wire: Wire) => [...wire.start, ...wire.words, ...wire.tool, ...wire.end];
const send = (frames: string[]) => () => respond([encoder.encode(join(frames))]);

type Read = { text: string; tools: { name: string; input: unknown }[]; error: string | undefined };

/** As an OpenAI client sees it: complete with [DONE], an error, or (which must not be) neither. */
function readChat(body: string): Read {
  const frames = [...body.matchAll(/^data: (.*)$/gm)].map(([, line]) => line ?? "");
  const read: Read = { text: "", tools: [], error: undefined };
  const calls: { name: string; json: string }[] = [];
  let done = false;
  for (const frame of frames) {
    if (frame === "[DONE]") {
      done = true;
      continue;
    }
    const { choices = [], error } = JSON.parse(frame);
    if (error) read.error = error.message;
    for (const { delta } of choices) {
      read.text += delta.content ?? "";
      for (const { index, function: named } of delta.tool_calls ?? []) {
        calls[index] ??= { name: "", json: "" };
        calls[index].name += named?.name ?? "";
        calls[index].json += named?.arguments ?? "";
      }
    }
  }
  if (read.error === undefined) expect(done).toBe(true);
  else expect(done).toBe(false);
  if (done) read.tools = calls.map(({ name, json }) => ({ name, input: JSON.parse(json) }));
  return read;
}

function readMessages(body: string): Read {
  const events = parseFrames(body);
  expect(findOrderBreaks(events)).toEqual([]);
  const { content, error } = foldMessage(events);
  return {
    text: content.map((item) => (item.type === "text" ? item.text : "")).join(""),
    tools: content.flatMap(({ type, name, input }) =>
      type === "tool_use" ? [{ name: String(name), input }] : [],
    ),
    error: error?.message,
  };
}

function readResponses(body: string): Read {
  const events = parseResponseFrames(body);
  expect(findResponseBreaks(events)).toEqual([]);
  const { text, calls, error } = foldResponse(events);
  return {
    text,
    tools:
      error === undefined
        ? calls.map((call) => ({ name: call.name, input: JSON.parse(call.arguments) }))
        : [],
    error,
  };
}

const dialects = [
  { dialect: "chat", path: "/v1/chat/completions", read: readChat },
  { dialect: "messages", path: "/v1/messages", read: readMessages },
  { dialect: "responses", path: "/v1/responses", read: readResponses },
];

const chatPrompt = { max_tokens: 100, messages: [{ role: "user", content: "Hi" }] };

async function ask(
  wire: Wire,
  path: string,
  provider: (sent: Sent) => Response,
  fields: object = { stream: true },
) {
  const caller = await newCaller(1_000_000);
  const app = createTestApp({
    provider: [provider],
    limits: { firstByteMs: 300, idleMs: 150, totalMs: 1_500 },
  });
  const response = await app.post(
    path,
    caller.apiKey,
    {
      model: wire.model,
      ...(path === "/v1/responses" ? { input: "Hi", max_output_tokens: 100 } : chatPrompt),
      ...fields,
    },
    wire.headers,
  );
  const body = await response.text();
  await response.settled();
  expect((await caller.account())?.openHolds).toBe(0);
  return { status: response.status, body, response };
}

const said = { text: "Grüße, 世界 👩‍🚀", tools: [{ name: "now", input: {} }], error: undefined };

type Odd = [string, (wire: Wire) => (sent: Sent) => Response];
const harmless: Odd[] = [
  ["a tool call without argument deltas", (wire) => send(whole(wire))],
  [
    "comments everywhere",
    (wire) => send([": hello", ...whole(wire).flatMap((frame) => [frame, ": still here"])]),
  ],
  ["CRLF line ends", (wire) => () => respond([encoder.encode(join(whole(wire), "\r\n"))])],
  [
    "events of an unknown type",
    (wire) => send([...wire.start, wire.unknown, ...wire.words, wire.unknown, ...wire.tool, ...wire.end]),
  ],
  [
    "one byte at a time",
    (wire) => () => respond([...encoder.encode(join(whole(wire)))].map((byte) => Uint8Array.of(byte))),
  ],
  [
    "a second start",
    (wire) => send([...wire.start, ...wire.start, ...wire.words, ...wire.tool, ...wire.end]),
  ],
  [
    "`event: data` and [DONE] at its end (failures 24)",
    (wire) => send([...whole(wire), "event: data\ndata: [DONE]"]),
  ],
  [
    "no line end after its last event",
    (wire) => () => respond([encoder.encode(join(whole(wire)).trimEnd())]),
  ],
  ["a byte order mark", (wire) => () => respond([encoder.encode(`\u{feff}${join(whole(wire))}`)])],
  ...["text/plain", "application/json", "Text/Event-Stream", ""].map(
    (type): Odd => [
      `the content type ${JSON.stringify(type)} (failures 36)`,
      (wire) => () =>
        respond(
          [...encoder.encode(`\n${join(whole(wire))}`)].map((byte) => Uint8Array.of(byte)),
          {
            headers: type === "" ? {} : { "content-type": type },
          },
        ),
    ],
  ),
];

const staysOpen: Odd = [
  "a connection that stays open after its end (failures 35)",
  (wire) => (sent) => respond([encoder.encode(join(whole(wire)))], { hangs: sent }),
];
/** After the end mark, which Gemini's wire has not. */
const afterTheEnd: Odd[] = [
  [
    "a connection that is reset after its end (failures 35)",
    (wire) => () => respond([encoder.encode(join(whole(wire)))], { breaks: true }),
  ],
];

const fatal: [string, (wire: Wire) => (sent: Sent) => Response, RegExp][] = [
  ["closes without its end mark", (wire) => send([...wire.start, ...wire.words]), /broke|complete|closed/i],
  [
    "loses the connection",
    (wire) => () => respond([encoder.encode(join([...wire.start, ...wire.words]))], { breaks: true }),
    /broke/,
  ],
  [
    "says an error in the middle",
    (wire) => send([...wire.start, ...wire.words, wire.failure]),
    /The host fell over/,
  ],
  [
    "sends half an event",
    (wire) => send([...wire.start, ...wire.words, wire.garbage]),
    /read|broke|complete/,
  ],
  // Failures 29: the first words came in time, so only silence can be too long.
  [
    "goes silent",
    (wire) => (sent) => respond([encoder.encode(join([...wire.start, ...wire.words]))], { hangs: sent }),
    /time limit|in time/,
  ],
];

describe.each(dialects)("a caller of $dialect", ({ path, read }) => {
  describe.each(wires)("on $name", (wire) => {
    const marked = wire.name === "Gemini's wire" ? [] : afterTheEnd;
    test.each([...harmless, staysOpen, ...marked])(
      "gets the whole answer in spite of %s",
      async (_name, provider) => {
        const { status, body } = await ask(wire, path, provider(wire));
        expect(status).toBe(200);
        expect(read(body)).toEqual(said);
      },
    );

    test.each(fatal)("is told when the provider %s", async (_name, provider, words) => {
      const { status, body } = await ask(wire, path, provider(wire));
      expect(status).toBe(200);
      const { text: heard, error } = read(body);
      expect(error).toMatch(words);
      expect(said.text.startsWith(heard)).toBe(true);
    });

    test.each([
      [429, "slow down", 429],
      [502, "<html>bad gateway</html>", 502],
      [500, "", 502],
      [400, "{}", 400],
    ])("gets a status for the provider's %i", async (status, body, expected) => {
      const provider = () => new Response(body, { status, headers: { "retry-after": "3" } });
      const { status: answered, body: error, response } = await ask(wire, path, provider);
      expect(answered).toBe(expected);
      expect(JSON.parse(error)).toMatchObject({
        error: { message: expect.stringContaining(String(status)) },
      });
      if (expected === 429) expect(response.headers.get("retry-after")).toBe("3");
    });

    test.each([
      ["a JSON body cut short", '{"id":"x","choi'],
      ["a JSON body of another shape", '{"hello":"world"}'],
      ["an empty body", ""],
      ["a page of HTML", "<html>hello</html>"],
    ])("gets an error for %s under a 200", async (_name, body) => {
      const provider = () => new Response(body, { headers: { "content-type": "application/json" } });
      const { status, body: error } = await ask(wire, path, provider, {});
      expect(status).toBe(502);
      expect(JSON.parse(error).error.message.length).toBeGreaterThan(20);
    });
  });
});

test.each(dialects)(
  "a call nested past what can be written is no fault of the request, for a caller of $dialect",
  async ({ path }) => {
    const [wire] = wires as [Wire];
    const call = (piece: object) => chunk({ tool_calls: [{ index: 0, ...piece }] });
    const nested = `{"a":${"[".repeat(60_000)}${"]".repeat(60_000)}}`;
    const frames = [
      ...wire.start,
      call({ id: "call_1", type: "function", function: { name: "now", arguments: nested } }),
      ...wire.end,
    ];
    const { status, body } = await ask(wire, path, send(frames), {});
    // Only Anthropic's format has the arguments as an object; in the others they are text.
    if (path !== "/v1/messages") return expect(status).toBe(200);
    expect(status).toBe(502);
    expect(JSON.parse(body)).toMatchObject({ error: { type: "api_error" } });
  },
);
