"""Writes the heads as ONNX files, large weights as int8: latent.onnx, act.onnx and next.onnx; and the actions' vectors."""
import numpy as np
import torch
from torch import nn

from ..export.write_graph import write_batch_graph


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


def export_heads(heads, folder):
    heads.eval()
    width, side = heads.width, heads.history
    vector, z, h = torch.randn(3, width), torch.randn(3, 2 * width), torch.randn(3, side)
    vector = vector / vector.norm(dim=-1, keepdim=True)
    with torch.no_grad():
        context, query, _, normaliser, _ = heads.act(z, z, h)
        write_batch_graph(LatentGraph(heads), [vector], ["embedding"], ["latent", "magnitude"], folder / "latent.onnx")
        write_batch_graph(ActGraph(heads), [z, z, h], ["state", "goal", "history"], ["context", "query", "logits", "normaliser", "value"], folder / "act.onnx")
        write_batch_graph(
            NextGraph(heads), [z, h, context, query, normaliser, vector],
            ["state", "history", "context", "query", "normaliser", "action"], ["next", "history_next", "change", "proposal"], folder / "next.onnx",
        )  # fmt: skip
        heads.actions().numpy().astype("<f4").tofile(folder / "action-vectors.bin")
    assert np.fromfile(folder / "action-vectors.bin", "<f4").size == heads.glosses.numel()
