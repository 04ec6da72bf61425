import { availableParallelism } from "node:os";
import { beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../gpu-worker/config.ts";
import { createSigningKeys } from "../../shared/signature.ts";

let keys: Awaited<ReturnType<typeof createSigningKeys>>;
let publicKeys: string;
beforeAll(async () => {
  keys = await createSigningKeys();
  publicKeys = JSON.stringify(keys.publicJwks);
});

describe("the worker's settings", () => {
  it("need only the edge's public keys", () => {
    const read = readConfig({ EDGE_PUBLIC_KEYS: publicKeys, WORKER_PORT: "" });
    expect(read).toMatchObject({
      ok: true,
      config: {
        port: 8788,
        host: "127.0.0.1",
        sizes: ["base"],
        device: "auto",
        threadsPerSize: Math.min(4, availableParallelism()),
        supervised: false,
      },
    });
    expect(read.ok && read.config.modelDir).toMatch(/gpu-worker\/checkpoints$/);
  });

  it("leave out what a file with Windows line ends leaves behind a value, and take a blank one as unset", () => {
    const read = readConfig({
      EDGE_PUBLIC_KEYS: publicKeys,
      DEVICE: "cpu\r",
      MODEL_DIR: "/models\r",
      WORKER_HOST: " ",
    });
    expect(read).toMatchObject({
      ok: true,
      config: { device: "cpu", modelDir: "/models", host: "127.0.0.1" },
    });
  });

  it("take a list of sizes once each, and a base URL without its last slash", () => {
    const read = readConfig({
      EDGE_PUBLIC_KEYS: publicKeys,
      MODEL_SIZES: "base, xl,base",
      WORKER_AUDIENCE: "https://gpu.example/one/",
    });
    expect(read).toMatchObject({
      ok: true,
      config: { sizes: ["base", "xl"], audience: "https://gpu.example/one" },
    });
  });

  it.each([
    ["WORKER_PORT", "65536", "a whole number from 0 to 65535"],
    ["WORKER_PORT", "eighty", "a whole number"],
    ["WORKER_PORT", "-1", "a whole number"],
    ["MODEL_SIZES", "base,medium", "small, base, large, xl, huge"],
    ["DEVICE", "tpu", "auto, cuda or cpu"],
    ["QUEUE_MAX_REQUESTS", "0", "a whole number from 1"],
    ["WORKER_AUDIENCE", "gpu one", "public base URL"],
    ["WORKER_AUDIENCE", "gpu.example:443", "public base URL"],
    ["EDGE_PUBLIC_KEYS", "{", "as a JWKS"],
    ["EDGE_PUBLIC_KEYS", '{"keys":[]}', "as a JWKS"],
    ["EDGE_PUBLIC_KEYS", "", "as a JWKS"],
  ])("refuse %s=%s in one sentence that names it", (variable, value, hint) => {
    const read = readConfig({ EDGE_PUBLIC_KEYS: publicKeys, [variable]: value });
    expect(read).toMatchObject({ ok: false, message: expect.stringContaining(`${variable} must be`) });
    expect(!read.ok && read.message).toContain(hint);
  });

  it("refuse a private key among the public ones and do not repeat it", () => {
    const read = readConfig({ EDGE_PUBLIC_KEYS: JSON.stringify({ keys: [keys.privateJwk] }) });
    expect(read).toMatchObject({ ok: false, message: expect.stringContaining("private key") });
    expect(!read.ok && read.message).not.toContain(keys.privateJwk.d);
  });

  it("take two keys of a rotation and the same key twice, and refuse two different keys with one kid", async () => {
    const [first] = keys.publicJwks.keys;
    const [second] = (await createSigningKeys()).publicJwks.keys;
    const read = (...set: unknown[]) => readConfig({ EDGE_PUBLIC_KEYS: JSON.stringify({ keys: set }) });
    expect(read(first, second)).toMatchObject({ ok: true });
    expect(read(first, first)).toMatchObject({ ok: true });
    expect(read({ ...first, kid: undefined }, { ...second, kid: undefined })).toMatchObject({ ok: true });
    expect(read({ ...first, kid: "edge" }, { ...second, kid: "edge" })).toMatchObject({
      ok: false,
      message: expect.stringContaining("EDGE_PUBLIC_KEYS has two different keys with one kid"),
    });
  });
});
