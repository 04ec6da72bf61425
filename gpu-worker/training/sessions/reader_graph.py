"""The session reader as it is exported: the network of session_reader.py in fewer, larger operators, since the time of a run grows with
its operators and tokens. All views of a run have the same size, so nothing is padded and no mask is needed. The token of the endings
is row 0 of the events, without a text and with a mark of its own."""
import math

import torch
from torch import nn
from torch.nn import functional as F

from ..export.write_graph import DOMAIN
from .columns import MIXED, MIXED_BY, MIXED_NONE, NEXT_PART, NEXT_PART_NONE, TOOL_NUMBERS
from .session_reader import ATTENTION_HEADS, EVENT_NUMBERS, KINDS, LIKENESS_BY, MOST_EVENTS

# An event's marks: whether it is the token of the endings, its kind, its numbers, its place (the newest is 0).
MARKS = 1 + KINDS + EVENT_NUMBERS + MOST_EVENTS


class Attention(torch.autograd.Function):
    """onnxruntime's operator: products of queries, keys and values, and all heads, in one node."""

    @staticmethod
    def forward(ctx, x, weight, bias, likeness):
        rows, tokens, width = x.shape
        parts = (x @ weight + bias).view(rows, tokens, 3, ATTENTION_HEADS, width // ATTENTION_HEADS).permute(2, 0, 3, 1, 4)
        scores = parts[0] @ parts[1].transpose(-1, -2) * float(width // ATTENTION_HEADS) ** -0.5 + likeness
        return (scores.softmax(-1) @ parts[2]).transpose(1, 2).flatten(2)

    @staticmethod
    def symbolic(g, x, weight, bias, likeness):
        no_mask, no_past = (g.op("prim::Constant").setType(torch._C.OptionalType.ofTensor()) for _ in range(2))
        return g.op(f"{DOMAIN}::Attention", x, weight, bias, no_mask, no_past, likeness, num_heads_i=ATTENTION_HEADS).setType(x.type())


class ReaderGraph(nn.Module):
    def __init__(self, reader):
        super().__init__()
        self.reader = reader
        keep = lambda name, tensor: self.register_buffer(name, tensor.detach().contiguous())
        keep("text", reader.text.weight * math.sqrt(reader.text_width) * 0.5)
        # The endings' token has no text, so in this graph tanh(bias) passes through `event_in` for it: subtracted here beforehand.
        whole = reader.whole - reader.event_in.weight @ reader.text.bias.tanh()
        kinds = reader.kind + reader.event_in.bias + reader.event_numbers.bias
        keep("marks", torch.cat([whole[None], kinds, reader.event_numbers.weight.T, reader.recency]))
        keep("tool_bias", reader.tool_in.bias + reader.tool_numbers[2].bias)
        mixed, none = torch.zeros(TOOL_NUMBERS, 1), torch.zeros(TOOL_NUMBERS, 3)
        mixed[[MIXED, NEXT_PART], 0] = MIXED_BY * reader.trust.detach()[[0, 2]]
        none[[MIXED_NONE, NEXT_PART_NONE], 2] = MIXED_BY * reader.trust.detach()[[1, 3]]
        keep("mixed", mixed)
        keep("none", none)
        for at, layer in enumerate(reader.layers):
            keep(f"parts_{at}", layer.parts.weight.T)

    def narrowed(self, texts):
        return torch.tanh(F.linear(texts, self.text, self.reader.text.bias))

    def forward(self, events, marks, tools, tool_numbers):
        """events [b, 1 + e, w], marks [b, 1 + e, MARKS]; tools [b, t, w], tool_numbers [b, t, 25] -> logits [b, t + 3]."""
        reader, count = self.reader, tools.shape[1]
        said = F.linear(self.narrowed(events), reader.event_in.weight) + marks @ self.marks
        first, bend, last = reader.tool_numbers
        offered = F.linear(self.narrowed(tools), reader.tool_in.weight) + F.linear(bend(first(tool_numbers)), last.weight, self.tool_bias)
        x, texts = torch.cat([offered, said], 1), torch.cat([tools, events], 1)
        likeness = (texts @ texts.transpose(-1, -2))[:, None] * LIKENESS_BY
        for at, layer in enumerate(reader.layers):
            attended = Attention.apply(layer.norm(x), getattr(self, f"parts_{at}"), layer.parts.bias, likeness * layer.like[:, None, None])
            if at == len(reader.layers) - 1:
                # The last layer's output is read for the tools and the endings' token alone.
                x, attended = x[:, : 1 + count], attended[:, : 1 + count]
            x = x + layer.out(attended)
            x = x + layer.narrow(F.gelu(layer.widen(layer.norm_after(x))))
        x = reader.norm(x)
        found = reader.score(torch.cat([x[:, :-1], tool_numbers], -1)) + tool_numbers @ self.mixed
        return torch.cat([found.flatten(1), reader.end(x[:, -1]) + tool_numbers[:, 0] @ self.none], -1)
