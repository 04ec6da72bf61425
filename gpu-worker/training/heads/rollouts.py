"""Shared by the heads' training and evaluation: latents of goals, memories of actions, wrong versions of a sequence, and rollouts of
many sequences at once. The sum of a rollout's changes is its `total`."""
import torch

KINDS = ("truncated", "shuffled", "random", "other")


def wrong(kind, sequence, others, frequent, chance):
    """A wrong version of a list of ids, or None if there is none. `others`: sequences of other goals."""
    if kind == "truncated":
        return sequence[: chance.randrange(1, len(sequence))] if len(sequence) > 1 else None
    if kind == "shuffled":
        if len(set(sequence)) < 2:
            return None
        for _ in range(8):
            mixed = chance.sample(sequence, len(sequence))
            if mixed != sequence:
                return mixed
        return None
    if kind == "random":
        return [chance.choice(frequent) for _ in sequence]
    for _ in range(8):
        found = chance.choice(others)
        if found != sequence:
            return found
    return None


def pad_sequences(sequences):
    longest = max(map(len, sequences))
    ids = torch.zeros(len(sequences), longest, dtype=torch.long)
    mask = torch.zeros(len(sequences), longest, dtype=torch.bool)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = torch.tensor(sequence)
        mask[row, : len(sequence)] = True
    return ids, mask


def roll(heads, z, goal, ids, mask, detach=True):
    """(changes [b, t], value logits after each step [b, t], last h) of sequences rolled out from z."""
    table = heads.actions()
    h = torch.zeros(len(z), heads.history)
    context, query, _, normaliser, _ = heads.act(z, goal, h)
    changes, values = [], []
    for t in range(ids.shape[1]):
        moved, h_next, change, _ = heads.next(z, h, context, query, normaliser, table[ids[:, t]], detach)
        live = mask[:, t, None]
        z = torch.where(live, moved.detach() if detach else moved, z)
        h = torch.where(live, h_next, h)
        changes.append(change * mask[:, t])
        context, query, _, normaliser, value = heads.act(z, goal, h)
        values.append(value)
    return torch.stack(changes, 1), torch.stack(values, 1), h


def goals_of(heads, vectors, control=None):
    """Latents of the goals, or what the control replaces them by."""
    if control == "no_goal":
        return torch.zeros(len(vectors), 2 * heads.width) + 1e-3
    goal = heads.latent(vectors)
    return goal.roll(len(goal) // 2, 0) if control == "shuffled_goals" else goal


def memories(heads, actions):
    """The memory before each action and after the last [b, t + 1, history], of vectors of actions [b, t, w]."""
    h = torch.zeros(len(actions), heads.history)
    found = [h]
    for step in range(actions.shape[1]):
        h = heads.remember(actions[:, step], h)
        found.append(h)
    return torch.stack(found, 1)
