/** Small graphs of ONNX for tests, as the bytes of a file: messages of numbered fields (gpu-worker/inference/model-file.ts). */
import { joinBytes, valueTypes, writeField } from "../../../gpu-worker/inference/model-file.ts";

/** A message of numbered fields. */
const message = (...fields: readonly (readonly [field: number, value: number | string | Uint8Array])[]) =>
  joinBytes(fields.map(([field, value]) => writeField(field, value)));

export const constant = (
  name: string,
  type: number,
  shape: readonly number[],
  values: ArrayBufferView,
): Uint8Array =>
  message(
    ...shape.map((size) => [1, size] as const),
    [2, type],
    [8, name],
    [9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength)],
  );

export const node = (operator: string, inputs: readonly string[], output: string, domain = ""): Uint8Array =>
  message(...inputs.map((name) => [1, name] as const), [2, output], [4, operator], [7, domain]);

/** A float matrix of any number of rows, in or out. */
export function matrix(name: string, width: number): Uint8Array {
  const shape = message([1, message([2, "rows"])], [1, message([1, width])]);
  return message([1, name], [2, message([1, message([1, valueTypes.float], [2, shape])])]);
}

export type Graph = {
  nodes: Uint8Array[];
  constants: Uint8Array[];
  inputs: Uint8Array[];
  outputs: Uint8Array[];
};

export const writeModel = ({ nodes, constants, inputs, outputs }: Graph): Uint8Array =>
  message(
    [1, 8],
    [
      7,
      message(
        ...nodes.map((one) => [1, one] as const),
        [2, "graph"],
        ...constants.map((one) => [5, one] as const),
        ...inputs.map((one) => [11, one] as const),
        ...outputs.map((one) => [12, one] as const),
      ),
    ],
    [8, message([1, ""], [2, 15])],
    [8, message([1, "com.microsoft"], [2, 1])],
  );
