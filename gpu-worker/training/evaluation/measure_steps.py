"""Measures the heads on sets of rows: policy, dynamics, and how well a rollout's total change tells right sequences from wrong ones."""
import random

import numpy as np
import torch

from ..encoder.embeddings import vectors_of
from ..heads.batches import EpisodeBatch
from ..heads.episodes import build_episodes
from ..heads.rollouts import KINDS, goals_of, memories, pad_sequences, roll, wrong
from .measures import auroc, calibration_error, spearman

# Each control takes an input away from the model; its figures should fall.
CONTROLS = ("no_goal", "shuffled_goals", "shuffled_actions")


def forward(heads, batch, control=None):
    """Teacher-forced pass: latents of the states z [b, t + 1, 2w] and of the goal [b, 2w], memories h [b, t + 1, ...], the actions'
    vectors [b, t, w], and act's outputs [b, t + 1, ...]."""
    z = heads.latent(batch.states)
    goal = goals_of(heads, batch.goal, control)
    acts = heads.actions()[batch.actions]
    trail = memories(heads, acts)
    return z, goal, trail, acts, heads.act(z, goal[:, None].expand_as(z), trail)


def measure_steps(rows, stem, embeddings, heads, action_map, seed=0, control=None):
    """(figures, {"logits", "labels"} of the policy and {"value", "reached"} of the value, from which both are calibrated)."""
    episodes = sorted(build_episodes([(stem, row) for row in rows], embeddings, action_map), key=lambda e: len(e.actions))
    kept = {"logits": [], "labels": [], "value": [], "reached": []}
    directions, targets, states, goals, changes, moved, keys = [], [], [], [], [], [], []
    with torch.no_grad():
        for at in range(0, len(episodes), 64):
            batch = EpisodeBatch(episodes[at : at + 64], embeddings.table)
            z, goal, h, acts, (context, query, logits, normaliser, value) = forward(heads, batch, control)
            kept["logits"].append(logits[:, :-1][batch.mask])
            kept["labels"].append(batch.actions[batch.mask])
            seen_rows, places = (batch.mask & batch.has_next).nonzero(as_tuple=True)
            seen_z, seen_acts = z[seen_rows, places], acts[seen_rows, places]
            if control == "shuffled_actions":
                seen_acts = seen_acts.roll(len(seen_acts) // 2, 0)
            _, _, change, proposal = heads.next(seen_z, h[seen_rows, places], context[seen_rows, places], query[seen_rows, places], normaliser[seen_rows, places], seen_acts)
            target = heads.latent(batch.nexts[seen_rows, places])
            directions.append(proposal / proposal.norm(dim=-1, keepdim=True))
            targets.append(target / target.norm(dim=-1, keepdim=True))
            states.append(seen_z / seen_z.norm(dim=-1, keepdim=True))
            goals.append(heads.direction(batch.goal)[seen_rows])
            changes.append(change)
            moved.append((target - seen_z).norm(dim=-1))
            keys.append(torch.from_numpy(batch.next_rows)[seen_rows, places])
            count = len(batch.lengths)
            kept["value"] += [value[torch.arange(count), batch.lengths], value[:, :-1][batch.mask]]
            kept["reached"] += [torch.ones(count), torch.zeros(int(batch.mask.sum()))]
    kept = {name: torch.cat(parts) for name, parts in kept.items()}
    figures = {"n": len(episodes), "steps": len(kept["labels"]), **policy_figures(kept["logits"], kept["labels"])}
    if sum(map(len, keys)) >= 200:
        directions, targets, states, goals, keys = (torch.cat(parts) for parts in (directions, targets, states, goals, keys))
        figures |= ranked_among(100, {"next_state_at_100": directions, "copy_state_at_100": states, "goal_at_100": goals}, targets, keys, seed)
        figures["change_spearman"] = spearman(torch.cat(changes).numpy(), torch.cat(moved).numpy())
    figures["goal_auroc"] = goal_auroc(episodes, embeddings, heads, seed, control)
    return figures, kept


def policy_figures(logits, labels):
    chances = logits.log_softmax(-1)
    ranked = logits.topk(5, dim=-1).indices
    top = chances.max(-1).values.exp().numpy()
    first = (ranked[:, 0] == labels).numpy()
    return {
        "action_nats": float(-chances[torch.arange(len(labels)), labels].mean()),
        "action_top1": float(first.mean()),
        "action_top5": float((ranked == labels[:, None]).any(1).float().mean()),
        "action_ece": calibration_error(top, first.astype(float)),
    }


def ranked_among(size, guesses, targets, keys, seed, most=3000):
    """Share of steps whose true next state is the nearest among itself and size - 1 others of the set; equal texts are left out."""
    chance = np.random.RandomState(seed)
    picked = chance.permutation(len(targets))[:most]
    hits = {name: 0 for name in guesses}
    firsts = {int(key): row for row, key in enumerate(keys.tolist())}
    distinct = np.array(list(firsts.values()))
    for row in picked:
        others = chance.choice(distinct, size, replace=len(distinct) < size)
        others = [int(o) for o in others if int(keys[o]) != int(keys[row])][: size - 1]
        table = targets[[row, *others]]
        for name, guess in guesses.items():
            likeness = table @ guess[row]
            hits[name] += float(likeness[0] > likeness[1:].max())
    return {name: value / len(picked) for name, value in hits.items()}


def goal_auroc(episodes, embeddings, heads, seed, control=None, most=400):
    """AUROC of the rollout's total state change: the right actions of a goal against four wrong versions."""
    chance = random.Random(seed)
    usable = [episode for episode in episodes if len(episode.actions) > 1]
    usable = chance.sample(usable, min(most, len(usable)))
    if len(usable) < 20:
        return {}
    sequences = [episode.actions.tolist() for episode in usable]
    frequent = [action for sequence in sequences for action in sequence]
    totals = {}
    with torch.no_grad():
        goal = goals_of(heads, vectors_of(embeddings.table, np.array([episode.goal for episode in usable])), control)
        z = heads.latent(vectors_of(embeddings.table, np.array([episode.states[0] for episode in usable])))
        for kind in ("right", *KINDS):
            made = [sequence if kind == "right" else wrong(kind, sequence, sequences, frequent, chance) for sequence in sequences]
            rows = [row for row, sequence in enumerate(made) if sequence]
            ids, mask = pad_sequences([made[row] for row in rows])
            changes, _, _ = roll(heads, z[rows], goal[rows], ids, mask)
            totals[kind] = changes.sum(1).numpy()
    figures = {kind: auroc(totals["right"], totals[kind]) for kind in KINDS}
    figures["right_over_20"] = float((totals["right"] > 20).mean())
    figures["wrong_over_20"] = float(np.mean([(totals[kind] > 20).mean() for kind in KINDS]))
    return figures
