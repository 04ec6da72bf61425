"""Targets for the magnitude r: how much a text asks for, by the information content of its distinct tokens."""
import collections
import math

import numpy as np

# Share of training texts below each magnitude: 10, 15 and 20 at the 15th, 55th and 90th percentile.
SHARES = (0.0, 0.15, 0.55, 0.90, 0.98, 1.0)
MAGNITUDES = (8.0, 10.0, 15.0, 20.0, 21.5, 22.0)


def information(texts, tokenizer, window=128):
    """Sum of the idf (nats) of each text's distinct tokens."""
    tokens = [set(tokenizer.encode(text, window)[1:-1]) for text in texts]
    counts = collections.Counter(token for found in tokens for token in found)
    total = len(texts)
    idf = {token: math.log(1 + (total - count + 0.5) / (count + 0.5)) for token, count in counts.items()}
    return np.array([sum(idf[token] for token in found) for found in tokens], np.float32)


def targets(values):
    """Information -> magnitude by rank, so that each band holds exactly its share."""
    ranks = np.empty(len(values))
    ranks[np.argsort(values, kind="stable")] = (np.arange(len(values)) + 0.5) / len(values)
    return np.interp(ranks, SHARES, MAGNITUDES).astype(np.float32)


def knots(predicted):
    """Raw magnitudes at the shares -> the magnitudes they stand for."""
    found = np.maximum.accumulate(np.quantile(predicted, SHARES))
    for place in range(1, len(found)):
        found[place] = max(found[place], found[place - 1] + 1e-3)
    return found.astype(np.float32), np.array(MAGNITUDES, np.float32)
