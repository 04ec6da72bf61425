import fc from "fast-check";
import { base64url } from "jose";
import { describe, expect, test } from "vitest";
import { readVaultKeys, type VaultKey } from "../../../edge/env.ts";
import { createKeyCache } from "../../../edge/vault/provider-keys.ts";
import { createSealer, type SealContext, SealError } from "../../../edge/vault/seal.ts";

const masterKey = (id: string, fill: number): VaultKey => ({ id, bytes: new Uint8Array(32).fill(fill) });
const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length));
const sealer = createSealer([masterKey("k1", 1)], randomBytes);
const context: SealContext = { accountId: "acct_1", name: ["provider-key", "alpha", 1] };
const utf8 = (text: string) => new TextEncoder().encode(text);
const why = (work: Promise<unknown>) =>
  work.then(
    () => "opened",
    (error: unknown) => (error instanceof SealError ? error.reason : error),
  );

describe("sealing", () => {
  test("gives back what was sealed, whatever it was", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.string({ unit: "binary" }),
        fc.array(fc.oneof(fc.string(), fc.integer())),
        async (plain, accountId, name) => {
          const sealed = await sealer.seal({ accountId, name }, plain);
          return base64url.encode(await sealer.open({ accountId, name }, sealed)) === base64url.encode(plain);
        },
      ),
      { numRuns: 30 },
    );
  });

  test("never gives the same text twice, and shows nothing of the key", async () => {
    const texts = await Promise.all(
      Array.from({ length: 50 }, () => sealer.seal(context, utf8("sk-canary"))),
    );
    expect(new Set(texts).size).toBe(50);
    expect(texts.every((text) => /^k1\.[\w-]+$/.test(text))).toBe(true);
    expect(texts.join().includes(base64url.encode("canary"))).toBe(false);
  });

  test.each<[string, SealContext]>([
    ["account", { ...context, accountId: "acct_2" }],
    ["purpose", { ...context, name: ["answer", "alpha", 1] }],
    ["provider", { ...context, name: ["provider-key", "beta", 1] }],
    ["version", { ...context, name: ["provider-key", "alpha", 2] }],
    ["division of the same letters", { ...context, name: ["provider-key", "alph", "a", 1] }],
    ["kind of number", { ...context, name: ["provider-key", "alpha", "1"] }],
  ])("does not open for another %s", async (_, other) => {
    expect(await why(sealer.open(other, await sealer.seal(context, utf8("x"))))).toBe("does_not_open");
  });

  test("does not open with any one bit changed", async () => {
    const sealed = await sealer.seal(context, utf8("sk-1"));
    const bytes = base64url.decode(sealed.slice(3));
    const changed = Array.from({ length: bytes.length * 8 }, (_, bit) => {
      const copy = Uint8Array.from(bytes);
      copy[bit >> 3]! ^= 1 << (bit & 7);
      return `k1.${base64url.encode(copy)}`;
    });
    const reasons = await Promise.all(changed.map((text) => why(sealer.open(context, text))));
    expect(new Set(reasons)).toEqual(new Set(["does_not_open"]));
  });

  test("does not open under another master key of the same name, and says when there is none of the name", async () => {
    const sealed = await sealer.seal(context, utf8("x"));
    const other = createSealer([masterKey("k1", 2)], randomBytes);
    expect(await why(other.open(context, sealed))).toBe("does_not_open");
    const unknown = createSealer([masterKey("k2", 1)], randomBytes);
    expect(await why(unknown.open(context, sealed))).toBe("unknown_master_key");
  });

  test.each([
    "",
    ".",
    "k1.",
    "k1",
    "k1.AAAA",
    "k1.!!!",
    ".AAAA",
    "k1.AA AA",
    `k1.${"A".repeat(36)}`,
    "__proto__.AAAA",
  ])("takes no text of another form: %j", async (text) => {
    expect(await why(sealer.open(context, text))).toMatch(/malformed|unknown_master_key/);
  });

  test("a text has one form: stray bits at its end are refused", async () => {
    const sealed = await sealer.seal(context, utf8("xy"));
    const last = sealed.at(-1)!;
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const neighbour = alphabet[alphabet.indexOf(last) ^ 1]!;
    expect(await why(sealer.open(context, sealed.slice(0, -1) + neighbour))).not.toBe("opened");
  });

  test("the first key seals, each opens", async () => {
    const old = await sealer.seal(context, utf8("old"));
    const both = createSealer([masterKey("k2", 2), masterKey("k1", 1)], randomBytes);
    expect(new TextDecoder().decode(await both.open(context, old))).toBe("old");
    const fresh = await both.seal(context, utf8("new"));
    expect(fresh).toMatch(/^k2\./);
    expect(await why(sealer.open(context, fresh))).toBe("unknown_master_key");
  });

  test("is AES-256-GCM under HKDF-SHA-256, as another implementation computes it", async () => {
    const sealed = base64url.decode((await sealer.seal(context, utf8("known"))).slice(3));
    const material = await crypto.subtle.importKey("raw", new Uint8Array(32).fill(1), "HKDF", false, [
      "deriveBits",
    ]);
    const bits = await crypto.subtle.deriveBits(
      { name: "HKDF", hash: "SHA-256", salt: utf8("svc-vault-1"), info: utf8("acct_1") },
      material,
      256,
    );
    const key = await crypto.subtle.importKey("raw", bits, "AES-GCM", false, ["decrypt"]);
    const plain = await crypto.subtle.decrypt(
      {
        name: "AES-GCM",
        iv: sealed.slice(0, 12),
        additionalData: utf8('["acct_1","provider-key","alpha",1]'),
      },
      key,
      sealed.slice(12),
    );
    expect(new TextDecoder().decode(plain)).toBe("known");
  });

  test("has one form: with stray bits in its last character a text is refused, though it has the same bytes", async () => {
    // 12 bytes, 1 and 16: the last of the 39 characters holds four bits, and two that are nothing.
    const sealed = await sealer.seal(context, new Uint8Array([7]));
    const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const last = digits.indexOf(sealed.at(-1)!);
    const others = [1, 2, 3].map((stray) => sealed.slice(0, -1) + digits[last + stray]);
    expect([...(await sealer.open(context, sealed))]).toEqual([7]);
    for (const other of others) expect(await why(sealer.open(context, other))).toBe("malformed");
  });
});

