"""Writes the heads as ONNX files, large weights as int8: latent.onnx, act.onnx, next.onnx, tools.onnx; and the actions' vectors."""
import numpy as np
import onnx
import torch
from torch import nn

from .lexical import LIST_FEATURES
from .quantise import quantise

# The tracing exporter: the newer one needs another package and names its constants differently.
EXPORTER = {"dynamo": False} if "dynamo" in torch.onnx.export.__code__.co_varnames else {}
OPSET = 15


class LatentGraph(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads

    def forward(self, embedding):
        z = self.heads.latent(embedding)
        return z, self.heads.calibrated(self.heads.raw_magnitude(embedding))


class ActGraph(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads
        self.register_buffer("table", heads.actions().detach().contiguous())

    def forward(self, state, goal, history):
        return self.heads.act(state, goal, history, self.table)


class NextGraph(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads

    def forward(self, state, history, context, query, normaliser, action):
        return self.heads.next(state, history, context, query, normaliser, action)


def _write(graph, inputs, input_names, output_names, path):
    axes = {name: {0: "batch"} for name in [*input_names, *output_names]}
    torch.onnx.export(
        graph.eval(), tuple(inputs), str(path), input_names=input_names, output_names=output_names,
        dynamic_axes=axes, opset_version=OPSET, **EXPORTER,
    )  # fmt: skip
    onnx.save(quantise(onnx.load(str(path))), str(path))
    onnx.checker.check_model(onnx.load(str(path)))


def export_heads(heads, mixer, folder):
    heads.eval()
    width, side = heads.width, heads.history
    vector, z, h = torch.randn(3, width), torch.randn(3, 2 * width), torch.randn(3, side)
    vector = vector / vector.norm(dim=-1, keepdim=True)
    with torch.no_grad():
        context, query, _, normaliser, _ = heads.act(z, z, h)
        _write(LatentGraph(heads), [vector], ["embedding"], ["latent", "magnitude"], folder / "latent.onnx")
        _write(ActGraph(heads), [z, z, h], ["state", "goal", "history"], ["context", "query", "logits", "normaliser", "value"], folder / "act.onnx")
        _write(
            NextGraph(heads), [z, h, context, query, normaliser, vector],
            ["state", "history", "context", "query", "normaliser", "action"], ["next", "history_next", "change", "proposal"], folder / "next.onnx",
        )  # fmt: skip
        _write(mixer, [torch.randn(3, LIST_FEATURES)], ["list"], ["mix"], folder / "tools.onnx")
        heads.actions().numpy().astype("<f4").tofile(folder / "action-vectors.bin")
    assert np.fromfile(folder / "action-vectors.bin", "<f4").size == heads.glosses.numel()
