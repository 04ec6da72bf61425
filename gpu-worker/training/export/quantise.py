"""Makes an exported graph of the heads or of the plan decoder faster on a CPU, with int8 products: numpy and onnx only.

Run: python3 -m training.export.quantise FILE.onnx ...   For finished float32 graphs; a new training run does not need it.

Large weights become int8, one scale per output column; their inputs are quantised inside the graph with one
symmetric scale per row, so that a row never depends on its neighbours (as in export_encoder.py). ln of a sum of
exponentials becomes a difference of vectorised operators: ReduceLogSumExp takes a fifth of `act`.
"""
import argparse

import numpy as np
import onnx
from onnx import helper, numpy_helper

from .int8_columns import quantise_columns

# A weight with fewer values is not worth it: quantising its rows costs more than the product saves.
LEAST_VALUES = 1 << 17
# A gate scales a whole change of state, so its rounding shows (99 % of changes within 3.2 % instead of 1.9 %).
KEPT_FLOAT = "gate"


def constants(graph):
    return {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}


def product(node, known):
    """(input, weight [in, out], bias or None) of a matrix product with a constant, else None."""
    weight = known.get(node.input[1]) if node.op_type in ("Gemm", "MatMul") else None
    if weight is None or weight.ndim != 2:
        return None
    transposed = any(attribute.name == "transB" and attribute.i for attribute in node.attribute)
    return node.input[0], weight.T if transposed else weight, node.input[2] if len(node.input) > 2 else None


class Rewriter:
    """A new list of nodes; every method returns the name of the tensor it adds."""

    def __init__(self):
        self.nodes, self.initializers, self.rows = [], [], {}

    def constant(self, values, kind=np.float32):
        name = f"quantised_{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(values, kind), name))
        return name

    def add(self, operator, inputs, output=None, domain=None, **attributes):
        name = output or f"quantised_{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], name=f"quantised_node_{len(self.nodes)}", domain=domain, **attributes))
        return name

    def quantise_rows(self, x):
        """(uint8 around 128, the largest magnitude of each row); made once per tensor."""
        if x not in self.rows:
            peak = self.add("ReduceMax", [self.add("Abs", [x])], axes=[-1], keepdims=1)
            peak = self.add("Max", [peak, self.constant(1e-6)])
            share = self.add("Div", [x, peak])
            self.rows[x] = self.add("QuantizeLinear", [share, self.constant(1 / 127), self.constant(128, np.uint8)]), peak
        return self.rows[x]

    def linear(self, x, weight, bias, output):
        rows, peak = self.quantise_rows(x)
        steps, scale = quantise_columns(weight)
        inputs = [rows, self.constant(steps, np.int8), self.constant(1 / 127), self.constant(scale), self.constant(128, np.uint8)]
        found = self.add("MatMulIntegerToFloat", inputs, domain="com.microsoft")
        scaled = self.add("Mul", [found, peak], output if bias is None else None)
        return scaled if bias is None else self.add("Add", [scaled, bias], output)

    def log_sum_exp(self, x, output):
        """ln sum exp(x) = x - ln softmax(x), the same for every column."""
        edges = [self.constant([edge], np.int64) for edge in (0, 1, -1)]
        first = [self.add("Slice", [tensor, *edges]) for tensor in (x, self.add("LogSoftmax", [x], axis=-1))]
        return self.add("Sub", first, output)


def quantise(model, exact=()):
    """The same graph with its large products in int8, except those with a weight [in, out] in `exact`. Inputs and outputs stay
    float32."""
    graph, known, rewriter = model.graph, constants(model.graph), Rewriter()
    for node in graph.node:
        found = product(node, known)
        is_exact = found and (KEPT_FLOAT in node.input[1] or any(np.array_equal(found[1], weight) for weight in exact))
        if found and found[1].size >= LEAST_VALUES and not is_exact:
            rewriter.linear(*found, node.output[0])
        elif node.op_type == "ReduceLogSumExp":
            rewriter.log_sum_exp(node.input[0], node.output[0])
        else:
            rewriter.nodes.append(node)
    nodes = list(rewriter.nodes)
    used = {name for node in nodes for name in node.input}
    kept = [tensor for tensor in graph.initializer if tensor.name in used]
    body = helper.make_graph(nodes, graph.name, graph.input, graph.output, kept + rewriter.initializers)
    opsets = [*model.opset_import, helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=model.ir_version, producer_name="quantise")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+")
    for path in parser.parse_args().files:
        onnx.save(quantise(onnx.load(path)), path)
