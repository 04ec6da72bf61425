"""One command from the data folder to a checkpoint's learned files.

python3 -m training.train --data DIR --package DIR --work DIR --out DIR [--size base] [--minutes N] [--seed N] [--ablations]

--data     holds train/ and dev/ (see the README)        --package  the unpacked encoder package
--work     where progress is kept: run again to resume    --out      receives the ONNX files and metrics.json
"""
import argparse
import functools
import json
import pathlib
import shutil
import subprocess
import sys
import time

import numpy as np
import torch

from . import paraphrases
from .calibrate import policy_sharpness, set_magnitude_knots, value_calibration
from .data import is_held_out, sets_in
from .embeddings import Embeddings, onnx_encode, torch_encode
from .encoder import Encoder, encode_ids, read_safetensors, write_safetensors
from .episodes import build_episodes, choose
from .evaluate import CONTROLS, measure_steps, measure_tools, rows_to_lists, simple_top1, tool_choices
from .export_heads import export_heads
from .heads import HIDDEN, Heads
from .magnitudes import information, targets
from .mapping import ActionMap
from .measures import auroc, effective_rank, mean_cosine
from .pairs import build_pairs
from .texts import GOAL_TOKENS, STATE_TOKENS, TOOL_TOKENS
from .tool_choice import train_lists, train_mixer
from .train_encoder import average, train_encoder
from .train_heads import train_heads
from .wordpiece import WordPiece

# A long and a short run of the encoder: their mean is better on unseen tools than either (model soups, Wortsman 2022).
ENCODER_STEPS, HEAD_STEPS = (1400, 220), 3600
SHARES, AS_GOOD = (0.5, 0.75, 1.0), 0.005
GUARD_TEXTS, LEAST_RANK, MOST_COSINE = 4000, 100, 0.3
HERE = pathlib.Path(__file__).parent
say = functools.partial(print, flush=True)


class Run:
    """The options, the data and what the stages hand on."""

    def __init__(self, options):
        self.options = options
        self.model_dir = options.package / "model"
        self.tokenizer = WordPiece(self.model_dir / "tokenizer.json")
        self.train, self.dev = sets_in(options.data / "train"), sets_in(options.data / "dev")
        options.work.mkdir(parents=True, exist_ok=True)
        options.out.mkdir(parents=True, exist_ok=True)
        self.figures = {"seed": options.seed, "size": options.size}
        self.started = time.time()

    def minutes(self, share):
        return self.options.minutes * share if self.options.minutes else None

    def stage(self, name):
        say(f"== {name} at {(time.time() - self.started) / 60:.1f} min")


def plain_encode(encoder, tokenizer, window=64):
    def encode(texts):
        with torch.no_grad():
            return encode_ids(encoder, [tokenizer.encode(text, window) for text in texts], 4096).numpy()

    return encode


def dev_scores(run, encoder, name):
    """Cosine alone on the dev sets: what the mix with the original weights is chosen by."""
    embeddings = Embeddings(torch_encode(encoder), encoder.width, run.tokenizer, run.options.work, f"dev-{name}", say)
    heads = Heads(torch.eye(encoder.width)[:8], 64)
    found = {}
    for stem in ("bfcl_multiple", "sealtools_test_in_domain", "tau_retail_tasks_train", "bfcl_irrelevance"):
        if stem in run.dev:
            rows = [row for row in run.dev[stem] if len(row["tools"]) > 1 or stem == "bfcl_irrelevance"][:: 1 if stem.startswith("bfcl") else 2]
            found[stem] = tool_choices(rows_to_lists(rows), embeddings, heads)
    figures = {stem: simple_top1(choices, lambda c: c.features[:, 0]) for stem, choices in found.items() if stem != "bfcl_irrelevance"}
    if "bfcl_irrelevance" in found:
        best = [np.array([float(c.features[:, 0].max()) for c in found[stem]]) for stem in ("bfcl_multiple", "bfcl_irrelevance")]
        figures["irrelevance_auroc"] = auroc(*best)
    return figures


def tuned_encoder(run, steps):
    """Weights after one run of `steps` steps; each length has its own order of the pairs."""
    path = run.options.work / f"tuned-{steps}" / "model.fp16.safetensors"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        say(f"encoder: a run of {steps} steps")
        minutes = run.minutes(0.5 * steps / sum(ENCODER_STEPS))
        seed = run.options.seed + ENCODER_STEPS.index(steps)
        write_safetensors(path, train_encoder(run.model_dir / "model.fp16.safetensors", run.tokenizer, build_pairs(run.train), path.parent, steps, seed, minutes, say=say))
    return read_safetensors(path)


