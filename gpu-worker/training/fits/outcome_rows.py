"""Rows for the fit of `outcome` in planning/tunables.json: goals with their right actions, which neither decoder nor library has learned.

`python3 -m training.fits.outcome_rows --data DATA --out ROWS [--seed 7]`
"""
import argparse
import json
import pathlib
import random

from ..data.authored import read_requests
from ..data.choose_rows import choose_usable, usable_rows
from ..data.rows import read_rows
from ..machine.places import AUTHORED
from ..plans.plan_rows import CAPS, LIBRARY_CAPS

# Most rows of each set.
MOST = 200
# Index of each set's first row that nothing was learned from. Decoder and library take rows from the beginning of the same order, up to
# their caps. MultiDoGO is an exception in x1ac-base-16: its library skipped the 600 rows after the decoder's, to be measured on them.
SETS = ("alfred_train", "sgd_train", "miniwob_demos", "star", "n8n_workflows", "traject_bench", "sealtools_dev", "apollo_tau")
FROM = {stem: max(CAPS.get(stem, 0), LIBRARY_CAPS.get(stem, 0)) for stem in SETS}
FROM["multidogo_train"], MULTIDOGO_LEFT_OUT = CAPS["multidogo_train"], 600
# Rows stand in blocks, in the order of their set: neighbours often ask for something alike, as in a test set.
BLOCK = 10


def in_blocks(rows, most):
    """Blocks of neighbours, evenly spread."""
    count = min(most, len(rows)) // BLOCK
    last = len(rows) - BLOCK
    return [row for at in range(count) for begin in [at * last // max(1, count - 1)] for row in rows[begin : begin + BLOCK]]


def unlearned(stem, rows, seed):
    """Rows of two actions and more, in the order of their set."""
    rows = usable_rows(rows)
    order = {id(row): at for at, row in enumerate(rows)}
    left = [row for row in choose_usable(stem, rows, seed)[FROM[stem] :] if len(row["actions"]) > 1]
    left = left[:MULTIDOGO_LEFT_OUT] if stem == "multidogo_train" else left
    return in_blocks(sorted(left, key=lambda row: order[id(row)]), MOST)


def request_rows(folder, seed):
    """Requests of our own that ask for two things and more: the usual action of each part."""
    found = []
    for parts in read_requests(folder):
        actions = [names[0] for _, names in parts if names]
        if len(actions) > 1:
            found.append({"goal": " ".join(text for text, _ in parts), "actions": actions})
    random.Random(f"{seed}{folder.name}").shuffle(found)
    return found[:MOST]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args(arguments)
    sets = {stem: unlearned(stem, read_rows(options.data / "train" / f"{stem}.jsonl.gz"), options.seed) for stem in FROM}
    for name in ("requests", "requests-left-out"):
        sets[name] = request_rows(AUTHORED / name, options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    for name, rows in sets.items():
        (options.out / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf8")
        print(name, len(rows))


if __name__ == "__main__":
    main()
