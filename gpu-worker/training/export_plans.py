"""Writes the plan decoder and the reader of wishes, large weights as int8, and the session reader, float32, as ONNX files: plan-open.onnx,
plan-step.onnx, wish-reader.onnx, session-reader.onnx."""
import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn

from .export_heads import EXPORTER
from .plan_decoder import HIDDEN, MEMORY, WIDTH
from .quantise import quantise
from .reader_graph import DOMAIN, MARKS, ReaderGraph
from .session_reader import TOOL_NUMBERS

OPSET = 15


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


def _write(graph, inputs, names, outputs, axes, path, int8=False, exact=()):
    torch.onnx.export(
        graph.eval(), tuple(inputs), str(path), input_names=names, output_names=outputs,
        dynamic_axes=axes, opset_version=OPSET, custom_opsets={DOMAIN: 1}, **EXPORTER,
    )  # fmt: skip
    model = onnx.load(str(path))
    share_constants(model)
    if int8:
        model = quantise(model, exact)
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
    """Tensors whose first dimension is free, and its name."""
    return {name: {0: first} for name in names}


def export_decoder(decoder, folder):
    width = decoder.text_width
    memory, mask = torch.randn(3, MEMORY, width), torch.ones(3, MEMORY)
    axes = axes_of("plans", "memory", "mask", "hidden", "keys", "values")
    _write(OpenGraph(decoder), [memory, mask], ["memory", "mask"], ["hidden", "keys", "values"], axes, folder / "plan-open.onnx", int8=True)
    hidden, keys = torch.randn(5, HIDDEN), torch.randn(3, MEMORY, WIDTH)
    rows = torch.tensor([0, 1, 2, 2, 1])
    axes = axes_of("plans", "keys", "values", "memory", "mask") | axes_of("rows", "hidden", "last", "owner", "next_hidden", "logits")
    _write(
        StepGraph(decoder), [hidden, rows, rows, keys, keys, memory, mask], ["hidden", "last", "owner", "keys", "values", "memory", "mask"],
        # The cosines with glosses are multiplied by up to twenty to become logits, and so is their rounding.
        ["next_hidden", "logits"], axes, folder / "plan-step.onnx", int8=True, exact=[decoder.glosses.T.numpy()],
    )  # fmt: skip


def export_reader(reader, folder):
    b, e, t, width = 3, 5, 4, reader.text_width
    inputs = {
        "events": torch.randn(b, e, width), "marks": torch.zeros(b, e, MARKS),
        "tools": torch.randn(b, t, width), "tool_numbers": torch.zeros(b, t, TOOL_NUMBERS),
    }  # fmt: skip
    axes = {name: {0: "rows", 1: "tools" if name.startswith("tool") else "events"} for name in inputs}
    _write(ReaderGraph(reader), inputs.values(), list(inputs), ["logits"], {**axes, "logits": {0: "rows", 1: "choices"}}, folder / "session-reader.onnx")


class WishGraph(nn.Module):
    """The mean of several readers' probabilities."""

    def __init__(self, readers):
        super().__init__()
        self.readers = nn.ModuleList(readers)
        for at, reader in enumerate(readers):
            self.register_buffer(f"table_{at}", (reader.scale * reader.table).T.detach().contiguous())

    def forward(self, part, goal):
        chances = [(reader.bend(part, goal) @ getattr(self, f"table_{at}") + reader.bias).softmax(-1) for at, reader in enumerate(self.readers)]
        return sum(chances) / len(chances)


def export_wish_readers(readers, folder):
    part, goal = (vector / vector.norm(dim=-1, keepdim=True) for vector in torch.randn(2, 3, readers[0].narrow.out_features))
    graph, names = WishGraph(readers), ["part", "goal"]
    axes = axes_of("rows", *names, "chances")
    # The table's rows are twenty times as long as the unit vector they are multiplied with: its rounding would be a tenth of a
    # logit.
    exact = [table.numpy() for name, table in graph.named_buffers() if name.startswith("table_")]
    _write(graph, [part, goal], names, ["chances"], axes, folder / "wish-reader.onnx", int8=True, exact=exact)
