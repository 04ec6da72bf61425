/**
 * The part of ONNX's file format that is needed to read a graph and to write it changed: protobuf messages, by the field numbers
 * of onnx.proto. Other fields are kept as they are. Pure.
 */

/** `value`: the number of a varint, else the bytes. `raw`: the whole field with its key. */
export type Field = { number: number; value: number | Uint8Array; raw: Uint8Array };

/** `captured`: names that subgraphs (the branches of an `If`) use from the surrounding graph. */
export type GraphNode = {
  operator: string;
  domain: string;
  inputs: string[];
  outputs: string[];
  captured: string[];
  raw: Uint8Array;
};
export type Constant = { name: string; type: number; shape: number[]; bytes: Uint8Array };

/** Field numbers of onnx.proto, by message. */
const modelFields = { graph: 7 } as const;
export const graphFields = { node: 1, constant: 5, input: 11, output: 12 } as const;
export const valueInfoFields = { name: 1, type: 2 } as const;
const nodeFields = { input: 1, output: 2, operator: 4, attribute: 5, domain: 7 } as const;
const attributeFields = { name: 1, integer: 3, tensor: 5, graph: 6, kind: 20 } as const;
const constantFields = { shape: 1, type: 2, name: 8, bytes: 9 } as const;

/** Types of values, and of an attribute that is one integer. */
export const valueTypes = { float: 1, uint8: 2, int8: 3, int64: 7 } as const;
const integerAttribute = 2;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** A varint (seven bits a byte, the lowest first) and where it ends. Above 2^53 it loses its lowest bits. */
function readVarint(bytes: Uint8Array, begin: number): { value: number; end: number } {
  let value = 0;
  for (let at = begin, scale = 1; ; at++, scale *= 128) {
    const byte = bytes[at]!;
    value += (byte & 127) * scale;
    // Also ends at the end of a truncated file.
    if (!(byte >= 128)) return { value, end: at + 1 };
  }
}

function* readVarints(bytes: Uint8Array): Generator<number> {
  for (let at = 0; at < bytes.length; ) {
    const { value, end } = readVarint(bytes, at);
    yield value;
    at = end;
  }
}

/** The fields of a message, in order; views of its bytes. */
export function readFields(message: Uint8Array): Field[] {
  const fields: Field[] = [];
  for (let begin = 0; begin < message.length; ) {
    const key = readVarint(message, begin);
    const [number, kind] = [Math.floor(key.value / 8), key.value % 8];
    const varint = kind === 0 || kind === 2 ? readVarint(message, key.end) : undefined;
    const bytesBegin = kind === 2 ? varint!.end : key.end;
    const size = kind === 2 ? varint!.value : kind === 1 ? 8 : 4;
    const end = kind === 0 ? varint!.end : bytesBegin + size;
    const value = kind === 0 ? varint!.value : message.subarray(bytesBegin, end);
    fields.push({ number, value, raw: message.subarray(begin, end) });
    begin = end;
  }
  return fields;
}

function writeVarint(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
}

/** A message that is being written: its bytes in parts, so that a model's constants, 20 MB of them, are copied once, at the end. */
export type Parts = readonly Uint8Array[];

const sizeOf = (parts: Parts): number => parts.reduce((sum, { length }) => sum + length, 0);

/** Encodes a field: a number, a text, or another message's bytes. */
export function writeField(number: number, value: number | string | Uint8Array): Uint8Array {
  if (typeof value === "number") return Uint8Array.from([...writeVarint(number * 8), ...writeVarint(value)]);
  return joinBytes(wrapField(number, [typeof value === "string" ? encoder.encode(value) : value]));
}

/** Encodes a field that is another message. */
export const wrapField = (number: number, message: Parts): Parts => [
  Uint8Array.from([...writeVarint(number * 8 + 2), ...writeVarint(sizeOf(message))]),
  ...message,
];

export function joinBytes(parts: Parts): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(sizeOf(parts));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

const valuesOf = (fields: readonly Field[], number: number): Field["value"][] =>
  fields.filter((field) => field.number === number).map(({ value }) => value);
/** Values that are texts, blocks of bytes or messages. @throws Error where one is a number: onnx.proto has no such file */
export const bytesOf = (fields: readonly Field[], number: number): Uint8Array[] =>
  valuesOf(fields, number).map((value) => {
    if (typeof value === "number") throw new Error(`not an ONNX model: field ${number} holds a number`);
    return value;
  });
export const textsOf = (fields: readonly Field[], number: number): string[] =>
  bytesOf(fields, number).map((bytes) => decoder.decode(bytes));

function readNode(raw: Uint8Array): GraphNode {
  const fields = readFields(raw);
  const inner = bytesOf(fields, nodeFields.attribute)
    .flatMap((attribute) => bytesOf(readFields(attribute), attributeFields.graph))
    .flatMap((graph) => bytesOf(readFields(graph), graphFields.node))
    .map(readNode);
  return {
    operator: textsOf(fields, nodeFields.operator)[0] ?? "",
    domain: textsOf(fields, nodeFields.domain)[0] ?? "",
    inputs: textsOf(fields, nodeFields.input),
    outputs: textsOf(fields, nodeFields.output),
    captured: inner.flatMap((node) => [...node.inputs, ...node.captured]),
    raw,
  };
}

