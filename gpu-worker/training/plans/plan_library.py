"""Writes the library of plans: plan-library.onnx finds the episodes whose goal and state are nearest, plans.json says what they did.

Goals and states are projected to fewer dimensions, which leaves room for three times as many episodes. Their vectors are int8, in steps
whose products are the same on every processor (int8_columns.py).
"""
import json
import random

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ..export.int8_columns import quantise_columns

# Episodes found for each goal and state, and the weight of the state's vector beside the goal's.
NEAREST, STATE_SHARE = 8, 0.5
# Dimensions that are kept: a state says less than a goal, and many episodes begin in the same one.
GOAL_WIDTH, STATE_WIDTH = 160, 96
# Prefix of the families' sources, and most of their rows: each wording gives up to two.
FAMILIES, MOST_OF_FAMILIES = "family:", 6000
OPSET = 15


def choose_episodes(items, seed):
    """Items with a whole plan of two steps or more; of the families' at most MOST_OF_FAMILIES. Those that begin in the middle are left out:
    the server itself goes on in an episode after the steps that were taken."""
    usable = [item for item in items if not item.done and len(item.actions) > 1]
    own = [item for item in usable if item.source.startswith(FAMILIES)]
    random.Random(f"{seed}library").shuffle(own)
    return own[:MOST_OF_FAMILIES] + [item for item in usable if not item.source.startswith(FAMILIES)]


def unit(rows):
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)


def projection(vectors, width):
    """[w, width]: the directions that keep most of the vectors' inner products. Each has the sign that makes its sum positive."""
    _, directions = np.linalg.eigh(vectors.T.astype(np.float64) @ vectors)
    kept = directions[:, ::-1][:, :width]
    return (kept * np.where(kept.sum(axis=0) < 0, -1, 1)).astype(np.float32)


def build(goals, states):
    """Graph: goal, state [b, w] -> similarity, episode [b, NEAREST], both float32. `goals`, `states`: the episodes' unit vectors.
    Similarity is scaled to 1 for the same goal and state."""
    by_goal, by_state = projection(goals, GOAL_WIDTH), projection(states, STATE_WIDTH)
    vectors = np.concatenate([unit(goals @ by_goal), STATE_SHARE * unit(states @ by_state)], 1)
    steps, scale = quantise_columns(vectors.T / (1 + STATE_SHARE**2))
    constants = {
        "by_goal": by_goal, "by_state": by_state,
        "state_share": np.float32(STATE_SHARE), "floor": np.float32(1e-6), "step": np.float32(1 / 127), "middle": np.uint8(128),
        "weights": steps, "scales": scale, "last": np.array([-1], np.int64), "count": np.array([NEAREST], np.int64),
    }  # fmt: skip
    nodes = [
        *(
            node
            for name in ("goal", "state")
            for node in (
                helper.make_node("MatMul", [name, f"by_{name}"], [f"{name}_kept"]),
                # Not ReduceL2: cuda-graph.test.ts holds the graphs to operators known to have a CUDA kernel.
                helper.make_node("Mul", [f"{name}_kept", f"{name}_kept"], [f"{name}_squares"]),
                helper.make_node("ReduceSum", [f"{name}_squares", "last"], [f"{name}_square"], keepdims=1),
                helper.make_node("Sqrt", [f"{name}_square"], [f"{name}_raw_length"]),
                helper.make_node("Max", [f"{name}_raw_length", "floor"], [f"{name}_length"]),
                helper.make_node("Div", [f"{name}_kept", f"{name}_length"], [f"{name}_unit"]),
            )
        ),
        helper.make_node("Mul", ["state_unit", "state_share"], ["weighed"]),
        helper.make_node("Concat", ["goal_unit", "weighed"], ["query"], axis=1),
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
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", goals.shape[1]]) for name in ("goal", "state")]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", NEAREST]) for name in ("similarity", "episode")]
    arrays = [numpy_helper.from_array(np.asarray(values), name) for name, values in constants.items()]
    body = helper.make_graph(nodes, "library", inputs, outputs, arrays)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(body, opset_imports=opsets, producer_name="plan_library")
    model.ir_version = 8
    return model


def write_library(items, table, seed, folder):
    chosen = choose_episodes(items, seed)
    goals, states = (unit(table[rows].astype(np.float32)) for rows in ([item.goal for item in chosen], [item.states[0][1] for item in chosen]))
    onnx.save(build(goals, states), str(folder / "plan-library.onnx"))
    plans = [[step[0] for step in item.actions][:10] for item in chosen]
    (folder / "plans.json").write_text("[" + ",\n".join(json.dumps(plan, separators=(",", ":")) for plan in plans) + "]\n")
    return chosen
