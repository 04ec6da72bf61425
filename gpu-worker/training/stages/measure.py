"""The last stage: calibration on rows that no gradient saw, and the model's figures there, with controls."""
import json

import numpy as np
import torch

from ..data.rows import is_held_out
from ..encoder.embeddings import vectors_of
from ..evaluation.calibrate import policy_sharpness, value_calibration
from ..evaluation.measure_steps import CONTROLS, measure_steps
from .run import say


def held_out_sets(run):
    """{name: rows} with steps that no training saw: dev sets, the dev part of SGD, whole MiniWoB task types."""
    found = {stem: rows for stem, rows in run.dev.items() if any(row.get("steps") for row in rows)}
    if "sgd_dev" in run.train:
        found["sgd_dev"] = run.train["sgd_dev"][:350]
    held = [row for row in run.train.get("miniwob_demos", []) if is_held_out(row)]
    if held:
        found["miniwob_held_out"] = held[:: max(1, len(held) // 350)]
    return found


def change_medians(heads, episodes, action_map, table, seed=0):
    """Median state change of single actions from random states toward random goals."""
    chance = np.random.RandomState(seed)
    picked = [episodes[i] for i in chance.choice(len(episodes), min(400, len(episodes)), replace=False)]
    names = [action["name"] for action in action_map.actions]
    found = {}
    with torch.no_grad():
        goal = heads.latent(vectors_of(table, np.array([e.goal for e in picked])))
        z = heads.latent(vectors_of(table, np.array([e.states[0] for e in picked])))
        for name in ("noop", "wait", "search", "click", "submit", "book", "delete"):
            action = heads.actions()[names.index(name)].expand(len(z), -1)
            found[name] = float(heads.step(z, goal, torch.zeros(len(z), heads.history), action)[2].median())
    return found


def measure_stage(run, heads, embeddings, action_map, episodes):
    run.stage("calibration and evaluation")
    kept = {}
    heads.sharpness.copy_(torch.tensor([1.0, 0.0]))
    sets = held_out_sets(run)
    for stem, rows in sets.items():
        _, kept[stem] = measure_steps(rows, stem, embeddings, heads, action_map)
    policy_sharpness(heads, [(k["logits"], k["labels"]) for k in kept.values()])
    scale, shift, errors = value_calibration([(k["value"], k["reached"]) for k in kept.values()])
    sharpness, errors = heads.sharpness.tolist(), dict(zip(kept, errors))
    run.figures["calibration"] = {"policy_sharpness": sharpness, "value_scale": scale, "value_shift": shift, "value_ece": errors}

    def measure(control=None):
        return {stem: measure_steps(rows, stem, embeddings, heads, action_map, control=control)[0] for stem, rows in sets.items()}

    run.figures["steps"] = measure()
    run.figures["controls"] = {control: measure(control) for control in CONTROLS}
    run.figures["change_medians"] = change_medians(heads, episodes, action_map, embeddings.table)
    embeddings.save()
    say(json.dumps({key: run.figures[key] for key in ("calibration", "steps", "controls", "change_medians")}, indent=1))
