import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCheckpoint } from "../../../gpu-worker/world-model/manifest.ts";

const base = fileURLToPath(new URL("../../../gpu-worker/checkpoints/base", import.meta.url));

describe("checkpoint", () => {
  let copy: string;
  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), "checkpoint-"));
    await cp(base, copy, { recursive: true });
  });
  afterAll(() => rm(copy, { recursive: true }));

  it("loads when every file is the one its manifest describes", async () => {
    const { manifest, file } = await readCheckpoint(copy);
    expect(manifest).toMatchObject({ size: "base", dimension: 768, numActions: 903 });
    expect(file("encoder.onnx").length).toBe(manifest.files["encoder.onnx"]!.bytes);
    expect(() => file("missing.onnx")).toThrow("its manifest lists no missing.onnx");
  });

  it("stays under 60 MB", async () => {
    const { manifest } = await readCheckpoint(copy);
    const bytes = Object.values(manifest.files).reduce((sum, file) => sum + file.bytes, 0);
    expect(bytes).toBeLessThan(60e6);
  });

  it("is refused, naming the file, when one byte differs", async () => {
    const path = join(copy, "heads.json");
    const bytes = await readFile(path);
    bytes[7]! ^= 1;
    await writeFile(path, bytes);
    await expect(readCheckpoint(copy)).rejects.toThrow(/heads\.json is not the file its manifest describes/);
  });
});
