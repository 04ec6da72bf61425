/**
 * Converts a checkpoint's graph for a GPU. Its products are int8, made for CPUs: onnxruntime has no CUDA kernel for
 * MatMulIntegerToFloat, so each would run on the CPU, between two copies from and to the GPU. Here they become float32 products
 * over the same weights, which onnxruntime unpacks once when it opens the graph. So one set of files gives both graphs.
 * Activations are not rounded to eight bits then, so vectors differ a little from a CPU's. Pure.
 */
import {
  type Constant,
  createNode,
  type GraphNode,
  keepUsed,
  type ReadGraph,
  readGraph,
  valueTypes,
  withNodes,
} from "./model-file.ts";

const product = "MatMulIntegerToFloat";

/**
 * The same graph with float32 products; a graph without int8 products is returned unchanged.
 * @throws Error for a product whose rows are not quantised as training/export/quantise.py and export_encoder.py do it
 */
export function toCudaGraph(model: Uint8Array): Uint8Array {
  const graph = readGraph(model);
  const products = graph.nodes.filter(({ operator }) => operator === product);
  if (products.length === 0) return model;
  const instead = new Map(products.map((node) => inFloats(graph, node)));
  const nodes = graph.nodes.flatMap((node) => instead.get(node) ?? [node]);
  return withNodes(model, keepUsed(nodes, graph.outputs));
}

/**
 * Finds the last of the nodes that make up an int8 product, and the nodes that replace it. They compute row / peak -> QuantizeLinear
 * -> product -> Mul with the peak, which equals (but for rounding) the row itself times the unpacked weight.
 */
function inFloats({ nodes, constants }: ReadGraph, node: GraphNode): [GraphNode, GraphNode[]] {
  const maker = (name: string) => nodes.find(({ outputs }) => outputs.includes(name));
  const [bytes, weight, step, columns] = node.inputs as [string, string, string, string];
  const quantised = maker(bytes);
  const divided = quantised && maker(quantised.inputs[0]!);
  const scaled = nodes.find(
    ({ operator, inputs }) => operator === "Mul" && inputs.includes(node.outputs[0]!),
  );
  const peak = scaled?.inputs.find((name) => name !== node.outputs[0]);
  // x / peak, or x times 1 / peak.
  const divisor =
    divided?.operator === "Div" ? divided.inputs[1] : divided && maker(divided.inputs[1]!)?.inputs[0];
  const sameStep = sameNumber(constants.get(step), constants.get(quantised?.inputs[1] ?? ""));
  if (!scaled || !divided || divisor !== peak || !sameStep)
    throw new Error(`the product ${node.outputs[0]} is not quantised by rows: a GPU cannot run it`);
  const output = scaled.outputs[0]!;
  return [
    scaled,
    [
      createNode("Cast", [weight], `${output}/steps`, { to: valueTypes.float }),
      createNode("Mul", [`${output}/steps`, columns], `${output}/weight`),
      createNode("MatMul", [divided.inputs[0]!, `${output}/weight`], output),
    ],
  ];
}

const sameNumber = (left: Constant | undefined, right: Constant | undefined): boolean =>
  left !== undefined && right !== undefined && Buffer.compare(left.bytes, right.bytes) === 0;