def encoder_stage(run):
    options, work = run.options, run.options.work
    original = read_safetensors(run.model_dir / "model.fp16.safetensors")
    chosen = work / "encoder" / "model" / "model.fp16.safetensors"
    if not chosen.exists():
        run.stage("encoder")
        tuned = average(*(tuned_encoder(run, steps) for steps in ENCODER_STEPS), share=0.5)
        results = {}
        for share in (0.0, *SHARES):
            encoder = Encoder(average(original, tuned, share), torch.bfloat16)
            figures = dev_scores(run, encoder, f"{share:.1f}")
            figures["paraphrase"] = paraphrases.measure(plain_encode(encoder, run.tokenizer))
            results[share] = figures
            say(f"encoder: share {share}: {json.dumps(figures)}")
        # General similarity must keep up with the original; within that the mean of the dev figures decides, and of
        # what is as good the least tuned, which knows most of what the pairs do not hold.
        floor = results[0.0]["paraphrase"]["nearest"] - 0.02
        usable = [s for s in SHARES if results[s]["paraphrase"]["nearest"] >= floor] or [SHARES[0]]
        means = {s: np.mean([v for v in results[s].values() if isinstance(v, float)]) for s in usable}
        best = next(s for s in usable if means[s] >= max(means.values()) - AS_GOOD)
        (work / "mix.json").write_text(json.dumps({"share": best, "dev": results}, indent=1))
        write_safetensors(chosen, average(original, tuned, best))
        shutil.copyfile(run.model_dir / "tokenizer.json", chosen.parent / "tokenizer.json")
    run.figures["encoder_mix"] = json.loads((work / "mix.json").read_text())
    run.stage("encoder export")
    command = [sys.executable, str(HERE / "export_encoder.py"), str(work / "encoder"), str(options.out), "--float-reference", str(work / "encoder-float.onnx")]
    subprocess.run(command, check=True)
    served = onnx_encode(options.out / "encoder.onnx", options.threads)
    say(f"encoder: texts are embedded by {'onnxruntime, int8' if served else 'PyTorch'}")
    encoder = Encoder(read_safetensors(chosen), torch.bfloat16)
    return Embeddings(served or torch_encode(encoder), encoder.width, run.tokenizer, work, "final", say)


def guard(heads, vectors):
    """Fails the run when states have collapsed."""
    with torch.no_grad():
        latents = heads.latent(torch.from_numpy(vectors)).numpy()
    found = {"effective_rank": effective_rank(latents), "mean_cosine": mean_cosine(latents), "planning_rank": effective_rank(latents[:, heads.width :])}
    say(f"guard: {found}")
    # Fewer texts than the guard is meant for have too little rank of their own.
    if len(vectors) >= GUARD_TEXTS and (found["effective_rank"] < LEAST_RANK or found["mean_cosine"] > MOST_COSINE):
        raise SystemExit(f"states have collapsed: {found}")
    return found


