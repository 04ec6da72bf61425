"""The session reader: a small transformer over the vectors of a conversation's recent events and of the caller's tools.

Every event and every tool is one token; they attend to each other. A tool's token gives its logit, one token more gives the
logits of the endings. Tools have no order. What words, repeats and likeness say of a tool comes as numbers beside its vector.
"""
import math

import torch
from torch import nn

from .attention import Layer

WIDTH, ATTENTION_HEADS, LAYERS, DROPOUT = 192, 6, 3, 0.1
# Kinds of events: system, user, assistant, call, result, planned call, and a part of the last user message.
KINDS, MOST_EVENTS = 7, 32
EVENT_NUMBERS, TOOL_NUMBERS, ENDING_COUNT = 4, 22, 3
# Columns of a tool's numbers: what the tool mixer says of it for the last user message alone, and of none of them; as ln p / MIXED_BY.
MIXED, MIXED_NONE, MIXED_BY = 20, 21, 4.0


class SessionReader(nn.Module):
    def __init__(self, width=384):
        super().__init__()
        self.text_width = width
        self.event_in, self.tool_in = nn.Linear(width, WIDTH), nn.Linear(width, WIDTH)
        self.kind = nn.Parameter(torch.randn(KINDS, WIDTH) * 0.2)
        self.recency = nn.Parameter(torch.randn(MOST_EVENTS, WIDTH) * 0.1)
        self.event_numbers, self.tool_numbers = nn.Linear(EVENT_NUMBERS, WIDTH), nn.Sequential(nn.Linear(TOOL_NUMBERS, WIDTH), nn.GELU(), nn.Linear(WIDTH, WIDTH))
        self.whole = nn.Parameter(torch.randn(WIDTH) * 0.2)
        self.layers = nn.ModuleList(Layer(WIDTH, ATTENTION_HEADS, DROPOUT) for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.score = nn.Sequential(nn.Linear(WIDTH + TOOL_NUMBERS, WIDTH), nn.GELU(), nn.Linear(WIDTH, 1))
        self.end = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.GELU(), nn.Linear(WIDTH, ENDING_COUNT))
        self.dropout = nn.Dropout(DROPOUT)
        # The reader corrects the mixer, which has seen far more lists of tools: it begins as the mixer.
        self.trust = nn.Parameter(torch.tensor([1.0, 0.5]))

    def forward(self, events, kinds, event_numbers, event_mask, tools, tool_numbers, tool_mask):
        """events [b, e, w], kinds [b, e, KINDS] one-hot, event_numbers [b, e, 4], event_mask [b, e]; tools [b, t, w], tool_numbers [b, t, 22],
        tool_mask [b, t] -> logits [b, t + 3]: tools (-1e9 where there is none), then done, ask, no tool. The newest event is row 0."""
        scale = math.sqrt(self.text_width) * 0.4
        said = self.event_in(events * scale) + kinds @ self.kind + self.recency[: events.shape[1]] + self.event_numbers(event_numbers)
        offered = self.tool_in(tools * scale) + self.tool_numbers(tool_numbers)
        whole = self.whole.expand(events.shape[0], 1, WIDTH)
        x = self.dropout(torch.cat([whole, said, offered], 1))
        mask = torch.cat([torch.ones_like(event_mask[:, :1]), event_mask, tool_mask], 1)
        bias = ((mask - 1) * 1e9)[:, None, None]
        for layer in self.layers:
            x = layer(x, bias)
        x = self.norm(x)
        mixed = self.trust[0] * MIXED_BY * tool_numbers[..., MIXED]
        found = self.score(torch.cat([x[:, 1 + events.shape[1] :], tool_numbers], -1)).squeeze(-1) + mixed + (tool_mask - 1) * 1e9
        ends = self.end(x[:, 0])
        no_tool = ends[:, 2:] + self.trust[1] * MIXED_BY * tool_numbers[:, :1, MIXED_NONE]
        return torch.cat([found, ends[:, :2], no_tool], -1)
