// Misbehaviour of providers and of servers that imitate them: each case ends in the complete answer or in an explicit error, for
// callers of both dialects and on every wire (known-failures.md, the table of Portkey).
import { describe, expect, test } from "vitest";
import { findOrderBreaks, foldMessage, parseFrames } from "../../support/messages-stream.ts";
import { findResponseBreaks, foldResponse, parseResponseFrames } from "../../support/responses-stream.ts";
import { createTestApp, newCaller, type Sent } from "../support/app.ts";
import { chunk, type Wire, wires } from "../support/hostile-wires.ts";

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
