// Embeddings, rollouts and health through the whole service as `npm start` runs it.
import { readFileSync } from "node:fs";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
let client: OpenAI;
beforeAll(async () => {
  service = await startService();
  client = new OpenAI({ apiKey: service.demoKey, baseURL: `${service.url}/v1`, maxRetries: 0 });
}, 90_000);
afterAll(() => service.stop());

const model = "svc-x1ac-base";
const post = (path: string, body: unknown) =>
  fetch(service.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${service.demoKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const norm = (values: readonly number[]) => Math.hypot(...values);

describe("embeddings", () => {
  test("by the official client, base64 as it asks by default: unit vectors of 768", async () => {
    const { data, usage } = await client.embeddings.create({
      model,
      input: ["a cat", "a kitten", "tax law"],
    });
    const [cat, kitten, tax] = data.map(({ embedding }) => embedding);
    for (const vector of [cat!, kitten!, tax!]) {
      expect(vector).toHaveLength(768);
      expect(norm(vector)).toBeCloseTo(1, 5);
    }
    const distance = (left: number[], right: number[]) => norm(left.map((value, at) => value - right[at]!));
    expect(distance(cat!, kitten!)).toBeLessThan(distance(cat!, tax!));
    expect(usage.total_tokens).toBeGreaterThan(6);
  });

  test("of a text are the same alone and among a hundred, in numbers as in base64", async () => {
    const texts = Array.from({ length: 100 }, (_, index) => `${"word ".repeat(index % 40)}number ${index}`);
    const together = await client.embeddings.create({ model, input: texts });
    for (const place of [0, 57, 99]) {
      const alone = await client.embeddings.create({ model, input: texts[place]!, encoding_format: "float" });
      const away = alone.data[0]!.embedding.map((value, at) => value - together.data[place]!.embedding[at]!);
      expect(norm(away)).toBeLessThan(1e-4);
    }
  });

  test("take 2048 tokens and refuse 2049 with 413, naming the text", async () => {
    expect((await post("/v1/embeddings", { model, input: "word ".repeat(2_048) })).status).toBe(200);
    const refused = await post("/v1/embeddings", { model, input: ["fine", "word ".repeat(2_049)] });
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining("index 1") } });
  });
});

describe("a rollout", () => {
  test("is planned toward the goal, and changes add up", async () => {
    const response = await post("/v1/rollout", { goal: "Book a flight from Berlin to Rome", max_steps: 3 });
    expect(response.status).toBe(200);
    const body = (await response.json()) as {
      predictions: { state_change: number }[];
      summary: { total_state_change: number; total_steps: number };
    };
    expect(body.summary.total_steps).toBe(body.predictions.length);
    const sum = body.predictions.reduce((total, { state_change }) => total + state_change, 0);
    expect(body.summary.total_state_change).toBeCloseTo(sum, 2);
    expect(Number(response.headers.get("x-svc-credits-charged"))).toBeGreaterThan(0);
  });

  test("follows the actions it is given, and says the same twice", async () => {
    const ask = async () =>
      (await (await post("/v1/rollout", { goal: "Find a book", actions: [10, 30, 11] })).json()) as object;
    const [one, two] = [await ask(), await ask()];
    expect(one).toMatchObject({ action_sequence: [{ action_id: 10 }, { action_id: 30 }, { action_id: 11 }] });
    expect({ ...two, id: "", created: 0 }).toEqual({ ...one, id: "", created: 0 });
  });
});

test("health tells of a loaded brain", async () => {
  const file = new URL("../../gpu-worker/checkpoints/base/manifest.json", import.meta.url);
  const manifest = JSON.parse(readFileSync(file, "utf8")) as { name: string };
  const health = (await (await fetch(`${service.url}/health`)).json()) as object;
  expect(health).toMatchObject({
    svc_models_loaded: ["base"],
    brain: {
      loaded: true,
      checkpoint: manifest.name,
      num_actions: 903,
      tool_matching: "sentence-transformers",
    },
  });
});
