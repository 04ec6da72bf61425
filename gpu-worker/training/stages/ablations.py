"""What each part contributes: short runs of the heads with one part removed, everything else equal.

python3 -m training.stages.ablations --data DIR --package DIR --work WORK --out DIR [--steps 900] [--seed 7]

WORK holds the encoder that `train.py` chose. Each variant learns from the same third of the episodes for the same
number of steps; they are compared with `full`, not with the checkpoint. Writes OUT/ablations.json, variant by variant.
"""
import json

import torch

from ..encoder.embeddings import Embeddings, served_encode, torch_encode
from ..encoder.encoder import Encoder, read_weights
from ..evaluation.measure_steps import measure_steps
from ..heads.episodes import build_episodes, choose
from ..heads.magnitudes import information, targets
from ..heads.train_heads import train_heads
from ..texts.templates import STATE_TOKENS
from .encoder import chosen_path
from .heads import action_map_of, new_heads
from .measure import held_out_sets
from .run import Run, parser_of, say
from .tools import tools_stage

VARIANTS = {"full": {}, "no_goal": {"use_goal": False}, "no_dynamics": {"use_dynamics": False}, "random_encoder": {}}
# Every third episode is learned from.
EVERY = 3


def random_tensors(tensors, seed):
    """An encoder of the same shapes with random weights; its norms stay as they are."""
    torch.manual_seed(seed)
    return {name: value if "LayerNorm" in name else torch.randn_like(value) * 0.02 for name, value in tensors.items()}


def measure_variant(run, name, embeddings):
    options = run.options
    action_map = action_map_of(run, embeddings)
    episodes = build_episodes(choose(run.train, options.seed)[::EVERY], embeddings, action_map)
    texts = list(dict.fromkeys(row["goal"] for _, row in choose(run.train, options.seed)[::EVERY]))
    rows = embeddings.add(texts, STATE_TOKENS, "end")
    embeddings.save()
    heads = new_heads(options, action_map.vectors)
    folder = options.work / f"ablation-{name}"
    folder.mkdir(exist_ok=True)
    wanted, names = targets(information(texts, run.tokenizer)), [action["name"] for action in action_map.actions]
    train_heads(heads, episodes, embeddings.table, (rows, wanted), names, folder, options.steps, options.seed, say, **VARIANTS[name])
    heads.eval()
    control = "no_goal" if name == "no_goal" else None
    steps = {stem: measure_steps(found, stem, embeddings, heads, action_map, control=control)[0] for stem, found in held_out_sets(run).items()}
    if name in ("full", "random_encoder"):  # the others choose among tools by the same vectors
        tools_stage(run, heads, embeddings)
        return {"steps": steps, "tools": run.figures["tools"]}
    return {"steps": steps}


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--steps", type=int, default=900)
    parser.add_argument("--only", nargs="*", default=list(VARIANTS), choices=list(VARIANTS))
    options = parser.parse_args()
    run = Run(options)
    path = options.out / "ablations.json"
    found = json.loads(path.read_text()) if path.exists() else {}
    learned = read_weights(chosen_path(options.work))
    for name in options.only:
        run.stage(name)
        is_random = name == "random_encoder"
        encoder = Encoder(random_tensors(learned, options.seed) if is_random else learned)
        encode = None if is_random else served_encode(options.out / "encoder.onnx", options.threads)
        embeddings = Embeddings(encode or torch_encode(encoder), encoder.width, run.tokenizer, options.work, "random" if is_random else "heads", say)
        found[name] = measure_variant(run, name, embeddings)
        say(json.dumps(found[name], indent=1))
        path.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
