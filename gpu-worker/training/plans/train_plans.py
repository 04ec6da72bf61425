"""Trains the plan decoder on whole plans, from their beginnings and from places in their middle."""
import copy
import random
import time
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional as F

from ..actions.ids import END
from ..texts.goal_parts import goal_parts
from ..texts.templates import GOAL_TOKENS, STATE_TOKENS
from .plan_decoder import MEMORY, MOST_PARTS, MOST_TAKEN, PlanDecoder

EPOCHS, BATCH, LEARNING_RATE, SMOOTHING = 7, 192, 1.5e-3, 0.05
# Share of the rows with recorded states that are trained from a place in their middle; and of those, the share without a history.
MIDDLES, FORGOTTEN = 0.5, 0.3
# Share in which the usual one of equally right actions is the target.
USUAL = 0.7
# Shares of the rows that are trained without the goal's parts, and, from their beginning, with the neutral state instead of their own.
PARTS_LEFT_OUT, STATE_LEFT_OUT = 0.1, 0.15


@dataclass
class PlanItem:
    """A plan row as row numbers of the table."""

    source: str
    goal: int
    parts: list
    states: list
    actions: list
    history: list
    weight: float
    # Number of the plan's steps before `actions`.
    done: int = 0


def plan_items(rows, embeddings, action_map):
    """PlanItems of PlanRows; embeds missing texts."""
    goals = embeddings.add([row.goal for row in rows], GOAL_TOKENS)
    parts = [goal_parts(row.goal) for row in rows]
    flat_parts = iter(embeddings.add([part for found in parts for part in found], GOAL_TOKENS))
    flat_states = iter(embeddings.add([state for row in rows for _, state in row.states], STATE_TOKENS, "end"))
    ids = action_map.ids(sorted({name for row in rows for step in [*row.actions, row.history] for name in step}))
    return [
        PlanItem(
            row.source, int(goal), [int(next(flat_parts)) for _ in found], [(done, int(next(flat_states))) for done, _ in row.states],
            [list(dict.fromkeys(ids[name] for name in step)) for step in row.actions], [ids[name] for name in row.history], row.weight, row.done,
        )
        for row, goal, found in zip(rows, goals, parts)
    ]  # fmt: skip


def situations(picked, table, action_rows):
    """[(goal, parts, state row, history ids)] -> memory [b, MEMORY, w], mask [b, MEMORY]."""
    width = table.shape[1]
    memory, mask = np.zeros((len(picked), MEMORY, width), np.float32), np.zeros((len(picked), MEMORY), np.float32)
    for at, (goal, parts, state, history) in enumerate(picked):
        memory[at, :2], mask[at, :2] = table[[goal, state]], 1
        for place, part in enumerate(parts[:MOST_PARTS], 2):
            memory[at, place], mask[at, place] = table[part], 1
        for place, action in enumerate(reversed(history[-MOST_TAKEN:]), 2 + MOST_PARTS):
            memory[at, place], mask[at, place] = action_rows[action], 1
    length = np.linalg.norm(memory, axis=-1, keepdims=True)
    return torch.from_numpy(memory / np.maximum(length, 1e-6)), torch.from_numpy(mask)


def choose(step, chance):
    """One of equally right actions."""
    return step[0] if len(step) == 1 or chance.random() < USUAL else chance.choice(step[1:])


def pick(item, neutral, chance):
    """A place in the plan to train from: (goal, parts, state, history), and the ids of the actions that follow, END last."""
    (begin, state), history = item.states[0], item.history
    if len(item.states) > 1 and chance.random() < MIDDLES:
        begin, state = item.states[1]
        taken = [step[0] for step in item.actions[:begin]]
        history = [] if chance.random() < FORGOTTEN else taken
    if begin == 0 and chance.random() < STATE_LEFT_OUT:
        state = neutral
    parts = [] if chance.random() < PARTS_LEFT_OUT else item.parts
    return (item.goal, parts, state, history), [*(choose(step, chance) for step in item.actions[begin:]), END]


def train_plans(items, table, glosses, neutral, seed, epochs=EPOCHS, say=print, begin=None, rate=LEARNING_RATE):
    """A trained decoder; continues from `begin` if that is given. Rows are drawn by weight, once per epoch on average."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    decoder = copy.deepcopy(begin) if begin else PlanDecoder(torch.from_numpy(glosses))
    decay = [p for p in decoder.parameters() if p.ndim > 1]
    rest = [p for p in decoder.parameters() if p.ndim <= 1]
    optimiser = torch.optim.AdamW([{"params": decay, "weight_decay": 0.03}, {"params": rest, "weight_decay": 0.0}], lr=rate)
    total = sum(item.weight for item in items)
    steps = max(1, int(epochs * total / BATCH))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps, pct_start=0.08)
    started, mean, pool = time.time(), 0.0, []
    decoder.train()
    for step in range(steps):
        if len(pool) < BATCH * 16:
            fresh = [item for item in items for _ in range(int(item.weight + chance.random()))]
            chance.shuffle(fresh)
            pool = fresh + pool
        # Plans of similar length share a batch.
        if step % 16 == 0:
            drawn = [pick(pool.pop(), neutral, chance) for _ in range(BATCH * 16)]
            drawn.sort(key=lambda one: len(one[1]))
            groups = [drawn[at : at + BATCH] for at in range(0, len(drawn), BATCH)]
            chance.shuffle(groups)
        group = groups[step % 16]
        memory, mask = situations([place for place, _ in group], table, glosses)
        longest = max(len(rest) for _, rest in group)
        targets = torch.full((len(group), longest), -1, dtype=torch.long)
        for row, (_, rest) in enumerate(group):
            targets[row, : len(rest)] = torch.tensor(rest)
        logits = decoder(memory, mask, targets.clamp(min=0))
        # The sum over a plan's steps is divided by the root of its length, so a plan four times as long counts twice as much.
        losses = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1, label_smoothing=SMOOTHING, reduction="none")
        losses = losses.view_as(targets)
        lengths = (targets >= 0).sum(1).float()
        loss = (losses.sum(1) / lengths.sqrt()).mean()
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(decoder.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        mean = 0.98 * mean + 0.02 * loss.item() if step else loss.item()
        if step % 100 == 0:
            say(f"plans: step {step}/{steps} loss {mean:.3f} {(time.time() - started) / 60:.1f} min")
    return decoder.eval()
