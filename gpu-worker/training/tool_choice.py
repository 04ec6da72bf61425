"""Choosing among a caller's tools: likeness, the policy's query, BM25 and name share, mixed by weights that depend on the list.

score_i = scale * (likeness_i + w1 * query_i + w2 * bm25_i + w3 * name_i); "none of these" scores scale * threshold.
scale, w1-w3 and threshold come from a small network over numbers of the whole list.
"""
import random

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from .lexical import LIST_FEATURES, read_tool, tool_features


# How much a tool's score depends on the most similar part of the goal: 0 is the mean over the parts, infinity the maximum.
SHARPNESS = 8.0
# Numbers of the list that the weights depend on: its length and the share of the goal's words that it has.
READ = [0, 5]
# The rate of learning falls after each epoch.
EPOCHS, BATCH, LEARNING_RATE, KEPT_RATE = 6, 48, 8e-3, 0.6
# Made-up lists: how many, and the share of them that have no right tool.
LISTS, NOTHING_FITS = 3000, 0.2


class Mixer(nn.Module):
    """Few parameters on purpose: with more, or with the policy's query, it fitted the made-up lists and did worse on unseen
    ones."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(len(READ), 4)
        with torch.no_grad():
            self.net.weight.mul_(0.1)
            self.net.bias.copy_(torch.tensor([2.8, -1.6, -2.0, 0.45]))

    def forward(self, listed):
        """[b, LIST_FEATURES] -> [b, 5]: scale, weights of query (none yet), bm25 and name, threshold."""
        out = self.net(listed[:, READ])
        weights = F.softplus(out[:, 1:3].repeat(1, 8))[:, :2]  # sixteen wide: as steady_sigmoid in heads.py
        return torch.cat([out[:, :1].clamp(max=3.6).exp(), 0 * out[:, :1], weights, out[:, 3:]], -1)


def scores(mixer, features, listed):
    """features [n, 4] (likeness, query, bm25, name), listed [LIST_FEATURES] -> logits [n + 1], the last is "none"."""
    mix = mixer(listed[None])[0]
    found = features[:, 0] + features[:, 1:] @ mix[1:4]
    return torch.cat([found, mix[4:5]]) * mix[0]


def likeness(tool_vectors, goal_vectors):
    """A tool's cosines with a goal and its parts (goal_parts.py), pooled by attention: one part may ask for the tool while
    others only inform."""
    cosines = tool_vectors @ goal_vectors.T
    weights = np.exp(SHARPNESS * cosines)
    return (weights * cosines).sum(1) / weights.sum(1)


class Choice:
    """One list: what `scores` needs, and the rows of the right tools (none: nothing fits).

    goal_vectors [1 + parts, w]: the goal as a whole first.
    """

    def __init__(self, goal, tools, goal_vectors, tool_vectors, query_vector, right):
        bm25, named, listed = tool_features(goal, [read_tool(tool["name"], tool.get("description") or "") for tool in tools])
        like = likeness(tool_vectors, goal_vectors)
        query = tool_vectors @ (query_vector / (np.linalg.norm(query_vector) + 1e-9))
        ranked = np.sort(like)[::-1]
        listed = [*listed, ranked[0], min(0.5, ranked[0] - ranked[1]) if len(ranked) > 1 else 0.5, query.max()]
        self.features = torch.tensor(np.stack([like, query, bm25, named], 1), dtype=torch.float32)
        self.listed = torch.tensor(listed, dtype=torch.float32)
        self.right = right


def loss_of(mixer, choice):
    chances = scores(mixer, choice.features, choice.listed).log_softmax(-1)
    rows = choice.right or [len(choice.features)]
    return -chances[rows].logsumexp(-1)


def train_mixer(choices, seed, say=print):
    torch.manual_seed(seed)
    mixer, chance = Mixer(), random.Random(seed)
    optimiser = torch.optim.AdamW(mixer.parameters(), lr=LEARNING_RATE, weight_decay=0.02)
    choices = list(choices)
    for epoch in range(EPOCHS):
        chance.shuffle(choices)
        mean = 0.0
        for at in range(0, len(choices), BATCH):
            group = choices[at : at + BATCH]
            loss = sum(loss_of(mixer, choice) for choice in group) / len(group)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(mixer.parameters(), 1.0)
            optimiser.step()
            mean += loss.item() * len(group) / len(choices)
        for group in optimiser.param_groups:
            group["lr"] *= KEPT_RATE
        say(f"tool choice: epoch {epoch + 1}/{EPOCHS}  loss {mean:.3f}")
    return mixer


def train_lists(sets, seed):
    """[(goal, tools, right rows)] of made-up lists from training rows."""
    chance = random.Random(seed)
    lists = []

    def offer(goal, right, wrong, sizes=(2, 60)):
        low, high = sizes
        # Log-uniform sizes, since callers bring 3 tools as often as 30.
        size = min(len(wrong), int(low * (high / low) ** chance.random()))
        tools = chance.sample(wrong, size)
        if chance.random() < NOTHING_FITS and tools:
            lists.append((goal, tools, []))
            return
        tools = tools + right
        chance.shuffle(tools)
        lists.append((goal, tools, [row for row, tool in enumerate(tools) if any(tool is good for good in right)]))

    catalog = [{"name": row["name"], "description": row["description"]} for row in sets.get("tool_catalog", []) if row["source"] == "metatool"]
    pool = {tool["name"].lower(): tool for tool in catalog}
    named = [row for row in sets.get("metatool_single", []) if row["actions"][0].lower() in pool]
    for row in chance.sample(named, min(LISTS // 4, len(named))):
        good = pool[row["actions"][0].lower()]
        offer(row["goal"], [good], [tool for tool in catalog if tool is not good], (2, 199))
    traject = sets.get("traject_bench", [])
    domains = {}
    for row in traject:
        for tool in row["tools"]:
            domains.setdefault(row["domain"], {}).setdefault(tool["name"], tool)
    for row in chance.sample(traject, min(LISTS // 4, len(traject))):
        names = dict.fromkeys(row["actions"])  # in their order: a set's order changes from process to process
        own = domains[row["domain"]]
        offer(row["goal"], [own[name] for name in names if name in own], [tool for name, tool in own.items() if name not in names], (2, 40))
    seal = [row for row in sets.get("sealtools_dev", []) if len(row["tools"]) > 1]
    seal_tools = [tool for row in seal for tool in row["tools"]]
    for row in seal:
        names = set(row["actions"])
        right = [tool for tool in row["tools"] if tool["name"] in names]
        near = [tool for tool in row["tools"] if tool["name"] not in names]
        if near and right:
            far = [tool for tool in chance.sample(seal_tools, min(30, len(seal_tools))) if tool["name"] not in names]
            offer(row["goal"], right, near + far[: chance.randrange(0, 20)], (1, 30))
    sgd = [row for row in sets.get("sgd_train", []) if row.get("steps")]
    services = {}
    for row in sgd:
        for tool in row["tools"]:
            services.setdefault(tool["name"], tool)
    for row in chance.sample(sgd, min(LISTS // 3, len(sgd))):
        calls = [step for step in row["steps"] if step["action"] in services]
        if calls:
            step = chance.choice(calls)
            good = next((tool for tool in row["tools"] if tool["name"] == step["action"]), None)
            own = {tool["name"] for tool in row["tools"]}
            foreign = [tool for name, tool in services.items() if name != step["action"] and name not in own]
            others = [tool for tool in row["tools"] if tool is not good] + foreign[: chance.randrange(0, 30)]
            if good and others and step.get("state"):
                offer(step["state"], [good], others, (1, 30))
    chance.shuffle(lists)
    return lists
