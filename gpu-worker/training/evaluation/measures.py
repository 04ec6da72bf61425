"""Figures: ranking, calibration error, AUROC, rank correlation, effective rank. numpy only."""
import numpy as np


def auroc(positives, negatives):
    """Probability that a positive scores above a negative; ties count half."""
    _, place, counts = np.unique(np.concatenate([positives, negatives]), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place.ravel()]
    count = len(positives)
    return float((ranks[:count].sum() - count * (count + 1) / 2) / (count * len(negatives)))


def calibration_error(probabilities, right, bins=15):
    places = np.minimum((probabilities * bins).astype(int), bins - 1)
    error = 0.0
    for place in np.unique(places):
        inside = places == place
        error += inside.mean() * abs(probabilities[inside].mean() - right[inside].mean())
    return float(error)


def spearman(left, right):
    ranks = [np.argsort(np.argsort(values)).astype(float) for values in (left, right)]
    return float(np.corrcoef(*ranks)[0, 1])


def ndcg(scores, right, depth=10):
    order = np.argsort(-scores, kind="stable")[:depth]
    gain = sum(1 / np.log2(place + 2) for place, row in enumerate(order) if row in right)
    return gain / sum(1 / np.log2(place + 2) for place in range(min(depth, len(right))))


def effective_rank(vectors):
    """exp of the entropy of the normalised singular values."""
    values = np.linalg.svd(vectors - vectors.mean(0), compute_uv=False)
    shares = values / values.sum()
    shares = shares[shares > 1e-12]
    return float(np.exp(-(shares * np.log(shares)).sum()))


def mean_cosine(vectors):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    total = unit.sum(0)
    return float((total @ total - len(unit)) / (len(unit) * (len(unit) - 1)))
