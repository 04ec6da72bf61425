import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openSession } from "../../../gpu-worker/onnx.ts";

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

  it("falls back to the CPU with at most one warning, or really has CUDA", async () => {
    const warnings: string[] = [];
    const session = await openSession({ model, device: "auto", warn: (message) => warnings.push(message) });
    expect(warnings).toHaveLength(session.device === "cpu" ? 1 : 0);
    await session.close();
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
