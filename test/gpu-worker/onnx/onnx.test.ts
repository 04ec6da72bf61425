import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasCudaLibrary, openSession } from "../../../gpu-worker/onnx.ts";

const model = readFileSync(new URL("../../../gpu-worker/checkpoints/base/encoder.onnx", import.meta.url));
const input = { kind: "int64", values: BigInt64Array.from([101n, 102n]), shape: [1, 2] } as const;

describe("onnx session", () => {
  it("runs a graph and gives its named outputs", async () => {
    const session = await openSession({ model, device: "cpu" });
    const { embedding } = await session.run({
      input_ids: input,
      attention_mask: { ...input, values: BigInt64Array.from([1n, 1n]) },
    });
    expect(embedding!.shape).toEqual([1, 384]);
    await session.close();
  });

  it("falls back to the CPU and says why, or really has CUDA", async () => {
    const session = await openSession({ model, device: "auto" });
    if (session.device === "cpu") expect(session.fellBack).toMatch(/CUDA|cuda/);
    else expect(session.fellBack).toBeUndefined();
    await session.close();
  });

  it("looks for CUDA's library of this machine only", () => {
    const folder = mkdtempSync(join(tmpdir(), "native-"));
    const add = (platform: string, name: string) => {
      mkdirSync(join(folder, "napi-v9", platform), { recursive: true });
      writeFileSync(join(folder, "napi-v9", platform, name), "");
    };
    try {
      const own = join(process.platform, process.arch);
      add(own, "libonnxruntime.so.1");
      add("plan9/riscv64", "libonnxruntime_providers_cuda.so");
      expect(hasCudaLibrary(folder)).toBe(false);
      add(own, "libonnxruntime_providers_cuda.so");
      expect(hasCudaLibrary(folder)).toBe(true);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("refuses DEVICE=cuda without CUDA, naming the variable", async () => {
    const opened = openSession({ model, device: "cuda" });
    await opened.then(
      (session) => session.close(),
      (error: Error) => expect(error.message).toContain("DEVICE=cuda"),
    );
  });

  it("throws for a file that is no model", async () => {
    await expect(openSession({ model: new Uint8Array([1, 2, 3]), device: "cpu" })).rejects.toThrow();
  });
});
