"""Writes the library of plans: plan-library.onnx finds the episodes whose goal and state are nearest, plans.json says what they did.

Vectors are int8 in the way that every processor multiplies alike (quantise.py); the graph ends in the few nearest.
"""
import json
import random

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .int8_columns import quantise_columns

NEAREST, STATE_SHARE, EPISODES = 8, 0.5, 10_000
# Our own families count as one source and have the largest share: they cover goals of every kind, and hardly two are alike.
FAMILIES, FAMILIES_SHARE = "family:", 0.4
# Left out: plans of these sources do just what their words ask for, which the reader of wishes knows without an episode.
LITERAL = ("composed", "request")
OPSET = 15


def choose_episodes(items, seed):
    """Rows of the families, and of every other source an equal part of the rest."""
    chance, by_source = random.Random(f"{seed}library"), {}
    for item in items:
        if not item.history and item.source not in LITERAL and item.states[0][0] == 0 and len(item.actions) > 1:
            by_source.setdefault("families" if item.source.startswith(FAMILIES) else item.source, []).append(item)
    own = by_source.pop("families", [])
    chance.shuffle(own)
    chosen = own[: int(EPISODES * FAMILIES_SHARE)]
    left = EPISODES - len(chosen)
    sources = sorted(by_source, key=lambda name: len(by_source[name]))
    for at, name in enumerate(sources):
        chance.shuffle(by_source[name])
        taken = by_source[name][: left // (len(sources) - at)]
        chosen += taken
        left -= len(taken)
    return chosen


def unit(rows):
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)


def vectors_of(items, table):
    goals = unit(table[[item.goal for item in items]].astype(np.float32))
    states = unit(table[[item.states[0][1] for item in items]].astype(np.float32))
    return np.concatenate([goals, STATE_SHARE * states], 1)


def build(vectors, width):
    """Graph: goal, state [b, w] -> similarity, episode [b, NEAREST], both float32. Similarity is scaled to 1 for the same goal and state."""
    steps, scale = quantise_columns(vectors.T / (1 + STATE_SHARE**2))
    constants = {
        "state_share": np.float32(STATE_SHARE), "floor": np.float32(1e-6), "step": np.float32(1 / 127), "middle": np.uint8(128),
        "weights": steps, "scales": scale, "count": np.array([NEAREST], np.int64),
    }  # fmt: skip
    nodes = [
        helper.make_node("Mul", ["state", "state_share"], ["weighed"]),
        helper.make_node("Concat", ["goal", "weighed"], ["query"], axis=1),
        helper.make_node("Abs", ["query"], ["magnitudes"]),
        helper.make_node("ReduceMax", ["magnitudes"], ["raw_peak"], axes=[-1], keepdims=1),
        helper.make_node("Max", ["raw_peak", "floor"], ["peak"]),
        helper.make_node("Div", ["query", "peak"], ["shares"]),
        helper.make_node("QuantizeLinear", ["shares", "step", "middle"], ["rows"]),
        helper.make_node("MatMulIntegerToFloat", ["rows", "weights", "step", "scales", "middle"], ["products"], domain="com.microsoft"),
        helper.make_node("Mul", ["products", "peak"], ["similarities"]),
        helper.make_node("TopK", ["similarities", "count"], ["similarity", "places"], axis=-1, largest=1, sorted=1),
        helper.make_node("Cast", ["places"], ["episode"], to=TensorProto.FLOAT),
    ]
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", width]) for name in ("goal", "state")]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", NEAREST]) for name in ("similarity", "episode")]
    body = helper.make_graph(nodes, "library", inputs, outputs, [numpy_helper.from_array(np.asarray(values), name) for name, values in constants.items()])
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)], producer_name="plan_library")
    model.ir_version = 8
    return model


def write_library(items, table, seed, folder):
    chosen = choose_episodes(items, seed)
    onnx.save(build(vectors_of(chosen, table), table.shape[1]), str(folder / "plan-library.onnx"))
    plans = [[step[0] for step in item.actions][:10] for item in chosen]
    (folder / "plans.json").write_text("[" + ",\n".join(json.dumps(plan, separators=(",", ":")) for plan in plans) + "]\n")
    return chosen