def held_out_sets(run):
    """{name: rows} with steps that no gradient saw: dev sets, the dev part of SGD, whole MiniWoB task types."""
    found = {stem: rows for stem, rows in run.dev.items() if any(row.get("steps") for row in rows)}
    if "sgd_dev" in run.train:
        found["sgd_dev"] = run.train["sgd_dev"][:350]
    held = [row for row in run.train.get("miniwob_demos", []) if is_held_out(row)]
    if held:
        found["miniwob_held_out"] = held[:: max(1, len(held) // 350)]
    return found


def heads_stage(run, embeddings):
    options = run.options
    run.stage("embeddings")
    action_map = ActionMap(options.actions, lambda texts: embeddings.vectors(texts, TOOL_TOKENS))
    episodes = build_episodes(choose(run.train, options.seed), embeddings, action_map)
    rows = np.unique(np.concatenate([np.concatenate([e.states, e.nexts, [e.goal]]) for e in episodes]))
    texts = [text for stem, row in choose(run.train, options.seed) for text in [row["goal"], *((s.get("next") or "") for s in (row.get("steps") or [])[:3])] if text]
    texts = list(dict.fromkeys(texts))[:40000]
    text_rows = embeddings.add(texts, STATE_TOKENS, "end")
    wanted = targets(information(texts, run.tokenizer))
    embeddings.save()
    say(f"episodes: {len(episodes)}, texts {len(embeddings.place)}, mapped names {len(action_map.known)}, unknown {sum(i == 1 for i in action_map.known.values())}")
    run.stage("heads")
    heads = Heads(torch.from_numpy(action_map.vectors), HIDDEN[options.size])
    names = [action["name"] for action in action_map.actions]
    final = options.work / "heads.pt"
    start = options.work / "heads-start.pt"
    if start.exists():
        heads.load_state_dict(torch.load(start), strict=False)
    if final.exists():
        heads.load_state_dict(torch.load(final))
    else:
        train_heads(heads, episodes, embeddings.table, (text_rows, wanted), names, options.work, HEAD_STEPS, options.seed, run.minutes(0.5), say)
        sample = embeddings.table[np.random.RandomState(1).choice(text_rows, min(4000, len(text_rows)), replace=False)].astype(np.float32)
        sample /= np.linalg.norm(sample, axis=1, keepdims=True)
        set_magnitude_knots(heads, sample)
    sample = embeddings.table[np.random.RandomState(2).choice(rows, min(4000, len(rows)), replace=False)].astype(np.float32)
    sample /= np.linalg.norm(sample, axis=1, keepdims=True)
    run.figures["guard"] = guard(heads, sample)
    torch.save(heads.state_dict(), final)
    with torch.no_grad():
        r = heads.calibrated(heads.raw_magnitude(torch.from_numpy(sample))).numpy()
    run.figures["magnitude_shares_below"] = {str(edge): float((r < edge).mean()) for edge in (10, 15, 20)}
    return heads.eval(), action_map, episodes


def tools_stage(run, heads, embeddings):
    run.stage("tool choice")
    lists = [(goal, "", tools, right) for goal, tools, right in train_lists(run.train, run.options.seed)]
    mixer = train_mixer(tool_choices(lists, embeddings, heads), run.options.seed, say=say).eval()
    embeddings.save()
    figures, margins = {}, {}
    for stem, rows in run.dev.items():
        if any("tools" in row for row in rows):
            choices = tool_choices(rows_to_lists(rows), embeddings, heads)
            figures[stem], margins[stem] = measure_tools(choices, mixer)
            if any(choice.right for choice in choices):
                figures[stem]["cosine_top1"] = simple_top1(choices, lambda c: c.features[:, 0])
                figures[stem]["bm25_top1"] = simple_top1(choices, lambda c: c.features[:, 2])
                figures[stem]["query_top1"] = simple_top1(choices, lambda c: c.features[:, 1])
    if {"bfcl_multiple", "bfcl_irrelevance"} <= set(margins):
        figures["irrelevance_auroc"] = auroc(margins["bfcl_multiple"], margins["bfcl_irrelevance"])
    say(json.dumps(figures, indent=1))
    run.figures["tools"] = figures
    return mixer


def change_medians(heads, episodes, action_map, table, seed=0):
    """Median state change of single actions from random states toward random goals."""
    from .batches import vectors_of

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
    run.figures["calibration"] = {"policy_sharpness": heads.sharpness.tolist(), "value_scale": scale, "value_shift": shift, "value_ece": dict(zip(kept, errors))}
    run.figures["steps"] = {stem: measure_steps(rows, stem, embeddings, heads, action_map)[0] for stem, rows in sets.items()}
    run.figures["controls"] = {
        control: {stem: measure_steps(rows, stem, embeddings, heads, action_map, control=control)[0] for stem, rows in sets.items()} for control in CONTROLS
    }  # fmt: skip
    run.figures["change_medians"] = change_medians(heads, episodes, action_map, embeddings.table)
    embeddings.save()
    say(json.dumps({key: run.figures[key] for key in ("calibration", "steps", "controls", "change_medians")}, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("data", "package", "work", "out"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--actions", type=pathlib.Path, default=HERE.parent / "checkpoints" / "base" / "actions.json")
    parser.add_argument("--size", choices=list(HIDDEN), default="base")
    parser.add_argument("--minutes", type=float, help="wall clock for the whole run; schedules shorten to it")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    run = Run(options)
    embeddings = encoder_stage(run)
    heads, action_map, episodes = heads_stage(run, embeddings)
    mixer = tools_stage(run, heads, embeddings)
    measure_stage(run, heads, embeddings, action_map, episodes)
    run.stage("export")
    export_heads(heads, mixer, options.out)
    calibration = run.figures["calibration"]
    settings = {
        "latentWidth": 2 * heads.width, "historyWidth": heads.history, "contextWidth": heads.context_width, "policyTemperature": 1.0,
        "value": {"scale": calibration["value_scale"], "shift": calibration["value_shift"]}, "goalTokens": GOAL_TOKENS, "stateTokens": STATE_TOKENS, "toolTokens": TOOL_TOKENS,
    }  # fmt: skip
    (options.out / "heads.json").write_text(json.dumps(settings, indent=1) + "\n")
    run.figures["minutes"] = (time.time() - run.started) / 60
    (options.out / "metrics.json").write_text(json.dumps(run.figures, indent=1))
    run.stage("done")


if __name__ == "__main__":
    main()
