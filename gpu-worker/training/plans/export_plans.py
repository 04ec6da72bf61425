"""Writes the plan decoder as ONNX files, large weights as int8: plan-open.onnx and plan-step.onnx."""
import torch
from torch import nn

from ..export.write_graph import axes_of, write_graph
from .plan_decoder import HIDDEN, MEMORY, WIDTH


class OpenGraph(nn.Module):
    def __init__(self, decoder):
        super().__init__()
        self.decoder = decoder

    def forward(self, memory, mask):
        return self.decoder.open(memory, mask)


class StepGraph(nn.Module):
    """Rows of any number of plans: `owner` says which memory each belongs to."""

    def __init__(self, decoder):
        super().__init__()
        self.decoder = decoder
        self.register_buffer("table", decoder.actions().detach().contiguous())

    def forward(self, hidden, last, owner, keys, values, memory, mask):
        decoder = self.decoder
        return decoder.step(hidden, self.table[last], keys[owner], values[owner], memory[owner], mask[owner], self.table)


def export_decoder(decoder, folder):
    width = decoder.text_width
    memory, mask = torch.randn(3, MEMORY, width), torch.ones(3, MEMORY)
    axes = axes_of("plans", "memory", "mask", "hidden", "keys", "values")
    write_graph(OpenGraph(decoder), [memory, mask], ["memory", "mask"], ["hidden", "keys", "values"], axes, folder / "plan-open.onnx", int8=True)
    hidden, keys = torch.randn(5, HIDDEN), torch.randn(3, MEMORY, WIDTH)
    rows = torch.tensor([0, 1, 2, 2, 1])
    axes = axes_of("plans", "keys", "values", "memory", "mask") | axes_of("rows", "hidden", "last", "owner", "next_hidden", "logits")
    write_graph(
        StepGraph(decoder), [hidden, rows, rows, keys, keys, memory, mask], ["hidden", "last", "owner", "keys", "values", "memory", "mask"],
        # The cosines with glosses are multiplied by up to twenty to become logits, and so is their rounding.
        ["next_hidden", "logits"], axes, folder / "plan-step.onnx", int8=True, exact=[decoder.glosses.T.numpy()],
    )  # fmt: skip
