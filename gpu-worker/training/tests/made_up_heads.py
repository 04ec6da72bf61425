"""A vocabulary of twelve actions with random vectors."""
import torch

WIDTH, NAMES = 32, ["pad", "unk", "start", "end", "wait", "noop", "submit", "book", "delete", "search", "click", "type"]


def glosses(seed=0):
    torch.manual_seed(seed)
    return torch.nn.functional.normalize(torch.randn(len(NAMES), WIDTH), dim=-1)
