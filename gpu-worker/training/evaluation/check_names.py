"""Checks the mapping onto the 903 with 300 names of our own choosing, whose actions were judged by hand.

python3 -m training.evaluation.check_names FOLDER [--tokenizer FILE] [--actions FILE] [--names FILE] [--grid] [--json]

FOLDER holds encoder.onnx and tokenizer.json (a checkpoint or a trainer's OUT); needs PyTorch, and onnxruntime or Node. `checked_names.tsv`
lists every action a strict operator would accept for a name: the exact pair, the right verb with a broader object or
alone, `unk` only where nothing fits. A name counts for the category of its first action. --grid tries other constants.
"""
import argparse
import collections
import itertools
import json
import pathlib
from unittest import mock

import numpy as np

from ..actions import mapping
from ..machine.places import ACTIONS
from ..texts.templates import TOOL_TOKENS

NAMES = pathlib.Path(__file__).with_name("checked_names.tsv")
GRID = {"VERB_BONUS": (0.2, 0.25, 0.3), "OBJECT_BONUS": (0.1, 0.15, 0.2), "UNKNOWN_BELOW": (0.5, 0.54, 0.58)}


def read_names(path=NAMES):
    """name -> acceptable action names, the best first."""
    lines = pathlib.Path(path).read_text(encoding="utf8").splitlines()[1:]
    return {name: acceptable.split(",") for name, acceptable in (line.split("\t") for line in lines)}


def check(action_map, names):
    """Share of names that land on an acceptable action, the same per category, and the misses."""
    ids = action_map.ids(list(names))
    category = {action["name"]: action["category"] for action in action_map.actions}
    found = {name: action_map.actions[ids[name]]["name"] for name in names}
    right, seen = collections.Counter(), collections.Counter()
    for name, acceptable in names.items():
        seen[category[acceptable[0]]] += 1
        right[category[acceptable[0]]] += found[name] in acceptable
    return {
        "n": len(names),
        "share": sum(right.values()) / len(names),
        "categories": {kind: {"n": seen[kind], "share": right[kind] / seen[kind]} for kind in sorted(seen)},
        "misses": [{"name": n, "found": found[n], "acceptable": ok} for n, ok in names.items() if found[n] not in ok],
    }


def remembering(encode):
    """`encode` with a cache: the grid asks for the same texts many times."""
    known = {}

    def recall(texts):
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        known.update(zip(missing, encode(missing)) if missing else ())
        return np.stack([known[text] for text in texts])

    return recall


def try_constants(actions, encode, names, grid=GRID):
    """[{constant: value, "share": share}] for every combination."""
    encode, tried = remembering(encode), []
    for values in itertools.product(*grid.values()):
        constants = dict(zip(grid, values))
        with mock.patch.multiple(mapping, **constants):
            tried.append({**constants, "share": check(mapping.ActionMap(actions, encode), names)["share"]})
    return tried


def graph_encode(folder, tokenizer_path):
    """texts -> unit vectors by FOLDER/encoder.onnx, in one thread."""
    from ..encoder.embeddings import served_encode
    from ..texts.wordpiece import WordPiece

    tokenizer, run = WordPiece(tokenizer_path), served_encode(folder / "encoder.onnx", 1)
    if run is None:
        raise SystemExit("neither onnxruntime nor Node is installed")
    return lambda texts: run([tokenizer.encode(text, TOOL_TOKENS) for text in texts])


def show(result):
    print(f"{result['share']:.3f} of {result['n']} names land on an acceptable action")
    for kind, figures in result["categories"].items():
        print(f"  {kind:<12} {figures['share']:.3f} of {figures['n']}")
    for miss in result["misses"]:
        print(f"  {miss['name']}: {miss['found']}, not {' / '.join(miss['acceptable'])}")
    for tried in result.get("grid", []):
        print("  " + "  ".join(f"{key} {value:.3f}" for key, value in tried.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tokenizer", type=pathlib.Path)
    parser.add_argument("--actions", type=pathlib.Path, default=ACTIONS)
    parser.add_argument("--names", type=pathlib.Path, default=NAMES)
    parser.add_argument("--grid", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    encode = graph_encode(options.folder, options.tokenizer or options.folder / "tokenizer.json")
    names = read_names(options.names)
    result = check(mapping.ActionMap(options.actions, encode), names)
    if options.grid:
        result["grid"] = try_constants(options.actions, encode, names)
    print(json.dumps(result)) if options.json else show(result)


if __name__ == "__main__":
    main()
