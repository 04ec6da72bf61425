"""Checks an exported encoder: unit vectors, the same in any batch, close to the float graph's.

Needs onnxruntime; without it a message says that nothing is checked.
"""
import sys

import numpy as np

from ..texts.wordpiece import WordPiece

# Least cosine with the float graph's vector, and most that a number may change when other texts share the run.
LEAST_COSINE, MOST_DIFFERENCE = 0.985, 1e-5
CHECKED_TEXTS = (
    "Find a quiet hotel near the river and book it for two nights",
    "search flights: Search for flights between two airports on a date",
    "Nothing has been done yet.",
    "The basket holds three items. The button says Pay now.",
    "Turn off the lights",
    "Cancel my order",
    "What is 15 % of 2,480?",
    "The page lists forty results. " * 12,
)


def runner(model):
    """Runs the graph on rows of token ids of one length."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])

    def run(rows):
        ids = np.array(rows, np.int64)
        return session.run(["embedding"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0]

    return run


def check(model, reference, id_lists):
    """The lowest cosine of the graph's vectors with the reference's. Ends the program if something is wrong."""
    run, run_reference = runner(model), runner(reference)
    found, wanted = (np.stack([one([ids])[0] for ids in id_lists]) for one in (run, run_reference))
    if not np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-3):
        raise SystemExit("encoder.onnx: its vectors are not of length one")
    for length in sorted({len(ids) for ids in id_lists}):
        places = [place for place, ids in enumerate(id_lists) if len(ids) == length]
        together = run([id_lists[place] for place in places] * 2)
        if np.abs(together[: len(places)] - found[places]).max() > MOST_DIFFERENCE:
            raise SystemExit(f"encoder.onnx: texts of {length} tokens change with their neighbours")
    lowest = float((found * wanted).sum(1).min())
    if not lowest >= LEAST_COSINE:
        raise SystemExit(f"encoder.onnx: cosine {lowest:.4f} with the float graph, {LEAST_COSINE} is the least")
    return lowest


def check_if_possible(model, reference, tokenizer_path):
    try:
        import onnxruntime  # noqa: F401
    except ImportError:
        print("encoder.onnx was not run: onnxruntime is not installed", file=sys.stderr)
        return
    tokenizer = WordPiece(tokenizer_path)
    lowest = check(model, reference, [tokenizer.encode(text, 256) for text in CHECKED_TEXTS])
    print(f"encoder.onnx runs; lowest cosine with the float graph {lowest:.4f}", file=sys.stderr)
