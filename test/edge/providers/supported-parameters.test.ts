import { describe, expect, test } from "vitest";
import { providers } from "../../../edge/providers/registry.ts";
import {
  listSupportedParameters,
  otherTrials,
  settings,
  trySetting,
} from "../../../edge/providers/supported-parameters.ts";
import { type ProviderKind, providerKinds } from "../../../shared/providers.ts";

const models: Record<ProviderKind, string> = {
  alpha: "gpt-4o",
  beta: "claude-sonnet-4-5",
  gamma: "gemini-2.5-flash",
  router: "meta-llama/llama-3.3-70b-instruct",
};

describe.each(providerKinds)("%s", (kind) => {
  const { dialect } = providers[kind];
  const target = { model: models[kind], maxOutputTokens: 4096, outputLimit: 8192 };

  test.each(settings)("sends %s, or names it as left out", (setting) => {
    const tried = trySetting(dialect, target, setting, otherTrials[setting]);
    expect(tried).not.toEqual({ isSent: false, unsupported: [] });
  });
});

test.each([
  ["gamma", "logprobs", false],
  ["beta", "logprobs", false],
  ["alpha", "logprobs", true],
  ["gamma", "service_tier", true],
  ["beta", "service_tier", true],
] as const)("of %s's parameters %s is listed: %s", (provider, name, listed) => {
  const model = { id: models[provider], provider, contextWindow: 100_000, created: 0 };
  expect(listSupportedParameters(model).includes(name)).toBe(listed);
});
