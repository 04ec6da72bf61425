// Prompts and answers whose tokens we cannot count: who leaves before the report pays what the aggregator wrote down.
import { describe, expect, test } from "vitest";
import { catalogOf, defaultPricing, frame, leave, stay } from "../support/leave-early.ts";

/** Of no bytes in particular. */
const base64 = btoa(
  String.fromCharCode(
    ...Array.from({ length: 21_000 }, (_, at) => ((at * at * 2_654_435 + at * 97) >>> 9) & 255),
  ),
);

describe("a prompt whose tokens we cannot count", () => {
  const turn = (...content: object[]) => ({ messages: [{ role: "user", content }] });
  const text = (words: string) => turn({ type: "text", text: words });
  // Models that do not think.
  const catalog = catalogOf(["max_tokens"], "vendor/reader");
  const model = "svc-x1ac-base-vendor/reader";
  const read = (tokens: number) => ({ native_tokens_prompt: tokens, native_tokens_completion: 5 });
  // As from a tool that repeats one text on many pages.
  const pdf = { file_data: "data:application/pdf;base64,JVBERi0=", filename: "a.pdf" };

  test.each([
    ["a document", turn({ type: "file", file: pdf }), 60_000],
    [
      "a document somewhere else",
      turn({ type: "file", file: { file_data: "https://a.example/b.pdf" } }),
      300,
    ],
    ["sound", turn({ type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } }), 100],
    [
      "a document in a tool's result",
      {
        messages: [
          { role: "user", content: "hi" },
          {
            role: "assistant",
            tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
          },
          { role: "tool", tool_call_id: "c", content: [{ type: "file", file: pdf }] },
        ],
      },
      60_000,
    ],
    [
      "a cache mark, whose writes cost more than tokens that we count",
      turn({ type: "text", text: "hi", cache_control: { type: "ephemeral", ttl: "1h" } }),
      30,
    ],
    ["digits", text("3141592653 ".repeat(3_000)), 30_000],
    ["base64", text(base64), 19_000],
    ["another script", text("漢字仮名交じり文".repeat(1_000)), 9_000],
    ["signs", text("🧮±∮".repeat(1_000)), 8_500],
    [
      "JSON",
      text('{"name":"alice", "city":"oslo", "likes":["books", "long walks by the sea"]}, '.repeat(200)),
      6_000,
    ],
  ])("with %s costs who leaves as much as who stays", async (_what, body, tokens) => {
    const generation = [() => Response.json({ data: read(tokens) })];
    const left = await leave("four words", { body: { ...body, model }, catalog, generation });
    expect(left.asked).toHaveLength(1);
    expect(left.charge).toMatchObject({ inputTokens: tokens, flag: null });
    const wireUsage = { prompt_tokens: tokens, completion_tokens: 5, total_tokens: tokens + 5 };
    const stayed = await stay({ ...body, model }, wireUsage, catalog);
    expect(left.charge.amountMicro).toBe(stayed.amountMicro);
  });

  test.each([
    ["prose", "Whoever reads this, reads a plain sentence, with a comma or 2. ".repeat(50)],
    [
      "code",
      "for (const one of list) total += one.price * one.count; // adds up what each costs\n".repeat(50),
    ],
  ])("is not one of %s: its hold is gone when its caller is", async (_what, words) => {
    const { asked, charge } = await leave("four words", { body: { ...text(words), model }, catalog });
    expect(asked).toEqual([]);
    expect(charge).toMatchObject({ flag: "usage_missing", outputTokens: 5 });
  });
});

describe("an answer whose tokens we cannot count", () => {
  const pricing = { ...defaultPricing, image_output: "0.00012" };
  const catalog = catalogOf(["max_tokens"], "vendor/writer", pricing);
  const body = { model: "svc-x1ac-base-vendor/writer", max_tokens: 10_000 };
  const say = (delta: object) => frame({ choices: [{ index: 0, delta: { role: "assistant", ...delta } }] });
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
  const painted = say({ images: [image] });
  const last = say({ content: "four words" });

  test.each([
    [
      "another script",
      say({ content: "漢字仮名交じり文".repeat(100) }),
      { native_tokens_completion: 900 },
      900,
    ],
    ["digits", say({ content: "3141592653".repeat(100) }), { native_tokens_completion: 1_000 }, 1_000],
    ["base64", say({ content: base64.slice(0, 1_000) }), { native_tokens_completion: 700 }, 700],
    [
      "a picture",
      painted,
      { native_tokens_completion: 1_294, native_tokens_completion_images: 1_290 },
      1_294,
    ],
  ])("because of %s is charged as the aggregator wrote it down", async (_what, said, figures, tokens) => {
    const data = { native_tokens_prompt: 11, ...figures };
    const generation = [() => Response.json({ data })];
    const { asked, charge } = await leave("four words", { body, catalog, frames: [said, last], generation });
    expect(asked).toHaveLength(1);
    expect(charge).toMatchObject({ outputTokens: tokens, flag: null });
  });

  test("costs a picture's own price where nobody says what it used", async () => {
    const { charge } = await leave("four words", { body, catalog, frames: [painted, last] });
    expect(charge).toMatchObject({ flag: "usage_missing", outputTokens: 1_293 });
    expect(-charge.amountMicro).toBeGreaterThan(1_290 * 120 * 1.25);
  });

  test("costs a picture's own price where the aggregator says its tokens and no cost", async () => {
    const data = {
      native_tokens_prompt: 11,
      native_tokens_completion: 1_294,
      native_tokens_completion_images: 1_290,
    };
    const generation = [() => Response.json({ data })];
    const { charge } = await leave("four words", { body, catalog, frames: [painted, last], generation });
    expect(-charge.amountMicro).toBeGreaterThan(1_290 * 120 * 1.25);
  });

  test.each([
    ["prose", "Whoever reads this, reads a plain sentence, with a comma or 2. "],
    ["code", "for (const one of list) total += one.price * one.count; // adds up what each costs\n"],
    ["JSON", '{"name":"Alice","age":30,"city":"Oslo","likes":["books","long walks"]},'],
  ])("is not one of %s", async (_what, words) => {
    const frames = [say({ content: words.repeat(20) }), last];
    expect((await leave("four words", { body, catalog, frames })).asked).toEqual([]);
  });
});
