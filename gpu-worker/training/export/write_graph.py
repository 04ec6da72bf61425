"""Traces a network into an ONNX graph, and writes it with its large weights as int8 where that is wanted."""
import onnx
import torch
from onnx import numpy_helper

from .quantise import quantise

OPSET = 15
# The domain of onnxruntime's own operators.
DOMAIN = "com.microsoft"
# The tracing exporter: the newer one needs another package and names its constants differently.
EXPORTER = {"dynamo": False} if "dynamo" in torch.onnx.export.__code__.co_varnames else {}


def trace(network, inputs, input_names, output_names, axes, path, **more):
    """The network's graph, which is also written to `path`. `axes`: names of each tensor's free dimensions."""
    torch.onnx.export(
        network.eval(), tuple(inputs), str(path), input_names=input_names, output_names=output_names,
        dynamic_axes=axes, opset_version=OPSET, **EXPORTER, **more,
    )  # fmt: skip
    return onnx.load(str(path))


def write_batch_graph(network, inputs, input_names, output_names, path):
    """Writes the graph of a network that takes any number of rows, large weights as int8."""
    axes = {name: {0: "batch"} for name in [*input_names, *output_names]}
    model = quantise(trace(network, inputs, input_names, output_names, axes, path))
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def share_constants(model):
    """Shares equal weights: the exporter writes a transposed copy for each use of a table."""
    first, renamed, kept = {}, {}, []
    for tensor in model.graph.initializer:
        key = (tuple(tensor.dims), tensor.data_type, numpy_helper.to_array(tensor).tobytes())
        if key in first:
            renamed[tensor.name] = first[key]
        else:
            first[key] = tensor.name
            kept.append(tensor)
    for node in model.graph.node:
        for place, name in enumerate(node.input):
            node.input[place] = renamed.get(name, name)
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)


def axes_of(first, *names):
    """The `axes` of `trace` for tensors whose first dimension is free, under the name `first`."""
    return {name: {0: first} for name in names}


def write_graph(network, inputs, input_names, output_names, axes, path, int8=False, exact=()):
    """Writes the graph with equal weights shared; with `int8`, large weights become int8, except those in `exact`."""
    model = trace(network, inputs, input_names, output_names, axes, path, custom_opsets={DOMAIN: 1})
    share_constants(model)
    if int8:
        model = quantise(model, exact)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
