"""Trains the mixer of tool scores on lists with a known right tool, or none."""
import random

import torch

from .tool_ranking import Mixer, scores

# After each epoch the learning rate is multiplied by KEPT_RATE.
EPOCHS, BATCH, LEARNING_RATE, KEPT_RATE = 6, 48, 8e-3, 0.6


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
