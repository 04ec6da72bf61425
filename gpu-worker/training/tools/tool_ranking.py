"""Choosing among a caller's tools: likeness, BM25 and name share, mixed by weights that depend on the list.

score_i = scale * (likeness_i + w1 * query_i + w2 * bm25_i + w3 * name_i); "none of these" scores scale * threshold.
scale, w2, w3 and threshold come from a linear layer over two numbers of the list. w1, the weight of the policy's query, is 0: a learned
one fitted the made-up lists and did worse on unseen ones.
"""
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from .lexical import read_tool, tool_features

# How much a tool's score depends on the most similar part of the goal: 0 is the mean over the parts, infinity the maximum.
SHARPNESS = 8.0
# Numbers of the list that the weights depend on: its length and the share of the goal's words that it has.
READ = [0, 5]


class Mixer(nn.Module):
    """Few parameters on purpose: with more it fitted the made-up lists and did worse on unseen ones."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(len(READ), 4)
        with torch.no_grad():
            self.net.weight.mul_(0.1)
            self.net.bias.copy_(torch.tensor([2.8, -1.6, -2.0, 0.45]))

    def forward(self, listed):
        """[b, LIST_FEATURES] -> [b, 5]: scale, weights of query (always 0), bm25 and name, threshold."""
        out = self.net(listed[:, READ])
        weights = F.softplus(out[:, 1:3].repeat(1, 8))[:, :2]  # sixteen wide: as steady_sigmoid in heads.py
        return torch.cat([out[:, :1].clamp(max=3.6).exp(), 0 * out[:, :1], weights, out[:, 3:]], -1)


def scores(mixer, features, listed):
    """features [n, 4] (likeness, query, bm25, name), listed [LIST_FEATURES] -> logits [n + 1], the last is "none"."""
    mix = mixer(listed[None])[0]
    found = features[:, 0] + features[:, 1:] @ mix[1:4]
    return torch.cat([found, mix[4:5]]) * mix[0]


def pooled(cosines):
    """Cosines of tools with a goal and its parts [tools, 1 + parts], pooled by attention for each tool: one part may ask for the
    tool while others only inform."""
    weights = np.exp(SHARPNESS * cosines)
    return (weights * cosines).sum(1) / weights.sum(1)


class Choice:
    """One list: what `scores` needs, and the rows of the right tools (none: nothing fits).

    goal_vectors [1 + parts, w]: the goal as a whole first.
    """

    def __init__(self, goal, tools, goal_vectors, tool_vectors, query_vector, right):
        bm25, named, listed = tool_features(goal, [read_tool(tool["name"], tool.get("description") or "") for tool in tools])
        like = pooled(tool_vectors @ goal_vectors.T)
        query = tool_vectors @ (query_vector / (np.linalg.norm(query_vector) + 1e-9))
        ranked = np.sort(like)[::-1]
        listed = [*listed, ranked[0], min(0.5, ranked[0] - ranked[1]) if len(ranked) > 1 else 0.5, query.max()]
        self.features = torch.tensor(np.stack([like, query, bm25, named], 1), dtype=torch.float32)
        self.listed = torch.tensor(listed, dtype=torch.float32)
        self.right = right
