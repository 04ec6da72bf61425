/**
 * As much of ONNX's protobuf as the tests need: reads the nodes and constants of a graph, and writes a small one.
 * Fields by their numbers in onnx.proto.
 */
export type Node = { operator: string; inputs: string[] };
export type Constant = { name: string; type: number; shape: number[]; bytes: Uint8Array };

type Field = { field: number; number: number; bytes: Uint8Array };
const text = new TextDecoder();
const utf8 = new TextEncoder();

function* fieldsOf(bytes: Uint8Array): Generator<Field> {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  const take = (count: number) => {
    at += count;
    return bytes.subarray(at - count, at);
  };
  while (at < bytes.length) {
    const key = varint();
    const field = Math.floor(key / 8);
    const kind = key % 8;
    if (kind === 0) yield { field, number: varint(), bytes: new Uint8Array(0) };
    else yield { field, number: 0, bytes: take(kind === 2 ? varint() : kind === 1 ? 8 : 4) };
  }
}

const all = (bytes: Uint8Array, field: number): Uint8Array[] =>
  [...fieldsOf(bytes)].flatMap((one) => (one.field === field ? [one.bytes] : []));

const readNode = (bytes: Uint8Array): Node => ({
  operator: text.decode(all(bytes, 4)[0]),
  inputs: all(bytes, 1).map((one) => text.decode(one)),
});

function readConstant(bytes: Uint8Array): Constant {
  const found: Constant = { name: "", type: 0, shape: [], bytes: new Uint8Array(0) };
  for (const { field, number, bytes: value } of fieldsOf(bytes)) {
    if (field === 1) found.shape.push(...(value.length > 0 ? value : [number]));
    if (field === 2) found.type = number;
    if (field === 8) found.name = text.decode(value);
    if (field === 9) found.bytes = value;
  }
  return found;
}

export function readGraph(model: Uint8Array): { nodes: Node[]; constants: Map<string, Constant> } {
  const [graph] = all(model, 7);
  const constants = all(graph!, 5).map(readConstant);
  return { nodes: all(graph!, 1).map(readNode), constants: new Map(constants.map((one) => [one.name, one])) };
}

/** What may stand in a message: a number, a text, bytes of another message. */
type Value = number | string | Uint8Array;

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
}

/** A message of numbered fields. */
export function message(...fields: readonly (readonly [field: number, value: Value])[]): Uint8Array {
  const parts = fields.flatMap(([field, value]): Uint8Array[] => {
    if (typeof value === "number") return [Uint8Array.from([...varint(field * 8), ...varint(value)])];
    const bytes = typeof value === "string" ? utf8.encode(value) : value;
    return [Uint8Array.from([...varint(field * 8 + 2), ...varint(bytes.length)]), bytes];
  });
  return Uint8Array.from(Buffer.concat(parts));
}

export const types = { float: 1, uint8: 2, int8: 3 } as const;

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
  return message([1, name], [2, message([1, message([1, types.float], [2, shape])])]);
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
