"""Writes the readers of wishes as one graph, large weights as int8: wish-reader.onnx."""
import torch
from torch import nn

from ..export.write_graph import axes_of, write_graph


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
    write_graph(graph, [part, goal], names, ["chances"], axes, folder / "wish-reader.onnx", int8=True, exact=exact)
