"""One layer of a transformer, written out so that its graph is plain: pre-norm, attention, two linear layers with GELU (Vaswani et al. 2017)."""
from torch import nn
from torch.nn import functional as F


class Layer(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.head = heads, width // heads
        self.scale = float(self.head) ** -0.5
        self.norm, self.norm_after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.parts, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.widen, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, bias):
        """x [b, n, width]; bias [b, 1, 1, n]: 0, or -1e9 for padding."""
        parts = self.parts(self.norm(x))
        parts = parts.view(parts.shape[0], parts.shape[1], 3, self.heads, self.head).permute(2, 0, 3, 1, 4)
        query, key, value = parts[0], parts[1], parts[2]
        shares = (query @ key.transpose(-1, -2) * self.scale + bias).softmax(-1)
        x = x + self.dropout(self.out((self.dropout(shares) @ value).transpose(1, 2).flatten(2)))
        return x + self.dropout(self.narrow(F.gelu(self.widen(self.norm_after(x)))))
