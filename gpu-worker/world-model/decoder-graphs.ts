/**
 * Rewrites the plan decoder's graphs when they are loaded, so that a step computes less. They were exported for a memory of 20
 * rows, most of them empty: a goal of two parts fills four. Empty rows at the end have no weight, so the results are the same bits
 * without them. What depends on the memory alone is computed once for all steps by a third graph, made of the nodes of
 * `plan-step.onnx`. Pure.
 */

import { freeDimension, type GraphValue, withEnds, withInputs } from "../inference/graph-shapes.ts";
import {
  createNode,
  type GraphNode,
  keepUsed,
  type ReadGraph,
  readGraph,
  valueTypes,
  withInput,
  withNodes,
  withOutput,
} from "../inference/model-file.ts";
import { memoryRows, rowsInput } from "./plan-decoder.ts";

/**
 * `plan-open.onnx` for a memory of any length. The exported graph adds a constant of one position vector for each of the 20 rows; the
 * new one gathers those of the rows in use. @throws Error if there is no such constant
 */
export function toShortMemory(model: Uint8Array): Uint8Array {
  const length = memoryRows.total;
  const { nodes, constants } = readGraph(model);
  const isOfRows = (name: string) => constants.get(name)?.shape[0] === length;
  const addition = nodes.find(({ operator, inputs }) => operator === "Add" && inputs.some(isOfRows));
  const positions = addition?.inputs.find(isOfRows);
  if (!addition || positions === undefined)
    throw new Error(`the plan decoder adds nothing to ${length} rows of memory`);
  const used = createNode("Gather", [positions, rowsInput], `${positions}/used`);
  const changed = nodes.flatMap((node) =>
    node === addition ? [used, withInput(addition, positions, used.outputs[0]!)] : [node],
  );
  const free = freeDimension(withNodes(model, changed), length, rowsInput);
  return withInputs(free, [{ name: rowsInput, type: valueTypes.int64, dimensions: [rowsInput] }]);
}

/** The nodes of `plan-step.onnx` at which it is cut into the work of each memory and that of each step, and its widths. */
function readStep({ nodes, constants }: ReadGraph) {
  const one = (found: readonly GraphNode[], what: string): GraphNode => {
    const [node] = found;
    if (!node || found.length > 1) throw new Error(`plan-step.onnx does not have exactly one ${what}`);
    return node;
  };
  const reads = (operator: string, input: number, name: string) =>
    one(
      nodes.filter((node) => node.operator === operator && node.inputs[input] === name),
      `${operator} of ${name}`,
    );
  const widthOf = (name: string) => constants.get(name)!.shape;
  const looks = nodes.filter(({ operator }) => operator === "Flatten");
  const [before, after] = looks;
  const lookOf = (hidden: string) =>
    nodes.find(({ operator, inputs }) => operator === "Gemm" && inputs[0] === hidden)?.inputs.slice(1);
  if (!before || !after || looks.length > 2 || String(lookOf("hidden")) !== String(lookOf("next_hidden")))
    throw new Error("plan-step.onnx does not look at its memory twice, in the same way");
  const ofAction = reads("Gather", 1, "last");
  const pull = one(
    nodes.filter(({ operator, inputs }) => operator === "MatMul" && constants.has(inputs[1]!)),
    "product with the glosses",
  );
  return {
    /** What the plan looks at in the memory before the step, and after it: the same computation on the old and the new state. */
    before: before.outputs[0]!,
    after: after.outputs[0]!,
    /** The new state beside what it looks at. */
    written: reads("Concat", 0, "next_hidden"),
    ofMemory: reads("Gather", 0, "memory"),
    ofAction,
    actionIn: reads("Gemm", 0, ofAction.outputs[0]!),
    pull,
    glosses: pull.inputs[1]!,
    widths: {
      look: widthOf(lookOf("hidden")![0]!)[0]!,
      hidden: widthOf(lookOf("hidden")![0]!)[1]!,
      memory: widthOf(pull.inputs[1]!)[0]!,
      actions: widthOf(pull.inputs[1]!)[1]!,
    },
  };
}

type Step = ReturnType<typeof readStep>;

const rename = (nodes: readonly GraphNode[], name: string, instead: string): GraphNode[] =>
  nodes.map((node) => (node.inputs.includes(name) ? withInput(node, name, instead) : node));

const floats = (name: string, ...dimensions: (string | number)[]): GraphValue => {
  return { name, type: valueTypes.float, dimensions };
};
const ids = (name: string): GraphValue => ({ name, type: valueTypes.int64, dimensions: ["plans"] });

