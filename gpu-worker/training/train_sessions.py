"""Trains the session reader on readings of decisions."""
import random
import time

import torch

from .session_reader import SessionReader
from .session_readings import collate

EPOCHS, BATCH_TOKENS, LEARNING_RATE = 7, 2500, 2e-3
# Share of the decisions of each source that an epoch learns from.
SHARES, SHARE_OF_SETS = {"own": 1.0, "own-plan": 0.4, "families": 0.4, "joined": 0.3, "seal": 0.5, "lists": 0.4}, 0.2


def groups_of(readings, chance):
    """Decisions of like size share a batch of about BATCH_TOKENS tokens."""
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
    # A little for all that is there: a sure reader that is wrong is worth nothing.
    smooth = -(chances.clamp(min=-12) * (logits > -1e8)).sum(-1) / (logits > -1e8).sum(-1)
    return ((0.97 * found + 0.03 * smooth) * weights).sum() / weights.sum()


def train_reader(readings, table, seed, epochs=EPOCHS, say=print):
    torch.manual_seed(seed)
    chance, reader = random.Random(seed), SessionReader(table.shape[1])
    usable = [one for one in readings if one.decision.right or one.decision.ending >= 0]

    def epoch_of(chance):
        return groups_of([one for one in usable if chance.random() < SHARES.get(one.decision.source, SHARE_OF_SETS)], chance)

    optimiser = torch.optim.AdamW(reader.parameters(), lr=LEARNING_RATE, weight_decay=0.05)
    steps = len(epoch_of(random.Random(1))) * epochs + 40
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, LEARNING_RATE, total_steps=steps, pct_start=0.1)
    started, mean, step = time.time(), 0.0, 0
    for epoch in range(epochs):
        reader.train()
        for group in epoch_of(chance):
            if step >= steps:
                break
            x, right = collate(group, table)
            loss = loss_of(reader(**x), right, torch.tensor([one.decision.weight for one in group]))
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            mean = 0.98 * mean + 0.02 * loss.item() if step else loss.item()
            step += 1
            if step % 100 == 0:
                say(f"sessions: step {step}/{steps} loss {mean:.3f} {(time.time() - started) / 60:.1f} min")
    return reader.eval()
