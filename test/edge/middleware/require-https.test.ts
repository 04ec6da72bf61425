import { expect, test } from "vitest";
import { cameInTheClear } from "../../../edge/middleware/require-https.ts";

test.each([
  ["loopback without a proxy", "http://127.0.0.1:8787/", {}, false],
  ["https on Cloudflare", "https://svc.example/", { "cf-connecting-ip": "203.0.113.9" }, false],
  ["http on Cloudflare", "http://svc.example/", { "cf-connecting-ip": "203.0.113.9" }, true],
  [
    "http on Cloudflare that claims to be https",
    "http://svc.example/",
    { "cf-connecting-ip": "203.0.113.9", "x-forwarded-proto": "https" },
    true,
  ],
  [
    "https ended at a reverse proxy",
    "http://127.0.0.1/",
    { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https" },
    false,
  ],
  [
    "http through a reverse proxy",
    "http://127.0.0.1/",
    { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "http" },
    true,
  ],
  [
    "http through a proxy that does not say how",
    "http://127.0.0.1/",
    { "x-forwarded-for": "203.0.113.9" },
    true,
  ],
  [
    "http through a proxy on this machine",
    "http://127.0.0.1/",
    { "x-forwarded-for": "127.0.0.1", "x-forwarded-proto": "http" },
    false,
  ],
])("%s: in the clear is %s", (_name, url, headers, clear) => {
  expect(cameInTheClear(new Headers(headers as Record<string, string>), url)).toBe(clear);
});
