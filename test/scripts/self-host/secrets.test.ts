import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { readSecrets, writePrivately } from "../../../scripts/self-host/secrets.ts";
import { createSigningKeys } from "../../../shared/signature.ts";

const base = mkdtempSync(join(tmpdir(), "svc-secrets-"));
afterAll(() => rmSync(base, { recursive: true }));
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(base, "data-"));
});

test("are made once and stay the same", async () => {
  const first = await readSecrets(directory, {});
  expect(await readSecrets(directory, {})).toEqual(first);
  expect(first.vaultKeys).toMatch(/^k-[0-9a-f]{12}:[A-Za-z0-9+/]{43}=$/);
  expect(statSync(join(directory, "secrets.json")).mode & 0o777).toBe(0o600);
});

test("are different in every directory", async () => {
  const other = mkdtempSync(join(base, "data-"));
  const [one, two] = await Promise.all([readSecrets(directory, {}), readSecrets(other, {})]);
  expect(one.vaultKeys).not.toBe(two.vaultKeys);
  expect(one.vaultKeys.split(":")[0]).not.toBe(two.vaultKeys.split(":")[0]);
  expect(one.signingKey).not.toBe(two.signingKey);
});

test("the public set holds the public half and nothing private", async () => {
  const { signingKey, publicKeys } = await readSecrets(directory, {});
  const [key] = JSON.parse(publicKeys).keys;
  expect(key.x).toBe(JSON.parse(signingKey).x);
  expect(key).not.toHaveProperty("d");
});

test("what the operator sets is used and never stored", async () => {
  const { privateJwk, publicJwks } = await createSigningKeys();
  const env = { VAULT_KEYS: "mine:AAAA", EDGE_SIGNING_KEY: JSON.stringify(privateJwk) };
  const given = await readSecrets(directory, env);
  expect(given.vaultKeys).toBe("mine:AAAA");
  expect(JSON.parse(given.publicKeys)).toEqual(publicJwks);
  const stored = await readSecrets(directory, {});
  expect(stored.vaultKeys).not.toBe("mine:AAAA");
  expect(stored.signingKey).not.toBe(given.signingKey);
});

test.each([
  ["no key", "canary-key"],
  ["a key that is too short", "k1:canarykey"],
  ["one kid twice", `k1:${"canary+key+".repeat(3)}AAAAAAAAAA,k1:${"B".repeat(43)}`],
])(
  "vaultKeys of secrets.json that cannot be used are told with the file, not as a variable that nobody set: %s",
  async (_name, vaultKeys) => {
    const path = join(directory, "secrets.json");
    await readSecrets(directory, {});
    const { signingKey } = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(path, JSON.stringify({ vaultKeys, signingKey }));
    const failed = readSecrets(directory, {});
    await expect(failed).rejects.toThrow(`${path}: vaultKeys must be`);
    await expect(failed).rejects.toThrow("kid:base64(32 bytes)");
    await expect(failed).rejects.not.toThrow(/canary/);
    const mine = `mine:${"A".repeat(43)}`;
    expect((await readSecrets(directory, { VAULT_KEYS: mine })).vaultKeys).toBe(mine);
  },
);

test("a signingKey of secrets.json whose halves are of two keys is told with the file", async () => {
  const [one, other] = [await createSigningKeys(), await createSigningKeys()];
  const path = join(directory, "secrets.json");
  const signingKey = { ...one.privateJwk, d: other.privateJwk.d };
  writeFileSync(path, JSON.stringify({ vaultKeys: `k1:${"A".repeat(43)}`, signingKey }));
  await expect(readSecrets(directory, {})).rejects.toThrow(`${path}: the x and d of its signingKey`);
});

test("an empty VAULT_KEYS turns the vault off", async () => {
  expect((await readSecrets(directory, { VAULT_KEYS: "" })).vaultKeys).toBe("");
});

