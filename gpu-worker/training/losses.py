"""Training losses shared by the encoder and the heads."""
import torch
from torch.nn import functional as F


def info_nce(queries, candidates, target, excluded, scale):
    """Cross-entropy of each query's target among all candidates; `excluded` [q, c] marks candidates that do not count."""
    logits = (queries @ candidates.T * scale).masked_fill(excluded, -1e4)
    return F.cross_entropy(logits, target)


def isotropy(z):
    """Guard against collapse: every dimension keeps mean 0 and deviation 1, and no two are correlated (after VICReg's
    variance and covariance). For vectors before they are scaled to length 1: after that, their gradient vanishes as they grow."""
    mean = z.mean(0)
    z = z - mean
    covariance = z.T @ z / (len(z) - 1)
    variance = covariance.diag()
    spread = ((variance + 1e-4).sqrt() - 1).pow(2).mean()
    return mean.pow(2).mean() + spread + (covariance.pow(2).sum() - variance.pow(2).sum()) / z.shape[1]
