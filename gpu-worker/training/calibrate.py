"""Temperatures that make probabilities true, and the magnitude's knots, fitted on held-out rows."""
import numpy as np
import torch
from torch.nn import functional as F

from .magnitudes import knots
from .measures import calibration_error

GRID = np.exp(np.linspace(np.log(0.5), np.log(3.0), 60))


def policy_temperature(sets):
    """The temperature of least mean cross-entropy; `sets`: [(logits, labels)], each with the same say."""
    losses = [np.mean([float(F.cross_entropy(logits / t, labels)) for logits, labels in sets]) for t in GRID]
    return float(GRID[int(np.argmin(losses))])


def value_calibration(sets):
    """(scale, shift) of the value logit by logistic regression, each set with the same say."""
    scale, shift = torch.ones(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    optimiser = torch.optim.LBFGS([scale, shift], max_iter=60)

    def closure():
        optimiser.zero_grad()
        loss = sum(F.binary_cross_entropy_with_logits(scale * logits + shift, reached) for logits, reached in sets)
        loss.backward()
        return loss

    optimiser.step(closure)
    errors = [calibration_error(torch.sigmoid(scale * v + shift).detach().numpy(), r.numpy()) for v, r in sets]
    return float(scale), float(shift), errors


def set_magnitude_knots(heads, vectors):
    """Fits the piecewise linear map so that the bands hold their shares over `vectors`."""
    with torch.no_grad():
        low, high = knots(heads.raw_magnitude(torch.from_numpy(vectors)).numpy())
        heads.magnitude_from.copy_(torch.from_numpy(low))
        heads.magnitude_to.copy_(torch.from_numpy(high))
