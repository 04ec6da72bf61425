"""The stage that trains the heads on the encoder's vectors. It ends the run if the states have collapsed (low rank)."""
import random

import numpy as np
import torch

from ..actions.ids import UNKNOWN
from ..actions.mapping import ActionMap
from ..encoder.embeddings import vectors_of
from ..evaluation.calibrate import set_magnitude_knots
from ..evaluation.measures import effective_rank, mean_cosine
from ..heads.episodes import build_episodes, choose
from ..heads.heads import HIDDEN, Heads
from ..heads.magnitudes import information, targets
from ..heads.train_heads import train_heads
from ..machine.whole_file import write_whole
from ..texts.templates import STATE_TOKENS, TOOL_TOKENS
from .run import say

HEAD_STEPS = 3600
# Most texts that the magnitude learns from.
MAGNITUDE_TEXTS = 40_000
# The states have collapsed if a sample of so many has a lower effective rank, or a higher mean cosine.
GUARD_TEXTS, LEAST_RANK, MOST_COSINE = 4000, 100, 0.3


def guard(heads, vectors):
    """Ends the run if the states have collapsed."""
    with torch.no_grad():
        latents = heads.latent(torch.from_numpy(vectors)).numpy()
    found = {"effective_rank": effective_rank(latents), "mean_cosine": mean_cosine(latents)}
    found["planning_rank"] = effective_rank(latents[:, heads.width :])
    say(f"guard: {found}")
    # A small sample has too low a rank by itself, so it is not judged.
    if len(vectors) >= GUARD_TEXTS and (found["effective_rank"] < LEAST_RANK or found["mean_cosine"] > MOST_COSINE):
        raise SystemExit(f"states have collapsed: {found}")
    return found


def new_heads(options, action_vectors):
    """Untrained heads: the same for a seed, however often PyTorch's generator was used before."""
    torch.manual_seed(options.seed)
    return Heads(torch.from_numpy(action_vectors), HIDDEN[options.size])


def sample_of(embeddings, rows, seed):
    """Unit vectors of at most GUARD_TEXTS of the rows."""
    return vectors_of(embeddings.table, np.random.RandomState(seed).choice(rows, min(GUARD_TEXTS, len(rows)), replace=False)).numpy()


def action_map_of(run, embeddings):
    return ActionMap(run.options.actions, lambda texts: embeddings.vectors(texts, TOOL_TOKENS))


def heads_stage(run, embeddings, action_map):
    options = run.options
    run.stage("embeddings")
    episodes = build_episodes(choose(run.train, options.seed), embeddings, action_map, random.Random(options.seed))
    # In the order of the episodes, since row numbers depend on what the table already held.
    states = list(dict.fromkeys(int(row) for episode in episodes for row in episode.states))
    texts = [
        text
        for _, row in choose(run.train, options.seed)
        for text in (row["goal"], *(step.get("next") for step in (row.get("steps") or [])[:3]))
        if text
    ]
    texts = list(dict.fromkeys(texts))[:MAGNITUDE_TEXTS]
    text_rows = embeddings.add(texts, STATE_TOKENS, "end")
    wanted = targets(information(texts, run.tokenizer))
    embeddings.save()
    unknown = sum(place == UNKNOWN for place in action_map.known.values())
    say(f"episodes: {len(episodes)}, texts {len(embeddings.place)}, mapped names {len(action_map.known)}, unknown {unknown}")
    run.stage("heads")
    heads = new_heads(options, action_map.vectors)
    names = [action["name"] for action in action_map.actions]
    final = options.work / "heads.pt"
    if final.exists():
        heads.load_state_dict(torch.load(final))
    else:
        train_heads(heads, episodes, embeddings.table, (text_rows, wanted), names, options.work, run.steps(HEAD_STEPS), options.seed, say)
    set_magnitude_knots(heads, sample_of(embeddings, states, 1))
    sample = sample_of(embeddings, states, 2)
    run.figures["guard"] = guard(heads, sample)
    write_whole(final, lambda path: torch.save(heads.state_dict(), path))
    with torch.no_grad():
        r = heads.calibrated(heads.raw_magnitude(torch.from_numpy(sample))).numpy()
    run.figures["magnitude_shares_below"] = {str(edge): float((r < edge).mean()) for edge in (10, 15, 20)}
    return heads.eval(), episodes
