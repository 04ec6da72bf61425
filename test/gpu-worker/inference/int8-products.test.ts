/**
 * Integer products that are the same on every processor. Without VNNI bytes are multiplied in pairs whose sum is cut
 * off at 16 bits: it is exact while two weights of a pair have magnitudes of 128 together (training/export/quantise.py).
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readGraph, valueTypes as types } from "../../../gpu-worker/inference/model-file.ts";
import { openSession } from "../../../gpu-worker/inference/session.ts";
import { createNumbers } from "../support/numbers.ts";
import { constant, matrix, node, writeModel } from "../support/onnx-graph.ts";

const checkpointDir = fileURLToPath(new URL("../../../gpu-worker/checkpoints/base", import.meta.url));
const graphs = readdirSync(checkpointDir).filter((name) => name.endsWith(".onnx"));
const maxOfAPair = 128;

/** Every operator that multiplies bytes, and which of its inputs is the weight. */
const products: Record<string, number> = {
  MatMulIntegerToFloat: 1,
  MatMulInteger: 1,
  DynamicQuantizeMatMul: 1,
  QLinearMatMul: 3,
  QGemm: 3,
  ConvInteger: 1,
  QLinearConv: 3,
  QAttention: 1,
};

/** The highest sum of magnitudes that rows 2i and 2i + 1 have in any column. */
function highestPair(steps: Int8Array, columns: number): number {
  const rows = steps.length / columns;
  let highest = 0;
  for (let row = 0; row < rows; row += 2) {
    for (let column = 0; column < columns; column++) {
      const second = row + 1 < rows ? steps[(row + 1) * columns + column]! : 0;
      highest = Math.max(highest, Math.abs(steps[row * columns + column]!) + Math.abs(second));
    }
  }
  return highest;
}

describe.each(graphs)("%s", (name) => {
  const { nodes, constants } = readGraph(readFileSync(join(checkpointDir, name)));
  const weights = nodes
    .filter(({ operator }) => operator in products)
    .map(({ operator, inputs }) => constants.get(inputs[products[operator]!]!));

  it("has no pair of weights that a processor could cut off", () => {
    for (const weight of weights) {
      expect(weight).toMatchObject({ type: types.int8, shape: [expect.any(Number), expect.any(Number)] });
      const { bytes, shape } = weight!;
      expect(bytes).toHaveLength(shape[0]! * shape[1]!);
      const steps = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
      expect(highestPair(steps, shape[1]!), weight!.name).toBeLessThanOrEqual(maxOfAPair);
    }
  });
});

it("the encoder and the heads do have such products", () => {
  const count = (name: string) =>
    readGraph(readFileSync(join(checkpointDir, name))).nodes.filter(({ operator }) => operator in products)
      .length;
  expect(count("encoder.onnx")).toBeGreaterThanOrEqual(24);
  expect(count("act.onnx")).toBeGreaterThan(0);
  expect(count("next.onnx")).toBeGreaterThan(0);
});

describe("a product in the runtime", () => {
  const [inputs, outputs, rows] = [384, 96, 33];
  const { below } = createNumbers(5);

  /** Weights up to the bound: pairs of (127, 1), (64, 64) and what lies between, of any signs. */
  function createSteps(): Int8Array<ArrayBuffer> {
    const steps = new Int8Array(inputs * outputs);
    for (let row = 0; row < inputs; row += 2) {
      for (let column = 0; column < outputs; column++) {
        const first = 1 + below(127);
        const sign = () => (column < 8 ? 1 : below(2) * 2 - 1);
        steps[row * outputs + column] = sign() * first;
        steps[(row + 1) * outputs + column] = sign() * (maxOfAPair - first);
      }
    }
    return steps;
  }

  it("is the exact integer, the highest bytes and weights included", async () => {
    const steps = createSteps();
    expect(highestPair(steps, outputs)).toBe(maxOfAPair);
    const x = Float32Array.from({ length: rows * inputs }, (_, at) =>
      at < inputs ? 127 : at < 2 * inputs ? -128 : below(256) - 128,
    );
    const one = constant("one", types.float, [], Float32Array.of(1));
    const ones = constant("ones", types.float, [outputs], new Float32Array(outputs).fill(1));
    const middle = constant("middle", types.uint8, [], Uint8Array.of(128));
    const model = writeModel({
      nodes: [
        node("QuantizeLinear", ["x", "one", "middle"], "bytes"),
        node("MatMulIntegerToFloat", ["bytes", "steps", "one", "ones", "middle"], "y", "com.microsoft"),
      ],
      constants: [one, ones, middle, constant("steps", types.int8, [inputs, outputs], steps)],
      inputs: [matrix("x", inputs)],
      outputs: [matrix("y", outputs)],
    });
    const session = await openSession({ model, device: "cpu" });
    const y = new Float32Array(rows * outputs);
    await session.run(
      { x: { kind: "float32", values: x, shape: [rows, inputs] } },
      { y: { kind: "float32", values: y, shape: [rows, outputs] } },
    );
    await session.close();
    const exact = Float32Array.from(y, (_, at) => {
      const [row, column] = [Math.floor(at / outputs), at % outputs];
      let sum = 0;
      for (let i = 0; i < inputs; i++) sum += x[row * inputs + i]! * steps[i * outputs + column]!;
      return sum;
    });
    expect(y).toEqual(exact);
  });
});
