import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasCudaLibrary, openSession } from "../../../gpu-worker/inference/session.ts";

const model = readFileSync(new URL("../../../gpu-worker/checkpoints/base/encoder.onnx", import.meta.url));
const input = { kind: "int64", values: BigInt64Array.from([101n, 102n]), shape: [1, 2] } as const;

describe("onnx session", () => {
  const inputs = { input_ids: input, attention_mask: { ...input, values: BigInt64Array.from([1n, 1n]) } };

  it("runs a graph and writes the outputs where they are wanted", async () => {
    const session = await openSession({ model, device: "cpu" });
    expect(session.rowShapes).toEqual({ embedding: [384] });
    const memory = new Float32Array(400).fill(7);
    const values = memory.subarray(8, 8 + 384);
    await session.run(inputs, { embedding: { kind: "float32", values, shape: [1, 384] } });
    expect(Math.hypot(...values)).toBeCloseTo(1, 5);
    expect([...memory.subarray(0, 8), ...memory.subarray(8 + 384)]).toEqual(Array(16).fill(7));
    await session.close();
  });

  it.each([
    ["an output of another shape", { embedding: { values: new Float32Array(10), shape: [1, 10] } }],
    ["an output the graph does not have", { nothing: { values: new Float32Array(384), shape: [1, 384] } }],
  ])("throws for %s", async (_what, outputs) => {
    const session = await openSession({ model, device: "cpu" });
    const wanted = Object.entries(outputs).map(([name, one]) => [name, { kind: "float32", ...one }]);
    await expect(session.run(inputs, Object.fromEntries(wanted))).rejects.toThrow();
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
    // On a machine that has CUDA it opens there, and never on the CPU instead.
    await opened.then(
      async (session) => {
        expect(session.device).toBe("cuda");
        await session.close();
      },
      (error: Error) => expect(error.message).toContain("DEVICE=cuda"),
    );
  });

  it("throws for a file that is no model", async () => {
    await expect(openSession({ model: new Uint8Array([1, 2, 3]), device: "cpu" })).rejects.toThrow();
  });
});
