"""Trains the readers of wishes on parts of goals, each with the actions it asks for."""
import time

import torch

from ..encoder.embeddings import vectors_of
from ..texts.templates import GOAL_TOKENS
from .wish_reader import WishReader

# Number of readers that differ only in their seed. Their mean is served: with one reader the coverage of everyday goals (see the model
# card) changed by .04 from seed to seed.
READERS = 2
STEPS, BATCH, LEARNING_RATE, DECAY = 4000, 512, 3e-3, 0.05
# Weight of an equally right action, relative to the usual one.
AS_GOOD = 0.5
# Share of the loss for the probability of each right action; the rest is for the sum of all right ones, however divided.
EACH = 0.3


def own_wishes(wishes, requests):
    """[(part, goal, names)]: our own wishes, each of them a whole goal, and the parts of whole requests."""
    alone = [(text, text, names) for text, names in wishes]
    goals = [(" ".join(text for text, _ in parts), parts) for parts in requests]
    return alone + [(text, goal, names) for goal, parts in goals for text, names in parts]


def wish_items(wishes, embeddings, action_map):
    """(rows of the parts, rows of the goals, targets [n, 904]: shares of the right actions, "none" last); embeds missing texts."""
    parts, goals = (embeddings.add([wish[at] for wish in wishes], GOAL_TOKENS) for at in (0, 1))
    targets = torch.zeros(len(wishes), len(action_map.actions) + 1)
    ids = action_map.ids(sorted({name for _, _, names in wishes for name in names}))
    for at, (_, _, names) in enumerate(wishes):
        for name in reversed(names):
            targets[at, ids[name]] = 1.0 if name == names[0] else AS_GOOD
        if not names:
            targets[at, -1] = 1.0
    return parts, goals, targets / targets.sum(1, keepdim=True)


def loss_of(logits, targets):
    """Mean loss: of the probability of all right actions together, and (EACH) of each in its share."""
    log_chances = logits.log_softmax(1)
    together = log_chances.masked_fill(targets == 0, float("-inf")).logsumexp(1)
    each = (targets * log_chances).sum(1)
    return -((1 - EACH) * together + EACH * each).mean()


def train_wishes(items, table, glosses, seed, steps=STEPS, say=print):
    """A trained reader. A batch is drawn with replacement."""
    rows, around, targets = items
    torch.manual_seed(seed)
    reader = WishReader(torch.from_numpy(glosses))
    optimiser = torch.optim.AdamW(reader.parameters(), lr=LEARNING_RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, LEARNING_RATE, total_steps=steps)
    parts, goals, started, mean = vectors_of(table, rows), vectors_of(table, around), time.time(), 0.0
    for step in range(steps):
        drawn = torch.randint(len(parts), (BATCH,))
        loss = loss_of(reader(parts[drawn], goals[drawn]), targets[drawn])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        mean = 0.98 * mean + 0.02 * loss.item() if step else loss.item()
        if step % 500 == 0:
            say(f"wishes: step {step}/{steps} loss {mean:.3f} {(time.time() - started) / 60:.1f} min")
    return reader.eval()
