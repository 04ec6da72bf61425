// How many output tokens a provider is asked for at most.
import { expect, test } from "vitest";
import { capOutputTokens } from "../../../../edge/pipeline/tokens/output-bounds.ts";
import { requestOf } from "../../support/chat-request.ts";

const own = { keySource: "user", provider: "alpha", outputLimit: 20_000, contextWindow: 50_000 } as const;
const router = { ...own, provider: "router" } as const;
const pooled = { ...router, keySource: "pool" } as const;
const unlimited = { outputLimit: undefined };

test.each([
  ["of a vendor as many as the model writes", own, 80_000, 20_000],
  [
    "of an aggregator's hosts, which have limits of their own, as many as the caller asked for",
    router,
    80_000,
    80_000,
  ],
  ["on the pool as many as the model writes", pooled, 80_000, 20_000],
  ["on the pool as many as fit the window", { ...pooled, ...unlimited }, 80_000, 50_000],
  ["on the pool 8,192 unless the caller says", pooled, undefined, 8_192],
  ["on a caller's own key none unless the caller says", own, undefined, undefined],
  ["fewer where the caller says so", own, 100, 100],
])("%s", (_what, route, asked, cap) => {
  const request = { ...requestOf([]), ...(asked !== undefined && { maxOutputTokens: asked }) };
  expect(capOutputTokens(request, route)).toBe(cap);
});
