// A conversation made short: as Codex 0.169 asks for it with its own provider at our address, and as OpenAI's SDK does.
import { describe, expect, test } from "vitest";
import { findResponseBreaks, foldResponse, parseResponseFrames } from "../../support/responses-stream.ts";
import { createTestApp, newCaller, openaiStream, openaiUsage, type Sent } from "../support/app.ts";

type Json = Record<string, unknown>;

const message = (role: string, text: string) => ({
  type: "message",
  id: `msg_${role}`,
  role,
  content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
});
const shell = { type: "function", name: "exec_command", strict: false, parameters: { type: "object" } };
const worked = [
  message("developer", "You are a coding agent"),
  message("user", "Read first.txt"),
  { type: "reasoning", id: "rs_1", summary: [], content: null, encrypted_content: null },
  { type: "function_call", id: "fc_1", name: "exec_command", arguments: "{}", call_id: "call_1" },
  { type: "function_call_output", id: "fco_1", call_id: "call_1", output: "WORD" },
];
const trigger = { type: "compaction_trigger" };
const summary = "first.txt says WÖRD.";

async function ask(
  input: unknown,
  pieces: string[],
  fields: Json = {},
  path = "/v1/responses",
  finish = "stop",
) {
  const { apiKey } = await newCaller(1_000_000);
  const app = createTestApp({ provider: [() => openaiStream(pieces, openaiUsage(12, 3), finish)] });
  const fixed = { model: "svc-x1ac-base-gpt-4o", tools: [shell], tool_choice: "auto", stream: true };
  const response = await app.post(path, apiKey, { ...fixed, input, ...fields }, { "x-alpha-key": "own" });
  const text = await response.text();
  await response.settled();
  const unsupported = response.headers.get("x-svc-unsupported");
  return { status: response.status, text, unsupported, sent: (app.sent as Sent[])[0]?.body ?? {} };
}

async function compact(fields: Json = {}) {
  const { text, ...answer } = await ask([...worked, trigger], ["first.txt ", "says WÖRD."], fields);
  const events = parseResponseFrames(text);
  expect(findResponseBreaks(events)).toEqual([]);
  return { ...answer, events, ...foldResponse(events) };
}

describe("a compaction_trigger", () => {
  test("is answered with one item, and completed", async () => {
    const { output, status, events, unsupported } = await compact();
    expect(output).toEqual([
      { type: "compaction", id: expect.stringMatching(/^cmp_/), encrypted_content: expect.any(String) },
    ]);
    expect(status).toBe("completed");
    expect(events.filter(({ type }) => type === "response.output_item.done")).toHaveLength(1);
    expect(unsupported).toBeNull();
  });

  test("in JSON, too", async () => {
    const { text } = await ask([...worked, trigger], [summary], { stream: false });
    expect(JSON.parse(text)).toMatchObject({ status: "completed", output: [{ type: "compaction" }] });
  });

  test("asks the model for a summary: its tools stay, none is called, and no plan or format is told", async () => {
    const format = { type: "json_schema", name: "n", schema: { type: "object" } };
    const { sent } = await compact({ text: { format } });
    expect(sent).toMatchObject({ tool_choice: "none", tools: [{ function: { name: "exec_command" } }] });
    expect(sent).not.toHaveProperty("response_format");
    const messages = sent.messages as Json[];
    expect(messages.at(-1)).toMatchObject({ role: "user", content: expect.stringContaining("Write down") });
    expect(JSON.stringify(messages)).not.toContain("svc plan");
  });

  test("fails where the model wrote none: its work would be forgotten", async () => {
    const { text } = await ask([...worked, trigger], ["\n"]);
    expect(parseResponseFrames(text).map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "error",
      "response.failed",
    ]);
    expect(await ask([...worked, trigger], [], { stream: false })).toMatchObject({ status: 502 });
  });

  test("in the middle of a history is named", async () => {
    const { unsupported, sent } = await ask([trigger, ...worked], ["ok"]);
    expect(unsupported).toBe("input.compaction_trigger");
    expect(sent).toMatchObject({ tool_choice: "auto" });
  });
});

