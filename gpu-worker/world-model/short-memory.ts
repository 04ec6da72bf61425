/**
 * Rewrites the plan decoder's graphs to take a memory of any length. They were exported for 20 rows, most of them empty: a goal
 * of two parts fills four. Empty rows at the end have no weight, so the results are the same bits without them. Pure.
 */
import { createNode, readGraph, valueTypes, withInput, withNodes } from "../onnx-file.ts";
import { freeDimension, withInputs } from "../onnx-shapes.ts";

/** Of the first graph: the numbers of the rows there are. */
export const rowsInput = "rows";

/** The graph that steps; it asks for the length nowhere else. */
export const toShortSteps = (model: Uint8Array, length: number): Uint8Array =>
  freeDimension(model, length, rowsInput);

/**
 * The graph that reads a memory. It adds a position vector to each row, a constant of `length` rows; now only those used.
 * @throws Error where it has no such constant
 */
export function toShortMemory(model: Uint8Array, length: number): Uint8Array {
  const { nodes, constants } = readGraph(model);
  const adds = nodes.find(
    ({ operator, inputs }) =>
      operator === "Add" && inputs.some((name) => constants.get(name)?.shape[0] === length),
  );
  const places = adds?.inputs.find((name) => constants.get(name)?.shape[0] === length);
  if (!adds || places === undefined)
    throw new Error(`the plan decoder adds nothing to ${length} rows of memory`);
  const there = createNode("Gather", [places, rowsInput], `${places}/there`);
  const changed = nodes.flatMap((node) =>
    node === adds ? [there, withInput(adds, places, there.outputs[0]!)] : [node],
  );
  const free = freeDimension(withNodes(model, changed), length, rowsInput);
  return withInputs(free, [{ name: rowsInput, type: valueTypes.int64, dimensions: [rowsInput] }]);
}
