import { describe, expect, test } from "vitest";
import { providers } from "../../../edge/providers/registry.ts";
import {
  listSupportedParameters,
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

/** Values that say more than a default does. */
const stronger = { serviceTier: { serviceTier: "flex" } };

describe.each(providerKinds)("%s", (kind) => {
  const { dialect } = providers[kind];
  const target = { model: models[kind], maxOutputTokens: 4096, outputLimit: 8192 };

  test.each(settings)("sends %s, or names it as left out", (setting) => {
    const fields = setting === "serviceTier" ? stronger[setting] : undefined;
    const tried = trySetting(dialect, target, setting, fields);
    expect(tried).not.toEqual({ isSent: false, unsupported: [] });
  });
});

test.each([
  ["gamma", false],
  ["beta", true],
] as const)(
  "a parameter that %s's requests never have is not listed (service_tier: %s)",
  (provider, listed) => {
    const model = { id: models[provider], provider, contextWindow: 100_000, created: 0 };
    expect(listSupportedParameters(model).includes("service_tier")).toBe(listed);
  },
);
