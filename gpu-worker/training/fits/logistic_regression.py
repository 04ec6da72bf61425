"""Weighted logistic regression with a small ridge. Needs numpy alone."""
import numpy as np

RIDGE, ROUNDS = 1e-3, 40


def sigmoid(values):
    return 1 / (1 + np.exp(-np.clip(values, -30, 30)))


def regress(values, right, weights):
    """The weight of each column of `values`, by Newton's method. Columns are first divided by their deviation, so that the ridge shrinks
    all of them alike. `right`: 1 or 0 for each row; `weights`: how much each row counts."""
    scale = np.where(values.std(0) > 1e-9, values.std(0), 1)
    scaled, share = values / scale, weights / weights.sum()
    found = np.zeros(values.shape[1])
    for _ in range(ROUNDS):
        chance = sigmoid(scaled @ found)
        slope = scaled.T @ (share * (chance - right)) + RIDGE * found
        curve = (scaled * (share * chance * (1 - chance))[:, None]).T @ scaled + RIDGE * np.eye(len(found))
        found = found - np.linalg.solve(curve, slope)
    return found / scale
