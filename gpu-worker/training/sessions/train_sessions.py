"""Trains the session reader on readings of decisions."""
import copy
import math
import random
import time

import torch

from .session_reader import SessionReader
from .session_readings import collate

STEPS, BATCH_TOKENS, LEARNING_RATE = 6000, 2500, 2e-3
# Share of the loss for label smoothing, which keeps the reader from being confident where it is wrong.
SMOOTHING = 0.03
# The learning rate rises over the first steps, then falls along a cosine to this share of its maximum.
WARM_UP, LAST_RATE = 0.02, 0.02
# The result is the mean of a moving average of the weights (Polyak and Juditsky 1992) and of the weights after a few steps. The
# late weights know better when work is done, the early ones which tool is next in lists unlike those of training.
AVERAGED, EARLY_STEP = 0.998, 1000
# Share of the decisions of each source that a pass learns from: sessions of our own are three copies in other orders, and almost half of a pass.
SHARES, SHARE_OF_SETS = {"own": 0.34, "own-plan": 0.2, "families": 0.3, "joined": 0.3, "seal": 0.4, "lists": 0.3}, 0.15


def groups_of(readings, chance):
    """Decisions of similar size share a batch of about BATCH_TOKENS tokens."""
    order = sorted(readings, key=lambda one: (len(one.tool_rows) // 4, len(one.event_rows) // 4, chance.random()))
    groups, group, widest = [], [], 0
    for one in order:
        size = 1 + len(one.event_rows) + len(one.tool_rows)
        if group and max(widest, size) * (len(group) + 1) > BATCH_TOKENS:
            groups.append(group)
            group, widest = [], 0
        group.append(one)
        widest = max(widest, size)
    groups.append(group)
    chance.shuffle(groups)
    return groups


def loss_of(logits, right, weights):
    chances = logits.log_softmax(-1)
    found = -(chances + (right - 1) * 1e9).logsumexp(-1)
    smooth = -(chances.clamp(min=-12) * (logits > -1e8)).sum(-1) / (logits > -1e8).sum(-1)
    return (((1 - SMOOTHING) * found + SMOOTHING * smooth) * weights).sum() / weights.sum()


def rate_at(step, steps):
    warm = min(1.0, (step + 1) / (WARM_UP * steps + 1))
    return warm * (LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * min(1.0, step / steps))) / 2)


def batches_of(usable, steps, chance):
    """`steps` groups of decisions, drawn anew for each pass."""
    while True:
        for group in groups_of([one for one in usable if chance.random() < SHARES.get(one.decision.source, SHARE_OF_SETS)], chance):
            if steps == 0:
                return
            steps -= 1
            yield group


def train_reader(readings, table, seed, steps=STEPS, say=print, begin=None, rate=LEARNING_RATE):
    """A trained reader; continues from `begin`, an earlier reader, if that is given."""
    torch.manual_seed(seed)
    chance, reader = random.Random(seed), copy.deepcopy(begin) if begin else SessionReader(table.shape[1])
    averaged, early = copy.deepcopy(reader).eval(), None
    usable = [one for one in readings if one.decision.right or one.decision.ending >= 0]
    optimiser = torch.optim.AdamW(reader.parameters(), lr=rate, weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: rate_at(step, steps))
    started, mean = time.time(), None
    reader.train()
    for step, group in enumerate(batches_of(usable, steps, chance), 1):
        x, right = collate(group, table)
        loss = loss_of(reader(**x), right, torch.tensor([one.decision.weight for one in group]))
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        with torch.no_grad():
            # The average's window grows with the steps: otherwise the first weights, which are random, would stay in it for long.
            kept = min(AVERAGED, step / (step + 20))
            for average, weight in zip(averaged.parameters(), reader.parameters()):
                average.lerp_(weight, 1 - kept)
        if step == EARLY_STEP:
            early = copy.deepcopy(reader)
        mean = loss.item() if mean is None else 0.98 * mean + 0.02 * loss.item()
        if step % 100 == 0:
            say(f"sessions: step {step}/{steps} loss {mean:.3f} {(time.time() - started) / 60:.1f} min")
    if early is not None:
        with torch.no_grad():
            for average, weight in zip(averaged.parameters(), early.parameters()):
                average.lerp_(weight, 0.5)
    return averaged
