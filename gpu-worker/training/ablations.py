"""What each part is worth: short runs of the heads with one part taken away, all else equal.

python3 -m training.ablations --data DIR --package DIR --work WORK --out DIR [--steps 900] [--seed 7]

WORK holds the encoder that `train.py` chose. Each variant learns from the same third of the episodes for the same
number of steps; `full` is the yardstick, not the checkpoint. Writes OUT/ablations.json, variant by variant.
"""
import argparse
import json
import pathlib

import torch

from .embeddings import Embeddings, onnx_encode, torch_encode
from .encoder import Encoder, read_safetensors
from .episodes import build_episodes, choose
from .evaluate import measure_steps, measure_tools, rows_to_lists, simple_top1, tool_choices
from .heads import HIDDEN, Heads
from .magnitudes import information, targets
from .mapping import ActionMap
from .measure_stage import held_out_sets
from .measures import auroc
from .texts import STATE_TOKENS, TOOL_TOKENS
from .tool_choice import train_lists, train_mixer
from .run import HERE, Run, say
from .train_heads import train_heads

VARIANTS = {"full": {}, "no_goal": {"use_goal": False}, "no_dynamics": {"use_dynamics": False}, "random_encoder": {}}
EVERY = 3


def random_tensors(tensors, seed):
    """The same shapes without what was learned; norms stay as they are."""
    torch.manual_seed(seed)
    return {name: value if "LayerNorm" in name else torch.randn_like(value) * 0.02 for name, value in tensors.items()}


def tools_of(run, embeddings, heads):
    lists = [(goal, "", tools, right) for goal, tools, right in train_lists(run.train, run.options.seed)]
    mixer = train_mixer(tool_choices(lists, embeddings, heads), run.options.seed, say=say).eval()
    figures, margins = {}, {}
    for stem, rows in run.dev.items():
        if any("tools" in row for row in rows):
            choices = tool_choices(rows_to_lists(rows), embeddings, heads)
            measured, margins[stem] = measure_tools(choices, mixer)
            if "tool_top1" in measured:
                figures[stem] = {"mixed": measured["tool_top1"], "lexical_only": simple_top1(choices, lambda c: c.features[:, 2]), "vectors_only": simple_top1(choices, lambda c: c.features[:, 0])}
    if {"bfcl_multiple", "bfcl_irrelevance"} <= set(margins):
        figures["irrelevance_auroc"] = auroc(margins["bfcl_multiple"], margins["bfcl_irrelevance"])
    return figures


def measure_variant(run, name, embeddings):
    options = run.options
    action_map = ActionMap(options.actions, lambda texts: embeddings.vectors(texts, TOOL_TOKENS))
    episodes = build_episodes(choose(run.train, options.seed)[::EVERY], embeddings, action_map)
    texts = list(dict.fromkeys(row["goal"] for _, row in choose(run.train, options.seed)[::EVERY]))
    rows = embeddings.add(texts, STATE_TOKENS, "end")
    embeddings.save()
    heads = Heads(torch.from_numpy(action_map.vectors), HIDDEN[options.size])
    folder = options.work / f"ablation-{name}"
    folder.mkdir(exist_ok=True)
    train_heads(heads, episodes, embeddings.table, (rows, targets(information(texts, run.tokenizer))), [action["name"] for action in action_map.actions], folder, options.steps, options.seed, None, say, **VARIANTS[name])
    heads.eval()
    control = "no_goal" if name == "no_goal" else None
    steps = {stem: measure_steps(found, stem, embeddings, heads, action_map, control=control)[0] for stem, found in held_out_sets(run).items()}
    return {"steps": steps, **({"tools": tools_of(run, embeddings, heads)} if name in ("full", "random_encoder") else {})}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("data", "package", "work", "out"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--actions", type=pathlib.Path, default=HERE.parent / "checkpoints" / "base" / "actions.json")
    parser.add_argument("--size", choices=list(HIDDEN), default="base")
    parser.add_argument("--steps", type=int, default=900)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=list(VARIANTS), choices=list(VARIANTS))
    options = parser.parse_args()
    options.minutes = None
    torch.set_num_threads(options.threads)
    run = Run(options)
    path = options.out / "ablations.json"
    found = json.loads(path.read_text()) if path.exists() else {}
    learned = read_safetensors(options.work / "encoder" / "model" / "model.fp16.safetensors")
    for name in options.only:
        run.stage(name)
        is_random = name == "random_encoder"
        encoder = Encoder(random_tensors(learned, options.seed) if is_random else learned, torch.bfloat16)
        encode = torch_encode(encoder) if is_random else onnx_encode(options.out / "encoder.onnx", options.threads) or torch_encode(encoder)
        embeddings = Embeddings(encode, encoder.width, run.tokenizer, options.work, "random" if is_random else "final", say)
        found[name] = measure_variant(run, name, embeddings)
        say(json.dumps(found[name], indent=1))
        path.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
