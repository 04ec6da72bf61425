"""Training losses shared by the encoder and the heads."""
import torch
from torch.nn import functional as F


def info_nce(queries, candidates, target, excluded, scale):
    """Cross-entropy of each query's target among all candidates; `excluded` [q, c] marks candidates that do not count."""
    logits = (queries @ candidates.T * scale).masked_fill(excluded, -1e4)
    return F.cross_entropy(logits, target)


def variance_covariance(z, target_deviation=1.0):
    """VICReg's guard against collapse: every dimension keeps its spread, no two say the same."""
    z = z - z.mean(0)
    spread = F.relu(target_deviation - (z.var(0) + 1e-4).sqrt()).mean()
    covariance = z.T @ z / (len(z) - 1)
    off = covariance - torch.diag(covariance.diag())
    return spread + off.pow(2).sum() / z.shape[1]