function readConstant(raw: Uint8Array): Constant {
  const fields = readFields(raw);
  return {
    name: textsOf(fields, constantFields.name)[0] ?? "",
    type: Number(valuesOf(fields, constantFields.type)[0] ?? 0),
    // Encoded one by one, or packed into one field.
    shape: valuesOf(fields, constantFields.shape).flatMap((size) =>
      typeof size === "number" ? [size] : [...readVarints(size)],
    ),
    bytes: bytesOf(fields, constantFields.bytes)[0] ?? new Uint8Array(0),
  };
}

export type ReadGraph = {
  nodes: GraphNode[];
  /** Constants by name: initializers of the graph, and values of Constant nodes. */
  constants: Map<string, Constant>;
  outputs: string[];
};

const graphOf = (model: Uint8Array): Uint8Array => {
  const [graph] = bytesOf(readFields(model), modelFields.graph);
  if (graph === undefined) throw new Error("not an ONNX model: it holds no graph");
  return graph;
};

/** The main graph of a model. @throws Error for a file that holds none */
export function readGraph(model: Uint8Array): ReadGraph {
  const fields = readFields(graphOf(model));
  const nodes = bytesOf(fields, graphFields.node).map(readNode);
  const constants = bytesOf(fields, graphFields.constant).map(readConstant);
  const held = nodes.filter(({ operator }) => operator === "Constant").map(readHeldConstant);
  return {
    nodes,
    constants: new Map([...constants, ...held].map((one) => [one.name, one])),
    outputs: bytesOf(fields, graphFields.output).flatMap((output) =>
      textsOf(readFields(output), valueInfoFields.name),
    ),
  };
}

function readHeldConstant({ raw, outputs }: GraphNode): Constant {
  const [attribute] = bytesOf(readFields(raw), nodeFields.attribute);
  const [tensor] = bytesOf(readFields(attribute!), attributeFields.tensor);
  return { ...readConstant(tensor ?? new Uint8Array(0)), name: outputs[0]! };
}

/** A node of one of ONNX's own operators; `integers`: its attributes, each one integer. */
export function createNode(
  operator: string,
  inputs: string[],
  output: string,
  integers: Readonly<Record<string, number>> = {},
): GraphNode {
  const attributes = Object.entries(integers).map(([name, value]) =>
    joinBytes([
      writeField(attributeFields.name, name),
      writeField(attributeFields.integer, value),
      writeField(attributeFields.kind, integerAttribute),
    ]),
  );
  const raw = joinBytes([
    ...inputs.map((name) => writeField(nodeFields.input, name)),
    writeField(nodeFields.output, output),
    writeField(nodeFields.operator, operator),
    ...attributes.map((attribute) => writeField(nodeFields.attribute, attribute)),
  ]);
  return { operator, domain: "", inputs, outputs: [output], captured: [], raw };
}

/** The node with one input replaced by another. */
export function withInput(node: GraphNode, name: string, instead: string): GraphNode {
  const raw = joinBytes(
    readFields(node.raw).map((field) =>
      field.number === nodeFields.input && textsOf([field], nodeFields.input)[0] === name
        ? writeField(nodeFields.input, instead)
        : field.raw,
    ),
  );
  return { ...node, inputs: node.inputs.map((one) => (one === name ? instead : one)), raw };
}

/** The node with another name for its output. */
export function withOutput(node: GraphNode, name: string): GraphNode {
  const others = readFields(node.raw).filter(({ number }) => number !== nodeFields.output);
  const raw = joinBytes([...others.map((field) => field.raw), writeField(nodeFields.output, name)]);
  return { ...node, outputs: [name], raw };
}

/** The model with its graph's fields changed; everything else is kept. */
export const withGraph = (model: Uint8Array, change: (fields: Field[]) => Parts): Uint8Array<ArrayBuffer> =>
  joinBytes(
    readFields(model).flatMap(({ number, value, raw }) =>
      number === modelFields.graph && typeof value !== "number"
        ? wrapField(number, change(readFields(value)))
        : [raw],
    ),
  );

/** The model with other nodes. */
export const withNodes = (model: Uint8Array, nodes: readonly GraphNode[]): Uint8Array<ArrayBuffer> =>
  withGraph(model, (fields) => [
    ...nodes.flatMap(({ raw }) => wrapField(graphFields.node, [raw])),
    ...fields.filter(({ number }) => number !== graphFields.node).map(({ raw }) => raw),
  ]);

/** Removes nodes whose outputs nobody reads any more. */
export function keepUsed(nodes: readonly GraphNode[], outputs: readonly string[]): GraphNode[] {
  const used = new Set(outputs);
  return nodes
    .toReversed()
    .filter((node) => {
      if (!node.outputs.some((name) => used.has(name))) return false;
      for (const name of [...node.inputs, ...node.captured]) used.add(name);
      return true;
    })
    .toReversed();
}
