"""Episodes -> padded tensors of one length bucket, seeded."""
import random

import numpy as np
import torch

from ..encoder.embeddings import vectors_of


class EpisodeBatch:
    """goal [b, w], states [b, t + 1, w]; of each step: actions (ids), next_rows (of the table), mask, has_next [b, t], and names, nexts
    [b, t, w]: vectors of the action's own name and of the observed next state."""

    def __init__(self, episodes, table):
        longest = max(len(episode.actions) for episode in episodes)
        count = len(episodes)
        states = np.zeros((count, longest + 1), np.int64)
        self.actions = torch.zeros(count, longest, dtype=torch.long)
        self.next_rows, names = np.zeros((count, longest), np.int64), np.zeros((count, longest), np.int64)
        self.mask, self.has_next = torch.zeros(count, longest, dtype=torch.bool), torch.zeros(count, longest, dtype=torch.bool)
        for row, episode in enumerate(episodes):
            steps = len(episode.actions)
            states[row, : steps + 1] = episode.states
            states[row, steps + 1 :] = episode.states[-1]
            self.actions[row, :steps] = torch.from_numpy(episode.actions)
            self.next_rows[row, :steps], names[row, :steps] = episode.nexts, episode.names
            self.mask[row, :steps] = True
            self.has_next[row, :steps] = torch.from_numpy(episode.has_next)
        self.lengths = self.mask.sum(1)
        self.sources = [episode.source for episode in episodes]
        self.goal = vectors_of(table, np.array([episode.goal for episode in episodes]))
        self.states, self.names = vectors_of(table, states), vectors_of(table, names)
        self.nexts = vectors_of(table, self.next_rows)


def batches(episodes, table, size, seed, begin=0):
    """Endless batches of episodes of similar length, mostly of one source, so that the negatives in a batch (other next states, other
    goals' plans) are of that source, too. Every episode comes once per pass. The first `begin` batches are skipped."""
    chance = random.Random(seed)
    sources = sorted({episode.source for episode in episodes})
    while True:
        place = dict(zip(chance.sample(sources, len(sources)), range(len(sources))))
        order = sorted(episodes, key=lambda episode: ((len(episode.actions) + chance.randrange(3)) // 3, place[episode.source], chance.random()))
        groups = [order[at : at + size] for at in range(0, len(order), size)]
        chance.shuffle(groups)
        for group in groups[begin:]:
            yield EpisodeBatch(group, table)
        begin = max(0, begin - len(groups))
