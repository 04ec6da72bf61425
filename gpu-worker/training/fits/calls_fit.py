"""Fits `session.calls` of planning/tunables.json: the probability that a conversation's first plan calls a tool.

`python3 -m training.fits.calls_fit EVIDENCE` prints the weights, and how well they do on tool boxes that they were not fitted on. EVIDENCE is
written by scripts/calls-evidence.ts from the made-up requests of authored/tool-requests.
"""
import argparse
import collections
import json

import numpy as np

from .logistic_regression import regress, sigmoid

NAMES = ("part", "none", "leads", "reader", "planned")


def columns(rows):
    """A row for each tool of each request: the evidence of mixer and reader for it, and 1 for the shift."""
    return np.array([[*(tool[name] for name in NAMES), 1.0] for row in rows for tool in row["evidence"]])


def called(rows):
    return np.array([place in row["calls"] for row in rows for place in range(len(row["evidence"]))], float)


def fit(rows):
    values = columns(rows)
    return regress(values, called(rows), np.ones(len(values)))


def calibration(chances, right, bins=10):
    """Expected calibration error over bins of equal width."""
    places = np.minimum((chances * bins).astype(int), bins - 1)
    sums = [(chances[places == at], right[places == at]) for at in range(bins) if (places == at).any()]
    return sum(abs(chance.mean() - hit.mean()) * len(chance) for chance, hit in sums) / len(chances)


def left_out(rows, folds=4):
    """Nats of a tool and calibration error, each tool box measured with weights fitted on the boxes of the other folds."""
    boxes = sorted({row["box"] for row in rows})
    chances, right = [], []
    for fold in range(folds):
        own = set(boxes[fold::folds])
        kept = [row for row in rows if row["box"] in own]
        chances.append(sigmoid(columns(kept) @ fit([row for row in rows if row["box"] not in own])))
        right.append(called(kept))
    chances, right = np.concatenate(chances), np.concatenate(right)
    nats = -np.mean(right * np.log(chances) + (1 - right) * np.log(1 - chances))
    return {"nats": round(float(nats), 4), "calibration": round(float(calibration(chances, right)), 4)}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("evidence")
    with open(parser.parse_args(arguments).evidence, encoding="utf8") as lines:
        rows = [row for row in map(json.loads, lines) if row["evidence"]]
    print(dict(collections.Counter(row["set"] for row in rows)), left_out(rows))
    print(json.dumps({name: round(float(weight), 3) for name, weight in zip((*NAMES, "shift"), fit(rows))}))


if __name__ == "__main__":
    main()
