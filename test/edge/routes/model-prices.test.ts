// The prices of /v1/models are those that are charged.
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { createTestApp, newCaller, openaiStream } from "../support/app.ts";

// Fifty requests on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const path = "/v1/models";

/** As a caller would reckon: prices are credits per 1M tokens, which is micro-credits per token. */
function reckon(
  pricing: Record<string, number>,
  used: { input: number; cached: number; output: number; reasoning: number },
) {
  const {
    planning,
    prompt,
    completion,
    cache_read: read,
    internal_reasoning: thought,
    request = 0,
  } = pricing;
  const sum =
    20 * planning! +
    (used.input - used.cached) * prompt! +
    used.cached * (read ?? prompt!) +
    (used.output - used.reasoning) * completion! +
    used.reasoning * (thought ?? completion!) +
    request * 1_000_000;
  return Math.ceil(Number(sum.toFixed(6)));
}

test("prices times usage are the ledger's charge, to the micro-credit, for 50 random requests", async () => {
  const usages: { input: number; cached: number; output: number; reasoning: number }[] = [];
  const app = createTestApp({
    provider: [
      () => {
        const { input, cached, output, reasoning } = usages.at(-1)!;
        const usage = {
          prompt_tokens: input,
          completion_tokens: output,
          total_tokens: input + output,
          prompt_tokens_details: { cached_tokens: cached },
          completion_tokens_details: { reasoning_tokens: reasoning },
        };
        return openaiStream(["x"], usage);
      },
    ],
  });
  const caller = await newCaller(1_000_000_000);
  const headers = { authorization: `Bearer ${caller.apiKey}` };
  const read = async <Body>(at: string) => (await app.send(at, { headers })).json<Body>();
  const { data } = await read<{ data: { id: string }[] }>(`${path}?size=base`);
  const drawn = fc.sample(
    fc.record({
      at: fc.nat(data.length - 2),
      input: fc.integer({ min: 0, max: 3_000 }),
      cachedShare: fc.double({ min: 0, max: 1, noNaN: true }),
      output: fc.integer({ min: 0, max: 2_000 }),
      reasoningShare: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    120,
  );
  let checked = 0;
  for (const { at, input, cachedShare, output, reasoningShare } of drawn) {
    const model = data[at + 1]!.id;
    const { pricing } = await read<{ pricing: Record<string, number> }>(`${path}/${model}`);
    if (checked === 50) break;
    if (pricing.prompt == null) continue;
    const used = {
      input,
      cached: Math.floor(input * cachedShare),
      output,
      reasoning: Math.floor(output * reasoningShare),
    };
    usages.push(used);
    const body = { model, messages: [{ role: "user", content: "long ".repeat(800) }], max_tokens: 2_000 };
    const response = await app.chat(caller.apiKey, body);
    expect(response.status).toBe(200);
    await response.settled();
    const [row] = await caller.charges();
    expect({ model, flag: row!.flag, charge: -row!.amountMicro }).toEqual({
      model,
      flag: null,
      charge: reckon(pricing, used),
    });
    checked += 1;
  }
  expect(checked).toBe(50);
});
