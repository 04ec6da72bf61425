"""Measures how well tools are chosen from lists: by the mixer, and by one score alone."""
import numpy as np
import torch

from ..data.choose_rows import NEUTRAL_STATE
from ..evaluation.measures import calibration_error, ndcg
from ..texts.goal_parts import goal_parts
from ..texts.templates import GOAL_TOKENS, STATE_TOKENS, TOOL_TOKENS, text_of_tool
from .tool_ranking import Choice, scores


def tool_choices(lists, embeddings, heads):
    """[Choice] of [(goal, state, tools, right rows)]."""
    goals = embeddings.vectors([goal for goal, *_ in lists], GOAL_TOKENS)
    parts = [goal_parts(goal) for goal, *_ in lists]
    known_parts = dict(zip(flat := sorted(set(sum(parts, []))), embeddings.vectors(flat, GOAL_TOKENS)))
    states = embeddings.vectors([state or NEUTRAL_STATE for _, state, *_ in lists], STATE_TOKENS, "end")
    texts = {text_of_tool(tool) for _, _, tools, _ in lists for tool in tools}
    known = dict(zip(sorted(texts), embeddings.vectors(sorted(texts), TOOL_TOKENS)))
    with torch.no_grad():
        z_goal, z = heads.latent(torch.from_numpy(goals)), heads.latent(torch.from_numpy(states))
        _, query, *_ = heads.act(z, z_goal, torch.zeros(len(z), heads.history))
    found = []
    for place, (goal, _, tools, right) in enumerate(lists):
        vectors = np.stack([known[text_of_tool(tool)] for tool in tools])
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
    """(figures, [logit of any tool over none])."""
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
