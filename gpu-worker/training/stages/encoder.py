"""The first stage: fine-tunes the encoder, averages it with the original weights by the share that is best on the dev sets, exports it."""
import json
import shutil

import numpy as np
import torch

from ..encoder import paraphrases
from ..encoder.embeddings import Embeddings, served_encode, torch_encode
from ..encoder.encoder import Encoder, read_weights
from ..encoder.export_encoder import export
from ..encoder.pairs import build_pairs
from ..encoder.train_encoder import average, train_encoder
from ..encoder.weights import write_safetensors
from ..evaluation.measures import auroc
from ..heads.heads import Heads
from ..machine.whole_file import write_whole
from ..tools.measure_tools import rows_to_lists, simple_top1, tool_choices
from .run import say

# A long and a short run: their mean is better on unseen tools than either (model soups, Wortsman 2022).
ENCODER_STEPS = (1400, 220)
# Shares of the tuned weights that are tried, and how far below the best mean a mix is as good.
SHARES, AS_GOOD = (0.5, 0.75, 1.0), 0.005
# Most tokens of a sentence of the paraphrases.
PARAPHRASE_TOKENS = 64


def dev_scores(run, encoder, name):
    """Tool choice by cosine alone on the dev sets, by which the mix with the original weights is chosen."""
    embeddings = Embeddings(torch_encode(encoder), encoder.width, run.tokenizer, run.options.work, f"dev-{name}", say)
    # Untrained: `tool_choices` computes the policy's query with them, which is not scored here.
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


def tuned_encoder(run, full_steps):
    """Weights after one run; each length has its own order of the pairs."""
    path = run.options.work / f"tuned-{full_steps}" / "model.fp16.safetensors"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        steps, seed = run.steps(full_steps), run.options.seed + ENCODER_STEPS.index(full_steps)
        say(f"encoder: a run of {steps} steps")
        tensors = train_encoder(run.model_dir / "model.fp16.safetensors", run.tokenizer, build_pairs(run.train), path.parent, steps, seed, say=say)
        write_whole(path, lambda path: write_safetensors(path, tensors))
    return read_weights(path)


def chosen_path(work):
    return work / "encoder" / "model" / "model.fp16.safetensors"


def encoder_stage(run):
    options, work = run.options, run.options.work
    original = read_weights(run.model_dir / "model.fp16.safetensors")
    chosen = chosen_path(work)
    if not chosen.exists():
        run.stage("encoder")
        tuned = average(*(tuned_encoder(run, steps) for steps in ENCODER_STEPS), share=0.5)
        results = {}
        for share in (0.0, *SHARES):
            encoder = Encoder(average(original, tuned, share))
            figures = dev_scores(run, encoder, f"{share:.1f}")
            encode = torch_encode(encoder)
            figures["paraphrase"] = paraphrases.measure(lambda texts: encode([run.tokenizer.encode(text, PARAPHRASE_TOKENS) for text in texts]))
            results[share] = figures
            say(f"encoder: share {share}: {json.dumps(figures)}")
        # A mix must keep the original's general similarity. Among those the best mean of the dev figures decides; of equally good
        # mixes the one with the least tuned weights is taken, since it has kept most of what the pairs do not teach.
        floor = results[0.0]["paraphrase"]["nearest"] - 0.02
        usable = [s for s in SHARES if results[s]["paraphrase"]["nearest"] >= floor] or [SHARES[0]]
        means = {s: np.mean([v for v in results[s].values() if isinstance(v, float)]) for s in usable}
        best = next(s for s in usable if means[s] >= max(means.values()) - AS_GOOD)
        (work / "mix.json").write_text(json.dumps({"share": best, "dev": results}, indent=1))
        chosen.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(run.model_dir / "tokenizer.json", chosen.parent / "tokenizer.json")
        write_whole(chosen, lambda path: write_safetensors(path, average(original, tuned, best)))
    run.figures["encoder_mix"] = json.loads((work / "mix.json").read_text())
    run.stage("encoder export")
    export(work / "encoder", options.out, float_reference=work / "encoder-float.onnx")


def finished_embeddings(run, name):
    """The chosen encoder's vectors of texts, kept in a file of that name; by the exported graph where there is a runtime for it."""
    options = run.options
    served = served_encode(options.out / "encoder.onnx", options.threads)
    say(f"{name}: texts are embedded by {'the served graph' if served else 'PyTorch'}")
    encoder = Encoder(read_weights(chosen_path(options.work)))
    return Embeddings(served or torch_encode(encoder), encoder.width, run.tokenizer, options.work, name, say)
