"""Trains the heads on frozen text vectors, and goes on where a run was interrupted."""
import math
import random

import torch

from ..machine.whole_file import STORE_EVERY, write_whole
from .batches import batches
from .losses import WEIGHTS, step_losses, text_losses

LEARNING_RATE, WARM_UP_STEPS, BATCH = 1.5e-3, 60, 64
# Share of the training after which sequences are rolled out.
ROLLED_FROM = 0.05
# Kinds of steps that change the world for good, and steps that change nothing.
COMMIT, IDLE = ("submit", "book", "delete"), ("noop", "wait")


def resume(path, heads, optimiser, chance):
    """Takes up what `store` left; the number of steps taken by then."""
    if not path.exists():
        return 0
    saved = torch.load(path, weights_only=False)
    heads.load_state_dict(saved["heads"])
    optimiser.load_state_dict(saved["optimiser"])
    torch.set_rng_state(saved["torch_random"])
    chance.setstate(saved["random"])
    return saved["step"]


def store(path, heads, optimiser, chance, step):
    state = {"heads": heads.state_dict(), "optimiser": optimiser.state_dict(), "step": step}
    state |= {"torch_random": torch.get_rng_state(), "random": chance.getstate()}
    write_whole(path, lambda path: torch.save(state, path))


def train_heads(heads, episodes, table, magnitude_targets, action_names, out, steps, seed, say=print, use_goal=True, use_dynamics=True):
    """Trains in place. A run that was interrupted goes on to the same weights. `magnitude_targets`: (rows of the table, magnitudes)."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    optimiser = torch.optim.AdamW(heads.parameters(), lr=LEARNING_RATE, weight_decay=0.02)
    frequent = {}
    for episode in episodes:
        frequent.setdefault(episode.source, []).extend(episode.actions.tolist())
    place = {name: row for row, name in enumerate(action_names)}
    effects = tuple(torch.tensor([place[name] for name in names]) for names in (COMMIT, IDLE))
    state_path, means = out / "heads-state.pt", {}
    begin = resume(state_path, heads, optimiser, chance)
    if begin:
        say(f"heads: resumed at step {begin}")
    stream = batches(episodes, table, BATCH, seed, begin)
    for step in range(begin, steps):
        progress = step / steps
        for group in optimiser.param_groups:
            group["lr"] = LEARNING_RATE * min(1.0, (step + 1) / WARM_UP_STEPS) * (0.52 + 0.48 * math.cos(math.pi * progress))
        rolled_with = (frequent, effects) if progress > ROLLED_FROM else None
        losses = step_losses(heads, next(stream), step, rolled_with, chance, use_goal, use_dynamics)
        losses |= text_losses(heads, table, magnitude_targets, step)
        losses = {name: WEIGHTS.get(name, 1.0) * loss for name, loss in losses.items()}
        loss = sum(losses.values())
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(heads.parameters(), 1.0)
        optimiser.step()
        for name, value in losses.items():
            means[name] = 0.95 * means.get(name, value.item()) + 0.05 * value.item()
        if step % 25 == 24:
            parts = "  ".join(f"{name} {value:.3f}" for name, value in means.items())
            say(f"heads: step {step + 1}/{steps}  {100 * progress:.0f} %  {parts}")
        if (step + 1) % STORE_EVERY == 0:
            store(state_path, heads, optimiser, chance, step + 1)
    store(state_path, heads, optimiser, chance, steps)
    return heads
