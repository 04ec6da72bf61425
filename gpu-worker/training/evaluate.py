"""Measures a model on sets of rows: tool choice, policy, dynamics, and which sequences a rollout's total tells apart."""
import random

import numpy as np
import torch

from .batches import EpisodeBatch, vectors_of
from .episodes import NEUTRAL_STATE, build_episodes
from .goal_parts import goal_parts
from .measures import auroc, calibration_error, ndcg, spearman
from .rollouts import KINDS, pad_sequences, roll, wrong
from .texts import GOAL_TOKENS, STATE_TOKENS, TOOL_TOKENS, tool_text
from .tool_choice import Choice, scores


def tool_choices(lists, embeddings, heads):
    """[Choice] of [(goal, state, tools, right rows)]."""
    goals = embeddings.vectors([goal for goal, *_ in lists], GOAL_TOKENS)
    parts = [goal_parts(goal) for goal, *_ in lists]
    known_parts = dict(zip(flat := sorted(set(sum(parts, []))), embeddings.vectors(flat, GOAL_TOKENS)))
    states = embeddings.vectors([state or NEUTRAL_STATE for _, state, *_ in lists], STATE_TOKENS, "end")
    texts = {tool_text(tool["name"], tool.get("description") or "") for _, _, tools, _ in lists for tool in tools}
    known = dict(zip(sorted(texts), embeddings.vectors(sorted(texts), TOOL_TOKENS)))
    with torch.no_grad():
        z_goal, z = heads.latent(torch.from_numpy(goals)), heads.latent(torch.from_numpy(states))
        _, query, *_ = heads.act(z, z_goal, torch.zeros(len(z), heads.history))
    found = []
    for place, (goal, _, tools, right) in enumerate(lists):
        vectors = np.stack([known[tool_text(tool["name"], tool.get("description") or "")] for tool in tools])
        goal_vectors = np.stack([goals[place], *(known_parts[part] for part in parts[place])])
        found.append(Choice(goal, tools, goal_vectors, vectors, query[place].numpy(), right))
    return found


def rows_to_lists(rows):
    """[(goal, state, tools, right rows)]; the action NONE means that no tool fits."""
    lists = []
    for row in rows:
        names = set(row["actions"])
        right = [place for place, tool in enumerate(row["tools"]) if tool["name"] in names]
        if right or names == {"NONE"}:
            lists.append((row["goal"], row.get("state", ""), row["tools"], right))
    return lists


def measure_tools(choices, mixer):
    """({figures}, [logit of a fitting tool over none], [Choice is answerable])."""
    with torch.no_grad():
        found = [scores(mixer, choice.features, choice.listed).numpy() for choice in choices]
    top, recall, gains, margins, chances, hits = [], [], [], [], [], []
    for choice, logits in zip(choices, found):
        ranked, right = np.argsort(-logits[:-1], kind="stable"), set(choice.right)
        peak = logits[:-1].max()
        margins.append(np.log(np.exp(logits[:-1] - peak).sum()) + peak - logits[-1])
        shares = np.exp(logits - logits.max())
        shares /= shares.sum()
        chances.append(shares.max())
        hits.append(int(shares.argmax()) in right if right else shares.argmax() == len(shares) - 1)
        if right:
            top.append(ranked[0] in right)
            recall.append(len(right & set(ranked[: len(right)].tolist())) / len(right))
            gains.append(ndcg(logits[:-1], right))
    figures = {"n": len(choices), "tool_ece": calibration_error(np.array(chances), np.array(hits, float))}
    if top:
        figures |= {"tool_top1": float(np.mean(top)), "tool_recall": float(np.mean(recall)), "tool_ndcg10": float(np.mean(gains))}
    return figures, np.array(margins)


def simple_top1(choices, score):
    """Top-1 of a score that is not learned: what cosine or words alone reach."""
    right = [int(score(choice).argmax()) in choice.right for choice in choices if choice.right]
    return float(np.mean(right))


# What each control removes from the model, whose figures should fall.
CONTROLS = ("no_goal", "shuffled_goals", "shuffled_actions")


def goals_of(heads, vectors, control=None):
    """Latents of the goals, or what the control replaces them by."""
    if control == "no_goal":
        return torch.zeros(len(vectors), 2 * heads.width) + 1e-3
    goal = heads.latent(vectors)
    return goal.roll(len(goal) // 2, 0) if control == "shuffled_goals" else goal


def forward(heads, batch, control=None):
    """Teacher-forced pass: z, goal, h [b, t+1, ...], act's outputs."""
    z = heads.latent(batch.states)
    goal = goals_of(heads, batch.goal, control)
    acts = heads.actions()[batch.actions]
    h, trail = torch.zeros(len(acts), heads.history), []
    for t in range(acts.shape[1]):
        trail.append(h)
        h = heads.remember(acts[:, t], h)
    trail = torch.stack([*trail, h], 1)
    return z, goal, trail, acts, heads.act(z, goal[:, None].expand_as(z), trail)


def measure_steps(rows, stem, embeddings, heads, action_map, seed=0, control=None):
    """(figures, kept: logits and labels for calibration)."""
    episodes = sorted(build_episodes([(stem, row) for row in rows], embeddings, action_map), key=lambda e: len(e.actions))
    kept = {"logits": [], "labels": [], "value": [], "reached": []}
    directions, targets, states, goals, changes, moved, keys = [], [], [], [], [], [], []
    with torch.no_grad():
        for at in range(0, len(episodes), 64):
            batch = EpisodeBatch(episodes[at : at + 64], embeddings.table)
            z, goal, h, acts, (context, query, logits, normaliser, value) = forward(heads, batch, control)
            kept["logits"].append(logits[:, :-1][batch.mask])
            kept["labels"].append(batch.actions[batch.mask])
            rows_, places = (batch.mask & batch.has_next).nonzero(as_tuple=True)
            z_, acts_ = z[rows_, places], acts[rows_, places]
            if control == "shuffled_actions":
                acts_ = acts_.roll(len(acts_) // 2, 0)
            _, _, change, proposal = heads.next(z_, h[rows_, places], context[rows_, places], query[rows_, places], normaliser[rows_, places], acts_)
            target = heads.latent(batch.nexts[rows_, places])
            directions.append(proposal / proposal.norm(dim=-1, keepdim=True))
            targets.append(target / target.norm(dim=-1, keepdim=True))
            states.append(z_ / z_.norm(dim=-1, keepdim=True))
            goals.append(heads.direction(batch.goal)[rows_])
            changes.append(change)
            moved.append((target - z_).norm(dim=-1))
            keys.append(torch.from_numpy(batch.next_rows)[rows_, places])
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
