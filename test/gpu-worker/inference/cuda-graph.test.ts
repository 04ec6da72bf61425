/**
 * The graphs of the checkpoint as a GPU gets them: every operator has a CUDA kernel, and they say what the CPU's graphs say.
 * They are run here on the CPU, where float32 products have kernels too.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { toCudaGraph } from "../../../gpu-worker/inference/cuda-graph.ts";
import { readGraph, valueTypes } from "../../../gpu-worker/inference/model-file.ts";
import { openSession } from "../../../gpu-worker/inference/session.ts";
import { graphs, readRunGraph } from "../../../gpu-worker/world-model/world-model.ts";
import { createNumbers } from "../support/numbers.ts";
import { constant, matrix, node, writeModel } from "../support/onnx-graph.ts";

const checkpointDir = fileURLToPath(new URL("../../../gpu-worker/checkpoints/base", import.meta.url));
const read = (name: string) => readFileSync(join(checkpointDir, name));

/**
 * Operators of ONNX with a kernel of the CUDA execution provider for the types used here: float32, int64 of shapes and
 * indices, and Cast and Gather of int8 (onnxruntime, docs/OperatorKernels.md). `Constant` becomes a constant on load. `Attention` is
 * one of onnxruntime's own.
 */
const withCudaKernel = new Set(
  (
    "Abs Add Cast Clip Concat Constant ConstantOfShape Div Equal Erf Exp Expand Flatten Gather GatherND Gemm Identity If LogSoftmax MatMul Max " +
    "Mul Pad Pow Reciprocal ReduceMax ReduceMean ReduceSum Reshape Shape Sigmoid Slice Softmax Softplus Split Sqrt Squeeze Sub Tanh " +
    "Tile TopK Transpose Unsqueeze Where com.microsoft.Attention"
  ).split(" "),
);
const fullName = ({ operator, domain }: { operator: string; domain: string }) =>
  domain === "" ? operator : `${domain}.${operator}`;

describe.each(graphs)("%s for a GPU", (name) => {
  it("has nothing but operators with a CUDA kernel", () => {
    const { nodes } = readGraph(toCudaGraph(readRunGraph(name, read)));
    expect(nodes.length).toBeGreaterThan(0);
    expect(nodes.map(fullName).filter((operator) => !withCudaKernel.has(operator))).toEqual([]);
  });

  it("holds the same weights once", () => {
    const model = readRunGraph(name, read);
    expect(toCudaGraph(model).length).toBeLessThanOrEqual(model.length);
  });
});

it("a CPU's graphs do have products that a GPU has no kernel for", () => {
  const count = (name: string) =>
    readGraph(read(name)).nodes.filter((one) => !withCudaKernel.has(fullName(one))).length;
  expect(count("encoder.onnx")).toBeGreaterThanOrEqual(48);
  expect(count("plan-step.onnx")).toBeGreaterThan(0);
});

