import { expect, test } from "vitest";
import type { DemoAccount } from "../../../scripts/self-host/demo-account.ts";
import { chooseModel, describeDemo } from "../../../scripts/self-host/first-request.ts";

const named = (...llms: string[]) => ["gpt-5", "gpt-4o-mini", ...llms].map((llm) => `svc-x1ac-base-${llm}`);

test.each([
  ["nothing is known of the pool", named(), [], "gpt-4o-mini"],
  ["the aggregator has it", named("vendor/a"), ["vendor/a", "openai/gpt-4o-mini"], "gpt-4o-mini"],
  ["a server of one's own has others", named("llama3.2:latest"), ["llama3.2:latest"], "llama3.2:latest"],
  ["its first has no name here", named("b"), ["a", "b"], "b"],
  ["the names could not be read", [], [], "gpt-4o-mini"],
])("the first request goes to a model that the pool has: %s", (_, names, offered, llm) => {
  expect(chooseModel(names, offered)).toBe(`svc-x1ac-base-${llm}`);
});

test.each([
  [true, "try it:", false],
  [false, "the pool is off", true],
])("the request brings a provider's key where there is no pool: %s", async (poolOn, occasion, bringsKey) => {
  const demo = { created: true, apiKey: "svc_sk_live_demo", keyFile: "/data/demo-key" } as DemoAccount;
  // Nothing listens at this address, so the list of models cannot be read and the preferred model is named.
  const lines = await describeDemo({ url: "http://127.0.0.1:1", demo, offered: [], poolOn });
  expect(lines.some((line) => line.includes(occasion))).toBe(true);
  expect(lines.find((line) => line.startsWith("curl"))?.includes("X-Router-Key")).toBe(bringsKey);
});
