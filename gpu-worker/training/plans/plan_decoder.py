"""The plan decoder: proposes whole plans over the 903 actions, one action after the other.

Memory: the vectors of the goal, the state, the goal's parts and the actions already taken. A gated recurrent unit reads the
actions it has written so far and attends to the memory; an action's logit is its vector's product with a learned query plus
the cosines of its gloss with the texts attended to, so that a goal unlike any in training still raises the actions it names.
"""
import math

import torch
from torch import nn
from torch.nn import functional as F

from .attention import Layer

WIDTH, HIDDEN, ATTENTION_HEADS, DROPOUT = 256, 384, 4, 0.15
# Kinds of memory rows: goal, state, part of the goal, action taken. The first two are also the indices of their only rows.
GOAL, STATE, PART, TAKEN = range(4)
MOST_PARTS, MOST_TAKEN = 8, 10
# Rows of a memory.
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
        self.mix = Layer(WIDTH, ATTENTION_HEADS, DROPOUT)
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
        """memory [b, MEMORY, w], mask [b, MEMORY] (1 for rows in use) -> hidden [b, HIDDEN], keys, values [b, MEMORY, WIDTH]."""
        x = self.dropout(self.read(memory * math.sqrt(self.text_width)) * 0.3 + self.place) * mask[..., None]
        x = self.mix(x, ((mask - 1) * 1e9)[:, None, None])
        hidden = torch.tanh(self.begin(torch.cat([x[:, GOAL], x[:, STATE]], -1)))
        return hidden, self.keys(x), self.values(x)

    def attend(self, hidden, keys, values, memory, mask):
        """What the state looks at in the memory -> (attended values [b, WIDTH], attention-weighted mean of the texts' vectors [b, w])."""
        rows, head = hidden.shape[0], WIDTH // ATTENTION_HEADS

        def heads(x):
            return x.view(rows, -1, ATTENTION_HEADS, head).transpose(1, 2)

        scores = heads(self.look(hidden)) @ heads(keys).transpose(-1, -2) * float(head) ** -0.5
        shares = (scores + (mask[:, None, None] - 1) * 1e9).softmax(-1)
        return (shares @ heads(values)).transpose(1, 2).flatten(1), (shares[:, 0] @ memory).squeeze(1)

    def gate(self, x, hidden):
        """A gated recurrent unit (Cho et al. 2014), written out because its operator does not export."""
        reset_x, keep_x, new_x = F.linear(x, self.cell.weight_ih, self.cell.bias_ih).chunk(3, -1)
        reset_h, keep_h, new_h = F.linear(hidden, self.cell.weight_hh, self.cell.bias_hh).chunk(3, -1)
        keep = torch.sigmoid(keep_x + keep_h)
        new = torch.tanh(new_x + torch.sigmoid(reset_x + reset_h) * new_h)
        return new + keep * (hidden - new)

    def step(self, hidden, action, keys, values, memory, mask, table=None):
        """One more action: action [b, w] is the vector of the last one -> hidden, logits [b, 903] of the next."""
        table = self.actions() if table is None else table
        seen, _ = self.attend(hidden, keys, values, memory, mask)
        hidden = self.gate(torch.cat([self.action_in(action), seen], -1), hidden)
        seen, text = self.attend(hidden, keys, values, memory, mask)
        query = self.out(self.dropout(torch.cat([hidden, seen], -1)))
        # Sixteen wide for the same reason as steady_sigmoid in heads.py.
        pulled = F.softplus(self.pull(hidden).expand(-1, 16))[:, :1] * 4 * text
        return hidden, query @ table.T + pulled @ self.glosses.T + self.bias

    def forward(self, memory, mask, targets):
        """Teacher-forced logits [b, t, 903]; targets [b, t] are the actions, END after the last."""
        hidden, keys, values = self.open(memory, mask)
        table, logits = self.actions(), []
        last = torch.full_like(targets[:, 0], START)
        for t in range(targets.shape[1]):
            hidden, found = self.step(hidden, table[last], keys, values, memory, mask, table)
            logits.append(found)
            last = targets[:, t]
        return torch.stack(logits, 1)
