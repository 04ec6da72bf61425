"""Writes the mixer of tool scores as tools.onnx."""
import torch

from ..export.write_graph import write_batch_graph
from .lexical import LIST_FEATURES


def export_mixer(mixer, folder):
    write_batch_graph(mixer, [torch.randn(3, LIST_FEATURES)], ["list"], ["mix"], folder / "tools.onnx")
