"""The reader of wishes: which of the 903 actions a part of a goal asks for, or none, from the vectors of the part and of the goal.

One hidden layer transforms the part's vector; its product with a table of the actions gives their logits. It is a network of its own, since
the plan decoder learns how plans begin: of wishes by new writers the decoder named the action of .43, this reader of .73.
"""
import torch
from torch import nn
from torch.nn import functional as F

HIDDEN, DROPOUT = 2048, 0.5
# Factor on the hidden layer's sums: its inputs are entries of unit vectors, about 1 / sqrt(384) each.
WIDEN_BY = 3.0
FIRST_SCALE = 15.0


class WishReader(nn.Module):
    def __init__(self, glosses):
        """glosses [903, w]: unit vectors of the actions' glosses."""
        super().__init__()
        actions, width = glosses.shape
        self.widen, self.around, self.narrow = nn.Linear(width, HIDDEN), nn.Linear(width, HIDDEN, bias=False), nn.Linear(HIDDEN, width)
        nn.init.zeros_(self.narrow.weight)
        nn.init.zeros_(self.narrow.bias)
        # The table's last row stands for "nothing is asked for".
        self.table = nn.Parameter(torch.cat([glosses, torch.zeros(1, width)]))
        self.bias = nn.Parameter(torch.zeros(actions + 1))
        self.scale = nn.Parameter(torch.tensor(FIRST_SCALE))
        self.dropout = nn.Dropout(DROPOUT)

    def bend(self, part, goal):
        """part, goal [b, w], unit vectors (the same vector if the part is the whole goal) -> unit vectors to multiply with the
        table."""
        hidden = F.gelu((self.widen(part) + self.around(goal - part)) * WIDEN_BY)
        bent = part + self.narrow(self.dropout(hidden))
        return bent / bent.pow(2).sum(-1, keepdim=True).sqrt()

    def forward(self, part, goal):
        """-> logits [b, 904] of the actions by id, then of none."""
        return self.dropout(self.bend(part, goal)) @ (self.scale * self.table).T + self.bias
