"""Fits `outcome` of planning/tunables.json: the probability that a sequence of actions reaches its goal, for goals that the library knows
nothing like (`unlike`) and for those it does (`like`).

`python3 -m training.fits.outcome_fit EVIDENCE` prints the numbers, and how each set fares when nothing is fitted on it. EVIDENCE is written by
scripts/outcome-evidence.ts from the rows of outcome_rows.py.
"""
import argparse
import collections
import json

import numpy as np

from .logistic_regression import regress

# Similarity of the nearest episode from which a goal is like the library's, and how gradually (`known` in the tunables).
KNOWN = {"from": 0.72, "spread": 0.015}
# Weights among the older features. Only their common scale is fitted: fitted one by one they fit the sources' peculiarities.
BASE = {
    "unlike": {"fit": 0.901, "covered": 0.935},
    "like": {"recalled": 4.393, "change": 0.153, "chance": -0.407, "fit": 0.725, "covered": 0.192},
}
NEW = ("agreed", "ended")
# Share of the right sequences, of those of other rows and of first halves in a set's weight. A set of fewer sequences than FULL weighs less.
SHARES, FULL = {"right": 0.5, "other": 0.4, "half": 0.1}, 600
# Another row's sequence this much like the row's own counts as neither right nor wrong.
ALIKE = 0.8
# Share of the other rows' sequences that the threshold lets pass.
PASS = {"unlike": 0.15, "like": 0.025}
LEAST_WEIGHT = 100


def kind_of(row):
    return "like" if row["similarity"] > KNOWN["from"] else "unlike"


def columns(rows, kind):
    """The older features as one sum, the new ones, and 1 for the shift."""
    base = [sum(weight * row[name] for name, weight in BASE[kind].items()) for row in rows]
    return np.array([[one, *(row[name] for name in NEW), 1.0] for one, row in zip(base, rows)])


def weights_of(rows):
    """Right, other and half have the same shares in every set."""
    each = collections.Counter((row["set"], row["kind"]) for row in rows)
    sizes = collections.Counter(row["set"] for row in rows)
    return np.array([SHARES[row["kind"]] / each[row["set"], row["kind"]] * min(1, sizes[row["set"]] / FULL) for row in rows])


def threshold(scores, sets, share):
    """The score that `share` of the sequences pass, where sets weigh alike."""
    sizes = collections.Counter(sets)
    weights = np.array([1 / max(sizes[name], LEAST_WEIGHT) for name in sets])
    order = np.argsort(-scores, kind="stable")
    passed = np.cumsum(weights[order]) / weights.sum()
    return scores[order][min(len(order) - 1, int(np.searchsorted(passed, share)))]


def fit(rows, kind):
    """[scale of the older features, weights of the new ones, shift] from the rows of one kind of goal."""
    rows = [row for row in rows if kind_of(row) == kind and (row["kind"] != "other" or row["likeness"] < ALIKE)]
    values = columns(rows, kind)
    found = regress(values, np.array([row["kind"] == "right" for row in rows], float), weights_of(rows))
    others = np.array([row["kind"] == "other" for row in rows])
    names = [row["set"] for row in rows if row["kind"] == "other"]
    found[-1] -= threshold((values @ found)[others], names, PASS[kind])
    return found


def tunables(found, kind):
    """As planning/tunables.json has it."""
    scale, *rest = (float(one) for one in found)
    names = {**{name: scale * weight for name, weight in BASE[kind].items()}, **dict(zip((*NEW, "shift"), rest))}
    return {name: round(value, 3) for name, value in names.items()}


def shares(rows, scores):
    """Share of sequences that read as reached, by kind of sequence; those alike are left out."""
    found = {}
    for kind in SHARES:
        passed = [score > 0 for row, score in zip(rows, scores) if row["kind"] == kind and (kind != "other" or row["likeness"] < ALIKE)]
        found[kind] = round(float(np.mean(passed)), 3) if passed else None
    return found


def left_out(rows, kind):
    """For each set, the shares where the regression is fitted on the others."""
    for name in sorted({row["set"] for row in rows if kind_of(row) == kind}):
        own = [row for row in rows if row["set"] == name and kind_of(row) == kind]
        found = fit([row for row in rows if row["set"] != name], kind)
        yield name, len(own), shares(own, columns(own, kind) @ found)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("evidence")
    with open(parser.parse_args(arguments).evidence, encoding="utf8") as lines:
        rows = [json.loads(line) for line in lines]
    for kind in BASE:
        for name, count, figures in left_out(rows, kind):
            print(kind, name, count, figures)
    print(json.dumps({"known": KNOWN, **{kind: tunables(fit(rows, kind), kind) for kind in BASE}}))


if __name__ == "__main__":
    main()
