"""Fits on held-out rows: the temperatures that calibrate probabilities, and the knots of the magnitude."""
import torch
from torch.nn import functional as F

from ..heads.magnitudes import knots
from .measures import calibration_error


def policy_sharpness(heads, sets):
    """Fits `heads.sharpness` to the least mean cross-entropy; `sets`: [(raw logits, labels)], all with the same weight."""
    fitted = heads.sharpness.clone().requires_grad_()
    optimiser = torch.optim.LBFGS([fitted], max_iter=60, line_search_fn="strong_wolfe")
    kept, heads.sharpness = heads.sharpness, fitted

    def closure():
        optimiser.zero_grad()
        loss = sum(F.cross_entropy(heads.calibrate(logits), labels) for logits, labels in sets) / len(sets)
        loss.backward()
        return loss

    optimiser.step(closure)
    heads.sharpness = kept
    kept.copy_(fitted.detach())


def value_calibration(sets):
    """(scale, shift) of the value logit by logistic regression, and each set's calibration error with them. `sets`: [(value logits,
    1 where the goal is reached)], all with the same weight."""
    scale, shift = torch.ones(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    optimiser = torch.optim.LBFGS([scale, shift], max_iter=60)

    def closure():
        optimiser.zero_grad()
        loss = sum(F.binary_cross_entropy_with_logits(scale * logits + shift, reached) for logits, reached in sets)
        loss.backward()
        return loss

    optimiser.step(closure)
    errors = [calibration_error(torch.sigmoid(scale * v + shift).detach().numpy(), r.numpy()) for v, r in sets]
    return scale.item(), shift.item(), errors


def set_magnitude_knots(heads, vectors):
    """Fits the piecewise linear map of the magnitude, so that each band holds its share of `vectors`."""
    with torch.no_grad():
        low, high = knots(heads.raw_magnitude(torch.from_numpy(vectors)).numpy())
        heads.magnitude_from.copy_(torch.from_numpy(low))
        heads.magnitude_to.copy_(torch.from_numpy(high))