test("a bad EDGE_SIGNING_KEY is refused without repeating it", async () => {
  const failed = readSecrets(directory, { EDGE_SIGNING_KEY: "canary-key" });
  await expect(failed).rejects.toThrow(/^EDGE_SIGNING_KEY/);
  await expect(failed).rejects.not.toThrow(/canary/);
});

test("an EDGE_SIGNING_KEY whose halves are of two keys is refused: no worker would take what it signs", async () => {
  const [one, other] = [await createSigningKeys(), await createSigningKeys()];
  const mixed = JSON.stringify({ ...one.privateJwk, d: other.privateJwk.d });
  const failed = readSecrets(directory, { EDGE_SIGNING_KEY: mixed });
  await expect(failed).rejects.toThrow(/^EDGE_SIGNING_KEY: its x and d/);
  await expect(failed).rejects.not.toThrow(other.privateJwk.d);
});

test("EDGE_PUBLIC_KEYS with the edge's key under another kid is refused, as its workers find keys by that", async () => {
  const { privateJwk, publicJwks } = await createSigningKeys();
  const renamed = { keys: publicJwks.keys.map((key) => ({ ...key, kid: "edge-2026" })) };
  const env = { EDGE_SIGNING_KEY: JSON.stringify(privateJwk), EDGE_PUBLIC_KEYS: JSON.stringify(renamed) };
  await expect(readSecrets(directory, env)).rejects.toThrow(/^EDGE_PUBLIC_KEYS does not hold/);
});

test.each([
  ["no JWKS", async () => "canary-key", /^EDGE_PUBLIC_KEYS is not a JWKS/],
  [
    "another pair's",
    async () => JSON.stringify((await createSigningKeys()).publicJwks),
    /^EDGE_PUBLIC_KEYS does not hold/,
  ],
])("EDGE_PUBLIC_KEYS with which no request would be let in is refused: %s", async (_name, read, sentence) => {
  const failed = readSecrets(directory, { EDGE_PUBLIC_KEYS: await read() });
  await expect(failed).rejects.toThrow(sentence);
  await expect(failed).rejects.not.toThrow(/canary/);
});

test("EDGE_PUBLIC_KEYS may hold further keys beside the edge's own", async () => {
  const [own, other] = [await createSigningKeys(), await createSigningKeys()];
  const keys = { keys: [...other.publicJwks.keys, ...own.publicJwks.keys] };
  const given = await readSecrets(directory, {
    EDGE_SIGNING_KEY: JSON.stringify(own.privateJwk),
    EDGE_PUBLIC_KEYS: JSON.stringify(keys),
  });
  expect(JSON.parse(given.publicKeys)).toEqual(keys);
});

test("a damaged file is not replaced: sealed keys would be lost with it", async () => {
  writeFileSync(join(directory, "secrets.json"), "{");
  await expect(readSecrets(directory, {})).rejects.toThrow(/secrets\.json cannot be read/);
});

test.each([
  ["a directory in its place", (path: string) => mkdirSync(path), "EISDIR"],
  ["a link that goes in circles", (path: string) => symlinkSync(path, path), "ELOOP"],
])("a file that is there and cannot be opened is not replaced: %s", async (_name, make, code) => {
  const path = join(directory, "secrets.json");
  make(path);
  await expect(readSecrets(directory, {})).rejects.toThrow(new RegExp(`${path} cannot be opened \\(${code}`));
  expect(readdirSync(directory)).toEqual(["secrets.json"]);
});

test("what could not be written leaves nothing beside it", async () => {
  mkdirSync(join(directory, "taken"));
  await expect(writePrivately(join(directory, "taken"), "text")).rejects.toThrow("EISDIR");
  expect(readdirSync(directory)).toEqual(["taken"]);
});

test("are for their owner only, also where a killed start left a file behind that everybody may read", async () => {
  const path = join(directory, "secrets.json");
  // In a container every start has the same process id.
  writeFileSync(`${path}.${process.pid}`, "", { mode: 0o644 });
  await writePrivately(path, "text");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
