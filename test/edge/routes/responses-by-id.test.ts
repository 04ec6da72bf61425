// Items of /v1/responses that a caller sends back by their id alone.
import { describe, expect, test } from "vitest";
import { leastMs } from "../../support/least-ms.ts";
import { findResponseBreaks, foldResponse, parseResponseFrames } from "../../support/responses-stream.ts";
import { createTestApp, newCaller, openaiStream } from "../support/app.ts";
import { alpha, ask, completion, type Json, json } from "../support/ask-responses.ts";

describe("items sent back by id", () => {
  const secret = "The capital is Oslo.";
  const sdks = [
    "ai/6.0.326 ai-sdk/openai/3.0.118 runtime/node.js/24",
    "ai-sdk-openai/4.0.118 ai-sdk-provider-utils/5.0.81 node.js/24",
    "ai-sdk-agent/tool-loop ai-sdk-provider-utils/5.0.81 node.js/24",
    "my-app/1 ai-sdk/provider-utils/4.0.50 runtime/node.js/24",
  ];

  test("of a JSON answer carry themselves", async () => {
    const first = await ask(alpha, { input: "x" }, [json(completion({ content: secret }))]);
    const input = [
      { role: "user", content: "x" },
      // The SDK's type is optional.
      { id: first.body.output[0]?.id },
      { role: "user", content: "And?" },
    ];
    const second = await ask(alpha, { input });
    expect(second.sent[0]?.body.messages).toEqual([
      { role: "user", content: "x" },
      { role: "assistant", content: secret },
      { role: "user", content: "And?" },
    ]);
  });

  test.each(sdks)("of a stream are in its last item, for clients that refer (%s)", async (sdk) => {
    const stream = () => openaiStream([secret.slice(0, 5), secret.slice(5)]);
    const first = await ask(alpha, { input: "x", stream: true }, [stream], { "user-agent": sdk });
    const events = parseResponseFrames(first.text);
    expect(findResponseBreaks(events)).toEqual([]);
    const ids = events.flatMap((event) =>
      event.type === "response.output_item.done" ? [(event.item as Json).id] : [],
    );
    expect(ids).toHaveLength(2);
    const input = [
      { role: "user", content: "x" },
      ...ids.map((id) => ({ type: "item_reference", id })),
      { role: "user", content: "And?" },
    ];
    const second = await ask(alpha, { input });
    expect(second.sent[0]?.body.messages).toEqual([
      { role: "user", content: "x" },
      { role: "assistant", content: secret },
      { role: "user", content: "And?" },
    ]);
    const plain = await ask(alpha, { input: "x", stream: true }, [stream]);
    expect(foldResponse(parseResponseFrames(plain.text)).output).toHaveLength(1);
  });

  test.each([
    ["of nobody", "msg_68af"],
    ["that are broken", "msg_svc1.AAAA"],
    ["that are no base64", "msg_svc1.%%%"],
  ])("%s are refused with what to do", async (_name, id) => {
    const { status, body } = await ask(alpha, {
      input: [
        { type: "item_reference", id },
        { role: "user", content: "x" },
      ],
    });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      code: "invalid_request",
      param: "input",
      message: /send the item itself/ as never,
    });
  });

  test("of one item of a carrier are refused from the second on: each place would hold all of it", async () => {
    const items = [{ type: "message", id: "msg_1", role: "assistant", content: secret }];
    const carrier = { type: "reasoning", id: await carrying(JSON.stringify({ items })), summary: [] };
    const item = { type: "item_reference", id: "msg_1" };
    const user = { role: "user", content: "x" };
    const once = await ask(alpha, { input: [user, carrier, item, user] });
    expect(once.sent[0]?.body.messages).toHaveLength(3);
    const { status, body, sent } = await ask(alpha, { input: [user, carrier, item, item, user] });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ param: "input", message: /Duplicate item found/ as never });
    expect(sent).toEqual([]);
  });

  /** An id that carries this text, deflated. */
  const carrying = async (text: string) => {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const packed = new Uint8Array(await new Response(stream).arrayBuffer());
    return `msg_svc1.${Buffer.from(packed).toString("base64url")}`;
  };
  const refer = async (...texts: string[]) => ({
    input: await Promise.all(
      texts.map(async (text) => ({ type: "item_reference", id: await carrying(text) })),
    ),
  });
  const saying = (content: unknown) => JSON.stringify({ type: "message", role: "user", content });

  test.each([
    ["together", [saying(" ".repeat(6_000_000)), saying(" ".repeat(6_000_000))]],
    ["one of few bytes", [saying(" ".repeat(12_000_000))]],
    ["one of many", [saying(`${" ".repeat(9_000_000)}${"xyz".repeat(600_000)}${Math.random()}`)]],
  ])("that unpack to more than a body may hold are refused: %s", async (_which, texts) => {
    const { status } = await ask(alpha, await refer(...texts));
    expect(status).toBe(413);
  });

  test("that unpack to more values than a body may be are refused before anybody checks them", async () => {
    const half = saying(Array.from({ length: 60_000 }, () => 0));
    const { status } = await ask(alpha, await refer(half, half));
    expect(status).toBe(413);
  });

  test("in any number are followed up to 2,000 of them, and refused beyond before one is unpacked", async () => {
    const id = await carrying(saying("hello"));
    const said = { input: Array.from({ length: 2_001 }, () => ({ type: "item_reference", id })) };
    const refuse = async () => {
      const { status, body } = await ask(alpha, said);
      expect(status).toBe(413);
      expect(body).toMatchObject({ error: { message: expect.stringContaining("more than 2,000 items") } });
    };
    expect(await leastMs(1_000, refuse)).toBeLessThan(1_000);
    said.input.pop();
    expect((await ask(alpha, said)).status).toBe(200);
  });

  test("are unpacked while other requests go on", async () => {
    const id = await carrying(saying("hello"));
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    const { status } = await ask(alpha, {
      input: Array.from({ length: 400 }, () => ({ type: "item_reference", id })),
    });
    clearInterval(timer);
    expect(status).toBe(200);
    expect(turns).toBeGreaterThan(40);
  });

  test("that hold much wait for memory as a large body does", async () => {
    const { apiKey } = await newCaller(10_000_000);
    const app = createTestApp({ bodyMemoryBytes: 4 * 1024 * 1024 });
    const response = await app.post("/v1/responses", apiKey, {
      model: "svc-x1ac-base-gpt-4o",
      ...(await refer(saying("a".repeat(1_000_000)))),
    });
    // Five copies of it are more than there ever is.
    expect(response.status).toBe(413);
    expect(app.sent).toEqual([]);
  });
});
