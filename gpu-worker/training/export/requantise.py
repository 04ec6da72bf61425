"""Rewrites the int8 products of graphs in place so that they are exact on every processor (int8_columns.quantise_columns).

Run: python3 -m training.export.requantise FILE.onnx ...   For graphs whose float weights are gone; a new training run does not need it.
"""
import argparse

import numpy as np
import onnx
from onnx import numpy_helper

from .int8_columns import quantise_columns
from .quantise import constants


def requantise(model):
    """The number of products rewritten."""
    graph, known, added = model.graph, constants(model.graph), []
    products = [node for node in graph.node if node.op_type == "MatMulIntegerToFloat"]
    for at, node in enumerate(products):
        steps, scale = quantise_columns(known[node.input[1]].astype(np.float32) * known[node.input[3]])
        for place, values in ((1, steps), (3, scale)):
            added.append(numpy_helper.from_array(values, f"requantised_{at}_{place}"))
            node.input[place] = added[-1].name
    used = {name for node in graph.node for name in node.input}
    kept = [tensor for tensor in [*graph.initializer, *added] if tensor.name in used]
    del graph.initializer[:]
    graph.initializer.extend(kept)
    return len(products)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+")
    for path in parser.parse_args().files:
        loaded = onnx.load(path)
        print(path, requantise(loaded))
        onnx.save(loaded, path)