describe("POST /v1/responses/compact", () => {
  const compactAll = (input: unknown, fields: Json = {}, pieces = [summary]) =>
    ask(input, pieces, { stream: undefined, ...fields }, "/v1/responses/compact");

  test("answers with the user's messages and one item in place of everything else", async () => {
    const { status, text, sent } = await compactAll(worked);
    expect(status).toBe(200);
    const answer = JSON.parse(text);
    expect(answer).toMatchObject({
      id: expect.stringMatching(/^resp_/),
      object: "response.compaction",
      created_at: expect.any(Number),
      output: [
        { ...message("user", "Read first.txt"), status: "completed" },
        { type: "compaction", id: expect.stringMatching(/^cmp_/), encrypted_content: expect.any(String) },
      ],
      usage: { input_tokens: 12, output_tokens: 3, total_tokens: 15 },
    });
    expect(answer.svc.credits_charged).toBe(answer.usage.cost);
    expect((sent.messages as Json[]).at(-1)).toMatchObject({
      content: expect.stringContaining("Write down"),
    });
  });

  test("fails where the output limit cut the summary off: the rest would be forgotten", async () => {
    const { status, text } = await ask(
      worked,
      [summary],
      { stream: undefined },
      "/v1/responses/compact",
      "length",
    );
    expect(status).toBe(502);
    expect(JSON.parse(text).error).toMatchObject({ message: expect.stringContaining("max_output_tokens") });
  });

  test("gives messages without an id one, and a text as a message", async () => {
    const picture = { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=", detail: "low" };
    const written = await compactAll([{ role: "user", content: [picture] }, message("assistant", "A bird")]);
    expect(JSON.parse(written.text).output[0]).toMatchObject({
      id: expect.stringMatching(/^msg_/),
      content: [picture],
    });
    const { text } = await compactAll("Read first.txt");
    expect(JSON.parse(text).output[0].content).toEqual([{ type: "input_text", text: "Read first.txt" }]);
  });

  test("what it answers tells the model in the next turn what it wrote", async () => {
    const { output } = JSON.parse((await compactAll(worked)).text);
    const { sent, unsupported } = await ask([...output, message("user", "Go on")], ["ok"]);
    const told = JSON.stringify(sent.messages);
    expect(told).toContain("Read first.txt");
    expect(told).toContain(summary);
    expect(told).not.toContain("exec_command");
    expect(unsupported).toBeNull();
  });

  test.each([
    ["a stream", worked, { stream: true }, 400, "stream"],
    ["what is kept elsewhere", undefined, { previous_response_id: "resp_1" }, 400, "previous_response_id"],
    ["no input", undefined, {}, 422, "input"],
    ["an empty input", [], {}, 400, "input"],
  ])("refuses %s", async (_, input, fields, status, named) => {
    const refused = await compactAll(input, fields);
    expect(refused).toMatchObject({ status, sent: {} });
    expect(refused.text).toContain(named);
  });

  test("fails where the model wrote no summary", async () => {
    expect(await compactAll(worked, {}, ["\n"])).toMatchObject({ status: 502 });
  });
});

describe("a compaction item", () => {
  test("tells the model in the next turn what it wrote", async () => {
    const { output } = await compact();
    const input = [message("developer", "You are a coding agent"), message("user", "Read it"), ...output];
    const { sent, unsupported } = await ask(input, ["ok"], { svc: { plan: "off" } });
    const told = (sent.messages as Json[]).at(-1);
    expect(told).toMatchObject({ role: "user", content: expect.stringContaining(summary) });
    expect(unsupported).toBeNull();
  });

  test("of another service is named: nothing can be read of it", async () => {
    const foreign = { type: "compaction", id: "cmp_1", encrypted_content: "gAAAAA" };
    const { unsupported, text } = await ask([...worked, foreign], ["ok"]);
    expect(unsupported).toBe("input.compaction");
    expect(text).toContain("response.completed");
  });
});