describe("what they say", () => {
  const { below } = createNumbers(11);
  const numbers = (count: number) => Float32Array.from({ length: count }, () => (below(2001) - 1000) / 1000);

  /** Outputs of both graphs for the same inputs; shapes of the outputs after their rows. */
  async function runBoth(
    name: string,
    inputs: Parameters<Awaited<ReturnType<typeof openSession>>["run"]>[0],
    rows: number,
  ) {
    const found: Record<string, Float32Array>[] = [];
    for (const model of [read(name), toCudaGraph(read(name))]) {
      const session = await openSession({ model, device: "cpu" });
      const outputs = Object.fromEntries(
        Object.entries(session.rowShapes).map(([output, shape]) => {
          const values = new Float32Array(shape.reduce((size, one) => size * one, rows));
          return [output, { kind: "float32", values, shape: [rows, ...shape] } as const];
        }),
      );
      await session.run(inputs, outputs);
      await session.close();
      found.push(Object.fromEntries(Object.entries(outputs).map(([output, { values }]) => [output, values])));
    }
    return found as [Record<string, Float32Array>, Record<string, Float32Array>];
  }

  const cosine = (left: Float32Array, right: Float32Array) => {
    const dot = left.reduce((sum, value, at) => sum + value * right[at]!, 0);
    return dot / (Math.hypot(...left) * Math.hypot(...right));
  };

  it("a text's vector is the same within the rounding of activations", async () => {
    const rows = 24;
    const length = 12;
    const ids = BigInt64Array.from({ length: rows * length }, (_, at) =>
      at % length === 0 ? 101n : at % length === length - 1 ? 102n : BigInt(1_000 + below(20_000)),
    );
    const shape = [rows, length];
    const [cpu, gpu] = await runBoth(
      "encoder.onnx",
      {
        input_ids: { kind: "int64", values: ids, shape },
        attention_mask: { kind: "int64", values: new BigInt64Array(ids.length).fill(1n), shape },
      },
      rows,
    );
    for (let row = 0; row < rows; row++) {
      const of = (from: Record<string, Float32Array>) => from.embedding!.subarray(row * 384, (row + 1) * 384);
      expect(cosine(of(cpu), of(gpu))).toBeGreaterThan(0.98);
    }
  });

  it("latents are the same within the rounding of activations, branches of its `If` included", async () => {
    const rows = 6;
    const embedding = numbers(rows * 384).map((value) => value / 11.3);
    const [cpu, gpu] = await runBoth(
      "latent.onnx",
      { embedding: { kind: "float32", values: embedding, shape: [rows, 384] } },
      rows,
    );
    expect(cosine(cpu.latent!, gpu.latent!)).toBeGreaterThan(0.999);
    expect(gpu.magnitude![0]).toBeCloseTo(cpu.magnitude![0]!, 1);
  });
});

describe("a graph that is not ours", () => {
  const [inputs, outputs] = [4, 3];
  const one = constant("one", valueTypes.float, [], Float32Array.of(1));
  const ones = constant("ones", valueTypes.float, [outputs], new Float32Array(outputs).fill(1));
  const middle = constant("middle", valueTypes.uint8, [], Uint8Array.of(128));
  const steps = constant(
    "steps",
    valueTypes.int8,
    [inputs, outputs],
    new Int8Array(inputs * outputs).fill(2),
  );
  const ends = { inputs: [matrix("x", inputs)], outputs: [matrix("y", outputs)] };

  it("is given back as it is where it has no int8 product", () => {
    const model = writeModel({ nodes: [node("Identity", ["x"], "y")], constants: [], ...ends });
    expect(toCudaGraph(model)).toBe(model);
  });

  it("is refused by the product's name where its rows are quantised otherwise", () => {
    const model = writeModel({
      nodes: [
        node("QuantizeLinear", ["x", "one", "middle"], "bytes"),
        node("MatMulIntegerToFloat", ["bytes", "steps", "one", "ones", "middle"], "y", "com.microsoft"),
      ],
      constants: [one, ones, middle, steps],
      ...ends,
    });
    expect(() => toCudaGraph(model)).toThrow(/product y is not quantised by rows/);
  });

  const half = constant("half", valueTypes.float, [], Float32Array.of(0.5));
  /** A row is divided by `peak`, rounded to bytes of `step`, and its product multiplied by `scale`. */
  const byRows = ({ step = "one", scale = "peak" }) =>
    writeModel({
      nodes: [
        node("ReduceMax", ["x"], "peak"),
        node("Div", ["x", "peak"], "share"),
        node("QuantizeLinear", ["share", step, "middle"], "bytes"),
        node("MatMulIntegerToFloat", ["bytes", "steps", "one", "ones", "middle"], "sum", "com.microsoft"),
        node("Mul", ["sum", scale], "y"),
      ],
      constants: [one, half, ones, middle, steps],
      ...ends,
    });

  it.each([
    ["is rounded to another step than the product counts with", { step: "half" }],
    ["is scaled back by another number than it was divided by", { scale: "half" }],
  ])("is refused where a row %s: a GPU's vectors would be others", (_how, instead) => {
    expect(readGraph(toCudaGraph(byRows({}))).nodes.map(({ operator }) => operator)).toContain("MatMul");
    expect(() => toCudaGraph(byRows(instead))).toThrow(/product sum is not quantised by rows/);
  });

  it("is refused where it is no model", () => {
    expect(() => toCudaGraph(new Uint8Array(0))).toThrow("not an ONNX model");
  });
});