const memoriesOf = ({ widths }: Step): GraphValue[] => [
  floats("keys", "memories", rowsInput, widths.look),
  floats("values", "memories", rowsInput, widths.look),
  floats("mask", "memories", rowsInput),
];

/**
 * Makes the graph that prepares the steps over memories: what the first state looks at (`seen`), and the product of the memory's
 * rows with the glosses (`pulled`), from which every step needs a weighted mean.
 */
export function toDecoderStart(model: Uint8Array): Uint8Array {
  const graph = readGraph(model);
  const step = readStep(graph);
  const { widths } = step;
  const nodes = graph.nodes.map((node) =>
    node.outputs.includes(step.before) ? withOutput(node, "seen") : node,
  );
  const pulled = createNode("MatMul", ["memory", step.glosses], "pulled");
  return withEnds(
    withNodes(model, keepUsed([...withFixedShapes(graph, nodes), pulled], ["seen", "pulled"])),
    [
      floats("hidden", "plans", widths.hidden),
      ids("owner"),
      floats("memory", "memories", rowsInput, widths.memory),
      ...memoriesOf(step),
    ],
    [floats("seen", "plans", widths.look), floats("pulled", "memories", rowsInput, widths.actions)],
  );
}

/**
 * Makes the graph of one step. It takes `seen` from the step before (the first from `toDecoderStart`) and `pulled`, and gives `written`:
 * the new state and what that looks at, `seen` of the next step. All actions' vectors are projected once, when the runtime opens the
 * graph; a step gathers the row of its last action.
 */
export function toDecoderStep(model: Uint8Array): Uint8Array {
  const graph = readGraph(model);
  const step = readStep(graph);
  const { widths, ofAction, actionIn, ofMemory, pull, written } = step;
  const table = ofAction.inputs[0]!;
  const projected = `${table}/projected`;
  const inTurn = graph.nodes.flatMap((node) => {
    if (node === ofAction)
      return [
        withOutput(withInput(actionIn, ofAction.outputs[0]!, table), projected),
        createNode("Gather", [projected, "last"], actionIn.outputs[0]!),
      ];
    if (node === ofMemory) return [withInput(node, "memory", "pulled")];
    if (node === written) return [withOutput(node, "written")];
    return node === actionIn || node === pull ? [] : [node];
  });
  const renamed = [
    [step.before, "seen"],
    [pull.outputs[0]!, pull.inputs[0]!],
    [written.outputs[0]!, "written"],
  ].reduce((nodes, [name, instead]) => rename(nodes, name!, instead!), inTurn);
  return withEnds(
    withNodes(model, keepUsed(withFixedShapes(graph, renamed), ["written", "logits"])),
    [
      floats("hidden", "plans", widths.hidden),
      floats("seen", "plans", widths.look),
      ids("last"),
      ids("owner"),
      floats("pulled", "memories", rowsInput, widths.actions),
      ...memoriesOf(step),
    ],
    [floats("written", "plans", widths.hidden + widths.look), floats("logits", "plans", widths.actions)],
  );
}

/**
 * Lets the runtime fold the sizes that never change when it opens the graph; as exported, some nodes compute each of them in every run.
 * The width of a product is read from its weight instead of its output. The number of rows, the first number of every new shape,
 * becomes 0, which `Reshape` reads as "unchanged".
 */
function withFixedShapes({ constants }: ReadGraph, nodes: readonly GraphNode[]): GraphNode[] {
  const maker = (name: string) => nodes.find(({ outputs }) => outputs.includes(name));
  /** The weight of the int8 product that a tensor comes from, through scaling and bias; undefined for any other tensor. */
  const weightOf = (name: string): string | undefined => {
    const node = maker(name);
    if (node?.operator === "MatMulIntegerToFloat") return node.inputs[1];
    return node?.operator === "Add" || node?.operator === "Mul" ? weightOf(node.inputs[0]!) : undefined;
  };
  return nodes.map((node) => {
    const [from] = node.inputs;
    if (node.operator === "Shape") {
      const weight = weightOf(from!);
      return weight === undefined ? node : withInput(node, from!, weight);
    }
    const size = node.operator === "Unsqueeze" ? maker(from!) : undefined;
    const index =
      size?.operator === "Gather" && maker(size.inputs[0]!)?.operator === "Shape" && size.inputs[1];
    return index && isZero(constants.get(index)?.bytes) ? withInput(node, from!, index) : node;
  });
}

const isZero = (bytes: Uint8Array | undefined): boolean => bytes?.every((byte) => byte === 0) ?? false;
