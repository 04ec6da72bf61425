import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createAccessToken,
  createApiKey,
  createSignInSecret,
  hashApiKey,
  hasValidChecksum,
  isAccessToken,
  isSignInSecret,
  readTokenExpiry,
  showPrefix,
} from "../../edge/api-key.ts";

const secret = fc.uint8Array({ minLength: 32, maxLength: 32 });
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

describe("an API key", () => {
  it("has the prefix, 49 digits and a valid checksum, whatever the random bytes", () => {
    fc.assert(
      fc.property(secret, (bytes) => {
        const key = createApiKey(bytes);
        expect(key).toMatch(/^svc_sk_live_[0-9A-Za-z]{49}$/);
        expect(hasValidChecksum(key)).toBe(true);
      }),
    );
  });

  it("keeps all 256 bits: other bytes give another key", () => {
    fc.assert(
      fc.property(secret, fc.integer({ min: 0, max: 255 }), (bytes, bit) => {
        const other = bytes.slice();
        other[bit >> 3]! ^= 1 << (bit & 7);
        expect(createApiKey(other)).not.toBe(createApiKey(bytes));
      }),
    );
  });

  it("is refused with one character mistyped", () => {
    fc.assert(
      fc.property(
        secret,
        fc.integer({ min: 12, max: 60 }),
        fc.constantFrom(...alphabet),
        (bytes, at, digit) => {
          const key = createApiKey(bytes);
          fc.pre(key[at] !== digit);
          expect(hasValidChecksum(key.slice(0, at) + digit + key.slice(at + 1))).toBe(false);
        },
      ),
    );
  });

  it("is refused with two neighbours swapped", () => {
    fc.assert(
      fc.property(secret, fc.integer({ min: 12, max: 59 }), (bytes, at) => {
        const key = createApiKey(bytes);
        fc.pre(key[at] !== key[at + 1]);
        expect(hasValidChecksum(key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2))).toBe(false);
      }),
    );
  });

  const key = createApiKey(new Uint8Array(32).fill(7));
  it.each([
    "",
    "svc_sk_live_",
    key.slice(1),
    key.slice(0, -1),
    `${key}0`,
    `${key}\n`,
    ` ${key}`,
    key.toUpperCase(),
    "é".repeat(61),
  ])("refuses %j", (text) => expect(hasValidChecksum(text)).toBe(false));

  it("needs exactly 32 random bytes", () => {
    expect(() => createApiKey(new Uint8Array(31))).toThrow(RangeError);
  });

  it("is shown with four of its random digits", () => {
    expect(showPrefix(key)).toBe(key.slice(0, "svc_sk_live_".length + 4));
  });

  it("is stored as its SHA-256 in hex", async () => {
    // FIPS 180-4 example "abc".
    expect(await hashApiKey("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });
});

describe("a secret that signs in", () => {
  const bytes = new Uint8Array(32).fill(7);

  it.each(["session", "link"] as const)("is known by its kind: one of a %s is none of the other", (kind) => {
    const text = createSignInSecret(kind, bytes);
    const other = kind === "session" ? "link" : "session";
    expect([isSignInSecret(kind, text), isSignInSecret(other, text)]).toEqual([true, false]);
    expect([isSignInSecret(kind, `${text}0`), isSignInSecret(kind, text.slice(0, -1))]).toEqual([
      false,
      false,
    ]);
    const mistyped = text.slice(0, 10) + (text[10] === "0" ? "1" : "0") + text.slice(11);
    expect(isSignInSecret(kind, mistyped)).toBe(false);
    expect(hasValidChecksum(text)).toBe(false);
  });
});

describe("a token", () => {
  const second = fc.integer({ min: 0, max: 56_800_235_583 });

  it("says when it expires, whatever its bytes, and is no API key", () => {
    fc.assert(
      fc.property(secret, second, (bytes, seconds) => {
        const token = createAccessToken(bytes, seconds * 1000 + 999);
        expect(token).toMatch(/^svc_tk_[0-9A-Za-z]{55}$/);
        expect(readTokenExpiry(token)).toBe(seconds * 1000);
        expect([isAccessToken(token), hasValidChecksum(token)]).toEqual([true, false]);
      }),
    );
  });

  it("says nothing with one character mistyped", () => {
    fc.assert(
      fc.property(
        secret,
        fc.integer({ min: 7, max: 61 }),
        fc.constantFrom(...alphabet),
        (bytes, at, digit) => {
          const token = createAccessToken(bytes, 1_800_000_000_000);
          fc.pre(token[at] !== digit);
          expect(readTokenExpiry(token.slice(0, at) + digit + token.slice(at + 1))).toBeUndefined();
        },
      ),
    );
  });

  it.each(["", "svc_tk_", createApiKey(new Uint8Array(32))])("is not %j", (text) => {
    expect(readTokenExpiry(text)).toBeUndefined();
  });
});
