import { expect, test } from "vitest";
import { isPlainHttp } from "../../../edge/middleware/forwarded.ts";

const far = "203.0.113.9";
const via = (...forwarded: string[]) => ({ "x-forwarded-for": forwarded.join(", ") });
const as = (proto: string) => ({ "x-forwarded-proto": proto });

test.each([
  ["https on Cloudflare", "https://svc.example/", {}, false],
  ["http on Cloudflare", "http://svc.example/", {}, true],
  [
    "http on Cloudflare that claims otherwise",
    "http://svc.example/",
    { ...via("127.0.0.1"), ...as("https") },
    true,
  ],
])("%s: in the clear is %s", (_name, url, headers, clear) => {
  const proxyTrust = { onCloudflare: true, trustedProxies: 1 };
  expect(isPlainHttp(new Headers(headers as Record<string, string>), url, proxyTrust)).toBe(clear);
});

test.each([
  ["loopback without a proxy", 0, {}, false],
  ["a client that says it is on Cloudflare", 0, { "cf-connecting-ip": far }, false],
  ["an undeclared proxy, whatever it says", 0, { ...via(far), ...as("https") }, true],
  ["an undeclared proxy and a client that says it is here", 0, via("127.0.0.1"), true],
  ["no proxy where one is declared", 1, {}, false],
  ["https ended at the proxy", 1, { ...via(far), ...as("https") }, false],
  ["http through the proxy", 1, { ...via(far), ...as("http") }, true],
  ["http through a proxy that does not say how", 1, via(far), true],
  ["http through a proxy, by a client on this machine", 1, { ...via("127.0.0.1"), ...as("http") }, false],
  ["a client that claims to be this machine", 1, { ...via("127.0.0.1", far), ...as("http") }, true],
  ["a client that claims https before the proxy's word", 1, { ...via(far), ...as("https, http") }, true],
  [
    "https through two proxies, http between them",
    2,
    { ...via(far, "10.0.0.2"), ...as("https, http") },
    false,
  ],
  ["http through two proxies", 2, { ...via("127.0.0.1", far, "10.0.0.2"), ...as("http, https") }, true],
  ["fewer hops than declared", 2, { ...via("127.0.0.1"), ...as("http") }, true],
])("%s, %d declared: in the clear is %s", (_name, trustedProxies, headers, clear) => {
  const proxyTrust = { onCloudflare: false, trustedProxies };
  const given = new Headers(headers as unknown as Record<string, string>);
  expect(isPlainHttp(given, "http://127.0.0.1:8787/", proxyTrust)).toBe(clear);
});
