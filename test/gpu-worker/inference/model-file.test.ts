import { expect, it } from "vitest";
import {
  type GraphNode,
  joinBytes,
  keepUsed,
  readGraph,
  valueTypes,
  writeField,
} from "../../../gpu-worker/inference/model-file.ts";
import { constant, writeModel } from "../support/onnx-graph.ts";

const make = (operator: string, inputs: string[], output: string, captured: string[] = []): GraphNode => {
  return { operator, domain: "", inputs, outputs: [output], captured, raw: new Uint8Array(0) };
};

it("a node stays whose result only a branch of an If uses, and one that nobody uses goes", () => {
  const nodes = [
    make("Neg", ["x"], "captured"),
    make("Abs", ["x"], "unused"),
    make("If", ["c"], "y", ["captured"]),
  ];
  expect(keepUsed(nodes, ["y"]).map(({ operator }) => operator)).toEqual(["Neg", "If"]);
});

it.each([
  ["no graph", new Uint8Array(0), /it holds no graph/],
  ["a number in place of its graph", writeField(7, 1), /field 7 holds a number/],
])("a file with %s is no model", (_what, file, message) => {
  expect(() => readGraph(file)).toThrow(message);
});

it.each([
  ["one by one", constant("weight", valueTypes.float, [300, 2], new Float32Array(600))],
  [
    "packed into one field, as other writers do",
    joinBytes([
      // 300 and 2 as varints.
      writeField(1, Uint8Array.of(0xac, 0x02, 0x02)),
      writeField(2, valueTypes.float),
      writeField(8, "weight"),
    ]),
  ],
])("a constant's shape is read where its sizes are written %s", (_how, weight) => {
  const model = writeModel({ nodes: [], constants: [weight], inputs: [], outputs: [] });
  expect(readGraph(model).constants.get("weight")?.shape).toEqual([300, 2]);
});
