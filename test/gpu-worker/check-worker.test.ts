// The output and exit code of `npm run worker -- --check`.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test, vi } from "vitest";
import { createSigningKeys } from "../../shared/signature.ts";

// Processes start slowly on a busy machine; one loads the real checkpoint.
vi.setConfig({ testTimeout: 240_000 });

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const withFake = [pathOf("./support/check-with-fake-planner.ts")];
const { publicJwks } = await createSigningKeys();

function check(words: string[], env: Record<string, string> = {}) {
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const variables = { PATH: process.env.PATH, EDGE_PUBLIC_KEYS: JSON.stringify(publicJwks), ...env };
    execFile(process.execPath, words, { env: variables }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

/** base's files but one, which is another. */
async function brokenCheckpoint() {
  const modelDir = await mkdtemp(join(tmpdir(), "svc-check-"));
  const real = pathOf("../../gpu-worker/checkpoints/base");
  await mkdir(join(modelDir, "base"));
  for (const name of await readdir(real)) {
    if (name !== "tools.onnx") await symlink(join(real, name), join(modelDir, "base", name));
  }
  await writeFile(join(modelDir, "base/tools.onnx"), "not the graph");
  return { modelDir, remove: () => rm(modelDir, { recursive: true }) };
}

describe("npm run worker -- --check", () => {
  test("tells device, graphs, hashes, speed and memory on one screen, and ends with 0", async () => {
    const { code, out, err } = await check(withFake, { WORKER_AUDIENCE: "https://gpu-1.example.com" });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const lines = out.trimEnd().split("\n");
    expect(lines.length).toBeLessThan(20);
    expect(out).toMatch(/^keys +1 of the edge; requests must be signed for https:\/\/gpu-1\.example\.com$/m);
    expect(out).toMatch(/^checkpoint +\S+: \d+ files, \d+ MiB, every sha256 as its manifest says$/m);
    expect(out).toMatch(/^graphs +.*\bencoder\b/m);
    expect(out).toMatch(/^device +base: asked auto, got cpu/m);
    expect(out).toMatch(
      /^plans +base: one at a time p50 [\d.]+ ms, p99 [\d.]+ ms; under load \d+ a second$/m,
    );
    expect(out).toMatch(/^memory +\d+ MiB resident, at most \d+ MiB$/m);
    expect(lines.at(-1)).toMatch(/^ok /);
  });

  test("ends with 1 and names the file that is not what its manifest says", async () => {
    const { modelDir, remove } = await brokenCheckpoint();
    const { code, out } = await check(withFake, { MODEL_DIR: modelDir });
    await remove();
    expect(code).toBe(1);
    expect(out).toMatch(/^FAILED +The size base .*tools\.onnx is not the file .*sha256 differs/m);
    expect(out).not.toMatch(/^ok/m);
  });

  test.each([
    ["without the edge's keys", { EDGE_PUBLIC_KEYS: "" }, "EDGE_PUBLIC_KEYS must be"],
    [
      "with a key that is none",
      { EDGE_PUBLIC_KEYS: JSON.stringify({ keys: [{ kty: "OKP", crv: "Ed25519", x: "AA" }] }) },
      "EDGE_PUBLIC_KEYS",
    ],
    ["with a size that is not there", { MODEL_SIZES: "large" }, "The size large (MODEL_SIZES, MODEL_DIR)"],
    ["when a checkpoint does not load", { FAKE_BROKEN: "1" }, "does not load: there is no checkpoint"],
  ])("ends with 1 %s, and says what to do", async (_name, env, hint) => {
    const { code, out } = await check(withFake, env as Record<string, string>);
    expect(code).toBe(1);
    expect(out.trimEnd().split("\n").at(-1)).toMatch(/^FAILED/);
    expect(out).toContain(hint);
  });

  test("a misspelt word is refused: it would have started a worker", async () => {
    const { code, err } = await check([pathOf("../../gpu-worker/main.ts"), "--chek"], {});
    expect(code).toBe(2);
    expect(err).toContain("takes --check and nothing else (--chek)");
  });

  test("the real worker's own entry checks the real checkpoint", async () => {
    const { code, out } = await check([pathOf("../../gpu-worker/main.ts"), "--check"], {
      WORKER_THREADS: "1",
    });
    expect(code).toBe(0);
    expect(out).toMatch(/^plans +base: one at a time p50 [\d.]+ ms/m);
  });
});