test("of several master keys the first seals, and each opens what it has sealed", async () => {
  const [newer, older] = [masterKey("k2", 2), masterKey("k1", 1)];
  const both = createSealer([newer, older], randomBytes);
  const sealed = await both.seal(context, utf8("sk-1"));
  expect(sealed).toMatch(/^k2\./);
  for (const opener of [both, createSealer([newer], randomBytes)])
    expect(await opener.open(context, sealed)).toEqual(utf8("sk-1"));
  expect(await both.open(context, await sealer.seal(context, utf8("sk-2")))).toEqual(utf8("sk-2"));
  expect(await why(sealer.open(context, sealed))).toBe("unknown_master_key");
});

test("a sealer without a master key cannot be made", () => {
  expect(() => createSealer([], randomBytes)).toThrow(RangeError);
});

describe("the opened keys that an isolate keeps", () => {
  test("are at most five thousand: the oldest goes first", () => {
    const cache = createKeyCache();
    for (let at = 0; at <= 5_000; at++) cache.write("sealed", `key ${at}`, `opened ${at}`, 0);
    expect(cache.read("sealed", "key 0", 0)).toBeUndefined();
    expect(cache.read("sealed", "key 1", 0)).toBe("opened 1");
    expect(cache.read("sealed", "key 5000", 0)).toBe("opened 5000");
  });

  test("are given for five minutes, and only for the text that they were opened from", () => {
    const cache = createKeyCache();
    cache.write("sealed", "key", "opened", 0);
    expect(cache.read("sealed", "key", 299_999)).toBe("opened");
    expect(cache.read("sealed", "key", 300_000)).toBeUndefined();
    cache.write("sealed", "key", "opened", 0);
    expect(cache.read("another", "key", 0)).toBeUndefined();
    expect(cache.read("sealed", "key", 0)).toBeUndefined();
  });
});

describe("VAULT_KEYS", () => {
  const key = "A".repeat(43);

  test("are read in order, in either base64", () => {
    expect(readVaultKeys(` k2:${key}= , k1:${key} `)).toMatchObject([{ id: "k2" }, { id: "k1" }]);
    expect(readVaultKeys(`k1:${"+/".repeat(21)}8=`)).toEqual(readVaultKeys(`k1:${"-_".repeat(21)}8`));
    expect(readVaultKeys("")).toEqual([]);
  });

  test.each([`k1:${key}A`, "k1:short", `${key}`, `k.1:${key}`, `k1:${key},k1:${key}`, `:${key}`, "k1:"])(
    "of another form are refused without being shown: %s",
    (text) => {
      expect(() => readVaultKeys(text)).toThrow(/^VAULT_KEYS must be kid:base64/);
    },
  );
});
