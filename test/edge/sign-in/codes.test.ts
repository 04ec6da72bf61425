// Pure parts of signing in: codes, e-mail addresses, networks, our own origin.
import { describe, expect, test } from "vitest";
import { type ProxyTrust, readClientNetwork, readOwnOrigin } from "../../../edge/middleware/forwarded.ts";
import { createCode, keepCode, siteOf } from "../../../edge/sign-in/codes.ts";
import { mailboxOf, readEmailAddress } from "../../../edge/sign-in/email-address.ts";
import { keyedHash } from "../../../edge/sign-in/keyed-hash.ts";
import { openTestDatabase } from "../support/accounts.ts";

const bytes = (...values: number[]) => Uint8Array.from([...Array(8 - values.length).fill(0), ...values]);

describe("a code", () => {
  test.each([
    [bytes(), "000000"],
    [bytes(7), "000007"],
    [bytes(0x0f, 0x42, 0x3f), "999999"],
    [bytes(0x0f, 0x42, 0x40), "000000"],
  ])("of %j is six digits", (random, code) => expect(createCode(random)).toBe(code));
});

test("a visitor with all codes of an hour may ask again where the clock was set back by hours", async () => {
  const database = openTestDatabase();
  const address = `${crypto.randomUUID()}@example.com`;
  const askAt = async (now: number) => {
    const request = { codeId: crypto.randomUUID(), address, network: crypto.randomUUID(), code: "000000" };
    return (await keepCode({ database, secret: "s", now }, request)).added;
  };
  const now = Date.now();
  for (let code = 0; code < 20; code++) expect(await askAt(now)).toBe(true);
  expect([await askAt(now), await askAt(now - 30_000), await askAt(now - 3 * 3_600_000)]).toEqual([
    false,
    false,
    true,
  ]);
});

describe("an address", () => {
  test.each([
    [" You@Example.COM ", "you@example.com"],
    ["a.b+c@sub.example.co", "a.b+c@sub.example.co"],
    ["demo@localhost", "demo@localhost"],
    // The Kelvin sign is a k to toLowerCase, and another mailbox.
    ["\u212Aim@example.com", undefined],
    ["a@b@example.com", undefined],
    ["a@example.com, b@example.com", undefined],
    ['"a b"@example.com', undefined],
    ["<a@example.com>", undefined],
    ["a@-example.com", undefined],
    [`${"a".repeat(65)}@example.com`, undefined],
    [`a@${"b".repeat(260)}`, undefined],
  ])("%j", (text, address) => expect(readEmailAddress(text)).toBe(address));
});

describe("the mailbox of an address", () => {
  test.each([
    ["you@example.com", "you@example.com"],
    ["you+news@example.com", "you@example.com"],
    ["you+a+b@example.com", "you@example.com"],
    ["y.o.u@example.com", "y.o.u@example.com"],
    ["y.o.u+1@gmail.com", "you@gmail.com"],
    ["you@googlemail.com", "you@gmail.com"],
    ["you@notgmail.com", "you@notgmail.com"],
    ["y.o-u_+1@protonmail.com", "you@proton.me"],
    ["y.ou@pm.me", "you@proton.me"],
    ["y-o_u@notproton.me", "y-o_u@notproton.me"],
    ["y.o-u+1@ya.ru", "y-o-u@yandex.ru"],
    ["y-o.u@yandex.com", "y-o-u@yandex.ru"],
    ["you@yandex.kz", "you@yandex.ru"],
    ["y.ou@notyandex.ru", "y.ou@notyandex.ru"],
    ["y.ou+1@me.com", "y.ou@icloud.com"],
    ["you@mac.com", "you@icloud.com"],
    ["you@home.com", "you@home.com"],
    // There is no name before the plus sign, so it is part of the name.
    ["+1@example.com", "+1@example.com"],
  ])("%s is %s", (address, mailbox) => expect(mailboxOf(address)).toBe(mailbox));
});

describe("a keyed hash", () => {
  test("differs by secret, purpose and every part, and is nothing that a plain hash gives", async () => {
    const hashes = await Promise.all([
      keyedHash("s1", "code", ["a", "b"]),
      keyedHash("s2", "code", ["a", "b"]),
      keyedHash("s1", "address", ["a", "b"]),
      keyedHash("s1", "code", ["ab", ""]),
    ]);
    expect(new Set(hashes).size).toBe(4);
    expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
  });
});

const direct: ProxyTrust = { onCloudflare: false, trustedProxies: 0 };
const proxied: ProxyTrust = { onCloudflare: false, trustedProxies: 1 };
const cloudflare: ProxyTrust = { onCloudflare: true, trustedProxies: 0 };
const request = (url: string, headers: Record<string, string> = {}) => new Request(url, { headers });

describe("our own origin", () => {
  test.each([
    ["as it came", direct, "http://127.0.0.1:8787", {}, "http://127.0.0.1:8787"],
    [
      "behind a proxy that ends TLS",
      proxied,
      "http://svc.example",
      { "x-forwarded-proto": "https" },
      "https://svc.example",
    ],
    [
      "a client's word is not believed",
      direct,
      "http://svc.example",
      { "x-forwarded-proto": "https" },
      "http://svc.example",
    ],
    ["behind a proxy, from this machine", proxied, "http://127.0.0.1:1", {}, "http://127.0.0.1:1"],
    [
      "on Cloudflare",
      cloudflare,
      "https://svc.example",
      { "x-forwarded-proto": "http" },
      "https://svc.example",
    ],
  ])("%s", (_name, proxyTrust, url, headers, origin) =>
    expect(readOwnOrigin(request(url, headers), proxyTrust)).toBe(origin),
  );
});

describe("a network", () => {
  test.each([
    ["this machine", direct, {}, "local"],
    [
      "a client's word is not believed",
      direct,
      { "x-forwarded-for": "203.0.113.1", "cf-connecting-ip": "203.0.113.1" },
      "local",
    ],
    ["behind a proxy", proxied, { "x-forwarded-for": "198.51.100.1, 203.0.113.1" }, "203.0.113.1"],
    ["behind a proxy that adds the port", proxied, { "x-forwarded-for": "203.0.113.1:4711" }, "203.0.113.1"],
    ["its IPv6 form", proxied, { "x-forwarded-for": "[2001:db8::1]:4711" }, "2001:db8:0:0"],
    ["on Cloudflare", cloudflare, { "cf-connecting-ip": "203.0.113.1" }, "203.0.113.1"],
    ["half of an IPv6 address", cloudflare, { "cf-connecting-ip": "2001:DB8:0:0a::1" }, "2001:db8:0:a"],
    ["the same in full", cloudflare, { "cf-connecting-ip": "2001:0db8:0000:000a:1:2:3:4" }, "2001:db8:0:a"],
    [
      "an IPv4 address in an IPv6 one",
      cloudflare,
      { "cf-connecting-ip": "::ffff:203.0.113.1" },
      "203.0.113.1",
    ],
    ["zeros in front", cloudflare, { "cf-connecting-ip": "::1" }, "0:0:0:0"],
  ])("%s", (_name, proxyTrust, headers, network) =>
    expect(readClientNetwork(request("http://x", headers), proxyTrust)).toBe(network),
  );
});

describe("the site of a network", () => {
  test.each([
    ["203.0.113.1", "203.0.113.1"],
    ["2001:db8:7:a", "2001:db8:7"],
    ["2001:db8:7:b", "2001:db8:7"],
    ["0:0:0:0", "0:0:0"],
    ["local", "local"],
  ])("%s", (network, site) => expect(siteOf(network)).toBe(site));
});
