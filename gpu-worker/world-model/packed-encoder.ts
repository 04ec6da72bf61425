/**
 * The encoder's graph for texts of different lengths in one run. A checkpoint's takes texts of one length, row below row;
 * this one takes the tokens of all texts one after the other, so that all products, which wait for their weights, are done
 * once for all of them. Only where tokens of a text look at each other do texts lie side by side, padded. Pure.
 */
import {
  createNode,
  type GraphNode,
  keepUsed,
  readGraph,
  valueTypes,
  withInput,
  withNodes,
  withOutput,
} from "../onnx-file.ts";
import { withInputs } from "../onnx-shapes.ts";

/** What the graph takes: tokens, then how they lie as texts (packed-texts.ts). */
const inputs = [
  { name: "input_ids", type: valueTypes.int64, dimensions: ["tokens"] },
  { name: "positions", type: valueTypes.int64, dimensions: ["tokens"] },
  { name: "spread", type: valueTypes.int64, dimensions: ["texts", "length"] },
  { name: "attention_mask", type: valueTypes.int64, dimensions: ["texts", "length"] },
  { name: "collect", type: valueTypes.int64, dimensions: ["tokens", "two"] },
  { name: "pooled", type: valueTypes.int64, dimensions: ["texts", "pool"] },
  { name: "weights", type: valueTypes.float, dimensions: ["texts", "pool"] },
] as const;

/** @throws Error for a graph that training/export_encoder.py did not write */
export function toPackedEncoder(model: Uint8Array): Uint8Array {
  const { nodes, constants, outputs } = readGraph(model);
  const maker = (name: string | undefined) => nodes.find((node) => node.outputs.includes(name!));
  const dimensions = (name: string | undefined) => constants.get(name ?? "")?.shape[0];
  const found = { places: 0, splits: 0, joins: 0, pools: 0 };

  const pack = (node: GraphNode): GraphNode[] => {
    const [first, second] = node.inputs as [string, string];
    const [output] = node.outputs as [string];
    if (node.operator === "Slice" && constants.get(first)?.shape.length === 2) {
      found.places++;
      return [createNode("Gather", [first, "positions"], output)];
    }
    if (node.operator === "Reshape" && dimensions(second) === 4) {
      found.splits++;
      const spread = `${first}/spread`;
      return [createNode("Gather", [first, "spread"], spread), withInput(node, first, spread)];
    }
    if (node.operator === "Reshape" && dimensions(second) === 3) {
      found.joins++;
      const joined = `${output}/joined`;
      return [withOutput(node, joined), createNode("GatherND", [joined, "collect"], output)];
    }
    const row = maker(first);
    if (node.operator === "MatMul" && row?.operator === "Unsqueeze") {
      found.pools++;
      const pooled = `${second}/pooled`;
      const weights = `${first}/weights`;
      return [
        createNode("Gather", [second, "pooled"], pooled),
        withOutput(withInput(row, row.inputs[0]!, "weights"), weights),
        withInput(withInput(node, first, weights), second, pooled),
      ];
    }
    return [node];
  };

  const packed = nodes.flatMap(pack);
  const { places, splits, joins, pools } = found;
  if (places !== 1 || pools !== 1 || splits === 0 || splits !== joins)
    throw new Error("encoder.onnx is not a graph of training/export_encoder.py");
  return withInputs(withNodes(model, keepUsed(packed, outputs)), inputs);
}
