"""Writes the session reader as session-reader.onnx, in float32."""
import torch

from ..export.write_graph import write_graph
from .columns import TOOL_NUMBERS
from .reader_graph import MARKS, ReaderGraph


def export_reader(reader, folder):
    b, e, t, width = 3, 5, 4, reader.text_width
    inputs = {
        "events": torch.randn(b, e, width), "marks": torch.zeros(b, e, MARKS),
        "tools": torch.randn(b, t, width), "tool_numbers": torch.zeros(b, t, TOOL_NUMBERS),
    }  # fmt: skip
    axes = {name: {0: "rows", 1: "tools" if name.startswith("tool") else "events"} for name in inputs}
    write_graph(ReaderGraph(reader), inputs.values(), list(inputs), ["logits"], {**axes, "logits": {0: "rows", 1: "choices"}}, folder / "session-reader.onnx")
