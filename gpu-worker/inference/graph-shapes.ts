/** Changes the inputs and outputs of an ONNX graph: other sizes than it was exported for, and other names. Pure. */
import {
  bytesOf,
  type Field,
  graphFields,
  joinBytes,
  type Parts,
  readFields,
  textsOf,
  valueInfoFields,
  withGraph,
  wrapField,
  writeField,
} from "./model-file.ts";

/** Field numbers of onnx.proto, by message: those of a value's type. */
const typeFields = { tensor: 1 } as const;
const tensorFields = { kind: 1, shape: 2 } as const;
const shapeFields = { dimension: 1 } as const;
const dimensionFields = { size: 1, name: 2 } as const;

type Change = (fields: Field[]) => Parts;

/** The message with every occurrence of one field changed; everything else is kept. */
const changing =
  (number: number, change: Change): Change =>
  (fields) =>
    fields.flatMap((field) =>
      field.number === number && typeof field.value !== "number"
        ? wrapField(number, change(readFields(field.value)))
        : [field.raw],
    );

/** The graph with every dimension of an input or output that is `size` made free, under the name `name`. */
export function freeDimension(model: Uint8Array, size: number, name: string): Uint8Array {
  const free: Change = (fields) =>
    fields.some(({ number, value }) => number === dimensionFields.size && value === size)
      ? [writeField(dimensionFields.name, name)]
      : fields.map(({ raw }) => raw);
  const inShape = changing(
    valueInfoFields.type,
    changing(typeFields.tensor, changing(tensorFields.shape, changing(shapeFields.dimension, free))),
  );
  const ends: readonly number[] = [graphFields.input, graphFields.output];
  return withGraph(model, (fields) =>
    fields.flatMap((field) =>
      ends.includes(field.number) ? changing(field.number, inShape)([field]) : [field.raw],
    ),
  );
}

/** An input or output. `dimensions`: a size, or a name for any size. */
export type GraphValue = { name: string; type: number; dimensions: readonly (string | number)[] };

/** The graph with further inputs; an input replaces another of the same name. */
export function withInputs(model: Uint8Array, inputs: readonly GraphValue[]): Uint8Array {
  const names = new Set(inputs.map(({ name }) => name));
  const isReplaced = (field: Field) =>
    bytesOf([field], graphFields.input)
      .map(nameOf)
      .some((name) => names.has(name));
  return withGraph(model, (fields) => [
    ...fields.filter((field) => !isReplaced(field)).map(({ raw }) => raw),
    ...inputs.map((input) => writeField(graphFields.input, writeValue(input))),
  ]);
}

/** The graph with these inputs and outputs in place of its own. */
export function withEnds(
  model: Uint8Array,
  inputs: readonly GraphValue[],
  outputs: readonly GraphValue[],
): Uint8Array {
  const ends: readonly number[] = [graphFields.input, graphFields.output];
  return withGraph(model, (fields) => [
    ...fields.filter(({ number }) => !ends.includes(number)).map(({ raw }) => raw),
    ...inputs.map((input) => writeField(graphFields.input, writeValue(input))),
    ...outputs.map((output) => writeField(graphFields.output, writeValue(output))),
  ]);
}

const nameOf = (valueInfo: Uint8Array): string =>
  textsOf(readFields(valueInfo), valueInfoFields.name)[0] ?? "";

function writeValue({ name, type, dimensions }: GraphValue): Uint8Array {
  const shape = joinBytes(
    dimensions.map((one) => {
      const field = typeof one === "number" ? dimensionFields.size : dimensionFields.name;
      return writeField(shapeFields.dimension, writeField(field, one));
    }),
  );
  const tensor = joinBytes([writeField(tensorFields.kind, type), writeField(tensorFields.shape, shape)]);
  return joinBytes([
    writeField(valueInfoFields.name, name),
    writeField(valueInfoFields.type, writeField(typeFields.tensor, tensor)),
  ]);
}
