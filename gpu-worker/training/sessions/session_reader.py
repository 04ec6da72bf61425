"""The session reader: a small transformer over a conversation's recent events and the caller's tools.

Every event and every tool is one token; they attend to each other, each head by learned features and by how alike the two
texts are. Most tools were not seen in training, so the reader must not memorise texts: a text enters through a narrow
layer, while cosines between texts are given unchanged. A tool's token gives its logit, one token more gives the logits of the
endings. Tools have no order. Shared words, earlier calls and cosines of a tool come as numbers beside its vector.
"""
import math

import torch
from torch import nn
from torch.nn import functional as F

from .columns import MIXED, MIXED_BY, MIXED_NONE, NEXT_PART, NEXT_PART_NONE, TOOL_NUMBERS

WIDTH, ATTENTION_HEADS, LAYERS, DROPOUT = 128, 8, 3, 0.1
# Width of the layer through which a text's vector passes, and the dropout on its numbers.
NARROW, TEXT_DROPOUT = 40, 0.2
# Kinds of events: system, user, assistant, call, result, planned call, and a part of the last user message.
KINDS, MOST_EVENTS = 7, 32
EVENT_NUMBERS, ENDING_COUNT = 4, 3
# Factor on the cosines between texts, before each head weighs them.
LIKENESS_BY = 8.0


class Layer(nn.Module):
    """Pre-norm transformer layer (Vaswani et al. 2017) whose heads also weigh the cosines between texts."""

    def __init__(self):
        super().__init__()
        self.head = WIDTH // ATTENTION_HEADS
        self.norm, self.norm_after = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.parts, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.widen, self.narrow = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)
        self.like = nn.Parameter(torch.linspace(0, 1, ATTENTION_HEADS))
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, x, likeness, bias):
        """x [b, n, WIDTH]; likeness [b, 1, n, n]; bias [b, 1, 1, n]: 0, or -1e9 for padding."""
        parts = self.parts(self.norm(x))
        parts = parts.view(parts.shape[0], parts.shape[1], 3, ATTENTION_HEADS, self.head).permute(2, 0, 3, 1, 4)
        scores = parts[0] @ parts[1].transpose(-1, -2) * float(self.head) ** -0.5 + likeness * self.like[:, None, None]
        shares = (scores + bias).softmax(-1)
        x = x + self.dropout(self.out((self.dropout(shares) @ parts[2]).transpose(1, 2).flatten(2)))
        return x + self.dropout(self.narrow(F.gelu(self.widen(self.norm_after(x)))))


class SessionReader(nn.Module):
    def __init__(self, width=384):
        super().__init__()
        self.text_width = width
        self.text = nn.Linear(width, NARROW)
        self.text_dropout = nn.Dropout(TEXT_DROPOUT)
        self.event_in, self.tool_in = nn.Linear(NARROW, WIDTH), nn.Linear(NARROW, WIDTH)
        self.kind = nn.Parameter(torch.randn(KINDS, WIDTH) * 0.3)
        self.recency = nn.Parameter(torch.randn(MOST_EVENTS, WIDTH) * 0.1)
        self.event_numbers = nn.Linear(EVENT_NUMBERS, WIDTH)
        self.tool_numbers = nn.Sequential(nn.Linear(TOOL_NUMBERS, WIDTH), nn.GELU(), nn.Linear(WIDTH, WIDTH))
        # The token whose output gives the logits of the endings.
        self.whole = nn.Parameter(torch.randn(WIDTH) * 0.2)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.score = nn.Sequential(nn.Linear(WIDTH + TOOL_NUMBERS, WIDTH), nn.GELU(), nn.Linear(WIDTH, 1))
        self.end = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.GELU(), nn.Linear(WIDTH, ENDING_COUNT))
        self.dropout = nn.Dropout(DROPOUT)
        # Factors on the mixer's numbers MIXED, MIXED_NONE, NEXT_PART, NEXT_PART_NONE. The mixer has seen far more lists of tools, so the
        # reader begins close to its logits and learns to correct them.
        self.trust = nn.Parameter(torch.tensor([0.6, 0.3, 0.4, 0.2]))

    def narrowed(self, texts):
        return torch.tanh(self.text(self.text_dropout(texts) * math.sqrt(self.text_width) * 0.5))

    def forward(self, events, kinds, event_numbers, event_mask, tools, tool_numbers, tool_mask):
        """events [b, e, w], kinds [b, e, KINDS] one-hot, event_numbers [b, e, 4], event_mask [b, e]; tools [b, t, w], tool_numbers [b, t, 25],
        tool_mask [b, t] -> logits [b, t + 3]: tools (-1e9 where there is none), then done, ask, no tool. The newest event is row 0."""
        said = self.event_in(self.narrowed(events)) + kinds @ self.kind + self.recency[: events.shape[1]] + self.event_numbers(event_numbers)
        offered = self.tool_in(self.narrowed(tools)) + self.tool_numbers(tool_numbers)
        whole = self.whole.expand(events.shape[0], 1, WIDTH)
        x = self.dropout(torch.cat([whole, said, offered], 1))
        texts = torch.cat([torch.zeros_like(events[:, :1]), events, tools], 1)
        likeness = (texts @ texts.transpose(-1, -2))[:, None] * LIKENESS_BY
        mask = torch.cat([torch.ones_like(event_mask[:, :1]), event_mask, tool_mask], 1)
        bias = ((mask - 1) * 1e9)[:, None, None]
        for layer in self.layers:
            x = layer(x, likeness, bias)
        x = self.norm(x)
        mixed = MIXED_BY * (self.trust[0] * tool_numbers[..., MIXED] + self.trust[2] * tool_numbers[..., NEXT_PART])
        found = self.score(torch.cat([x[:, 1 + events.shape[1] :], tool_numbers], -1)).squeeze(-1) + mixed + (tool_mask - 1) * 1e9
        ends = self.end(x[:, 0])
        none = MIXED_BY * (self.trust[1] * tool_numbers[:, :1, MIXED_NONE] + self.trust[3] * tool_numbers[:, :1, NEXT_PART_NONE])
        return torch.cat([found, ends + F.pad(none, (2, 0))], -1)
