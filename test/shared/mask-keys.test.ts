import { expect, test } from "vitest";
import { maskKeys } from "../../shared/mask-keys.ts";

test.each([
  ["Bearer svc_sk_live_0aZ9", "Bearer [key]"],
  ["svc_tk_0aZ9 svc_ss_0aZ9 svc_ln_0aZ9 svc_rollout_1", "[key] [key] [key] svc_rollout_1"],
  ["sk-proj-abc_def-123 and sk-ant-api03-x", "[key] and [key]"],
  ["AIzaSyA-1234567890, gsk_0123456789, xai-0123456789", "[key], [key], [key]"],
  ["Google's newer AQ.Ab8RN6I0-12345678_90abcdef is masked", "Google's newer [key] is masked"],
  ["FAQ.md, an AQ.html and AQ. of water", "FAQ.md, an AQ.html and AQ. of water"],
  ["a desk-lampshade, a task-listing and the sk-y", "a desk-lampshade, a task-listing and the sk-y"],
])("%j reads %j", (text, masked) => {
  expect(maskKeys(text)).toBe(masked);
});
