"""The plan decoder: proposes whole plans over the 903 actions, one action after the other.

Memory: the vectors of the goal, the state, the goal's parts and the actions already taken. A gated recurrent unit reads the
actions it has written so far and attends to the memory; an action's logit is its vector's product with a learned query plus
the likeness of its gloss to the texts attended to, so that goals unlike any in training still pull their own words.
"""
import math

import torch
from torch import nn
from torch.nn import functional as F

WIDTH, HIDDEN, ATTENTION_HEADS, DROPOUT = 256, 384, 4, 0.15
# Kinds of memory: goal, state, part of the goal, action taken.
GOAL, STATE, PART, TAKEN = range(4)
MOST_PARTS, MOST_TAKEN = 8, 10
MEMORY = 2 + MOST_PARTS + MOST_TAKEN
START = 2


class PlanDecoder(nn.Module):
    def __init__(self, glosses):
        """glosses [903, w]: unit vectors of the actions' glosses."""
        super().__init__()
        actions, width = glosses.shape
        self.text_width = width
        self.register_buffer("glosses", glosses)
        self.residual = nn.Parameter(torch.zeros(actions, width))
        self.bias = nn.Parameter(torch.zeros(actions))
        self.read = nn.Linear(width, WIDTH)
        self.place = nn.Parameter(torch.randn(MEMORY, WIDTH) * 0.1)
        self.mix = nn.TransformerEncoderLayer(WIDTH, ATTENTION_HEADS, 2 * WIDTH, DROPOUT, batch_first=True, norm_first=True)
        self.begin = nn.Linear(2 * WIDTH, HIDDEN)
        self.action_in = nn.Linear(width, WIDTH)
        self.cell = nn.GRUCell(2 * WIDTH, HIDDEN)
        self.look = nn.Linear(HIDDEN, WIDTH)
        self.keys, self.values = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.out = nn.Sequential(nn.Linear(HIDDEN + WIDTH, HIDDEN), nn.GELU(), nn.Dropout(DROPOUT), nn.Linear(HIDDEN, width))
        self.pull = nn.Linear(HIDDEN, 1)
        self.dropout = nn.Dropout(DROPOUT)

    def actions(self):
        return self.glosses + self.residual

    def open(self, memory, mask):
        """memory [b, MEMORY, w], mask [b, MEMORY] (1 where there is something) -> hidden [b, HIDDEN], keys, values [b, MEMORY, WIDTH]."""
        x = self.dropout(self.read(memory * math.sqrt(self.text_width)) * 0.3 + self.place) * mask[..., None]
        x = self.mix(x, src_key_padding_mask=mask < 0.5)
        hidden = torch.tanh(self.begin(torch.cat([x[:, GOAL], x[:, STATE]], -1)))
        return hidden, self.keys(x), self.values(x)

    def attend(self, hidden, keys, values, memory, mask):
        """-> (what was attended to [b, WIDTH], the mean of the texts attended to [b, w])."""
        count = keys.shape[-1] // ATTENTION_HEADS
        query = self.look(hidden).unflatten(-1, (ATTENTION_HEADS, count))
        scores = torch.einsum("bhd,bmhd->bhm", query, keys.unflatten(-1, (ATTENTION_HEADS, count))) / math.sqrt(count)
        shares = (scores + (mask[:, None] - 1) * 1e9).softmax(-1)
        seen = torch.einsum("bhm,bmhd->bhd", shares, values.unflatten(-1, (ATTENTION_HEADS, count))).flatten(1)
        return seen, torch.einsum("bm,bmw->bw", shares[:, 0], memory)

    def step(self, hidden, action, keys, values, memory, mask):
        """One more action: action [b, w] is the vector of the last one -> hidden, logits [b, 903] of the next."""
        seen, _ = self.attend(hidden, keys, values, memory, mask)
        hidden = self.cell(torch.cat([self.action_in(action), seen], -1), hidden)
        seen, text = self.attend(hidden, keys, values, memory, mask)
        query = self.out(self.dropout(torch.cat([hidden, seen], -1)))
        pulled = F.softplus(self.pull(hidden)) * 4 * text
        return hidden, query @ self.actions().T + pulled @ self.glosses.T + self.bias

    def forward(self, memory, mask, targets):
        """Teacher-forced logits [b, t, 903]; targets [b, t] are the actions, END after the last."""
        hidden, keys, values = self.open(memory, mask)
        table, logits = self.actions(), []
        last = torch.full_like(targets[:, 0], START)
        for t in range(targets.shape[1]):
            hidden, found = self.step(hidden, table[last], keys, values, memory, mask)
            logits.append(found)
            last = targets[:, t]
        return torch.stack(logits, 1)
