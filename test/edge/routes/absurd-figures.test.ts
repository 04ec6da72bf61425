// Usage that a gpu-worker or a provider reports is added to the account's sums: no reported number may break them.
import { expect, test } from "vitest";
import {
  createTestApp,
  newCaller,
  openaiStream,
  openaiUsage,
  type TestAppOptions,
  testPlan,
} from "../support/app.ts";

const most = Number.MAX_SAFE_INTEGER;
const body = {
  model: "svc-x1ac-base-gpt-4o",
  messages: [{ role: "user", content: "find a flight" }],
  max_tokens: 20,
};

async function chatTwice(options: TestAppOptions, headers: Record<string, string> = {}) {
  const caller = await newCaller(1_000_000);
  const app = createTestApp(options);
  for (const _ of [1, 2]) {
    const response = await app.chat(caller.apiKey, body, headers);
    expect(response.status).toBe(200);
    await response.text();
    await response.settled();
  }
  const usage = await app.send("/v1/account/usage", {
    headers: { authorization: `Bearer ${caller.apiKey}` },
  });
  return {
    charges: await caller.charges(),
    status: usage.status,
    usage: (await usage.json()) as { data: object[] },
  };
}

test("more planning tokens than a plan can have are not written down", async () => {
  const { charges, status, usage } = await chatTwice({ plan: async () => ({ ...testPlan, tokens: most }) });
  const [charge] = charges;
  expect(charge!.planningTokens).toBeLessThan(1_000);
  expect(status).toBe(200);
  expect(usage.data).toEqual([expect.objectContaining({ planning_tokens: 2 * charge!.planningTokens! })]);
});

test.each([
  ["the largest count", openaiUsage(most, most)],
  ["more than an integer", openaiUsage(1e300, 1e300)],
  ["less than nothing", openaiUsage(-1e6, -5)],
  ["half a token", openaiUsage(0.5, 0.5)],
])(
  "a provider that says %s on a caller's own key leaves the account's usage readable",
  async (_what, figures) => {
    const own = { "x-alpha-key": "sk-proj-own-0123456789" };
    const { status, usage } = await chatTwice({ provider: [() => openaiStream(["Hi"], figures)] }, own);
    expect([status, usage]).toEqual([200, expect.anything()]);
    for (const { prompt_tokens: prompt, completion_tokens: completion } of usage.data as Record<
      string,
      number
    >[]) {
      expect(prompt).toBeGreaterThanOrEqual(0);
      expect(completion).toBeGreaterThanOrEqual(0);
    }
  },
);
