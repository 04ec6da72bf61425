"""The text encoder: a BERT stack in plain PyTorch, mean-pooled to a unit vector, with the checkpoint's tensor names.

`encode_ids` runs length-bucketed groups, so a batch of mixed lengths wastes little on padding.
"""
import math

import torch
from torch import nn
from torch.nn import functional as F

from .weights import HEAD_WIDTH, LAYER_NORM_EPSILON, read_safetensors

# bfloat16 halves the time with AVX-512. Without, PyTorch emulates it: 35 times slower than float32 (AVX2, torch 1.13).
COMPUTE = torch.bfloat16 if "capability usage: AVX512" in torch.__config__.show() else torch.float32


def read_weights(path):
    """name -> tensor of a file of weights."""
    return {name: torch.from_numpy(values) for name, values in read_safetensors(path).items()}


def attend(query, key, value, hidden):
    """Written out: with PyTorch's flash attention a training step over such short texts takes 15 to 45 % longer (bfloat16, torch 2.13)."""
    return (query @ key.transpose(-1, -2) * (1 / math.sqrt(HEAD_WIDTH)) + hidden).softmax(-1) @ value


class Encoder(nn.Module):
    """Parameters keep the source's dotted names with '.' written as '/', since module names cannot hold dots."""

    def __init__(self, tensors, compute=COMPUTE, frozen_layers=2):
        super().__init__()
        self.compute = compute
        self.weights = nn.ParameterDict(
            {
                name.replace(".", "/"): nn.Parameter(tensor.clone())
                for name, tensor in tensors.items()
                if not name.startswith("pooler") and "position_ids" not in name
            }
        )
        # The word embeddings and the lowest layers are frozen: this saves a third of a step's time, and rare words would drift.
        for name, value in self.weights.items():
            if name.startswith("embeddings/") or any(name.startswith(f"encoder/layer/{layer}/") for layer in range(frozen_layers)):
                value.requires_grad_(False)
        self.width = tensors["embeddings.word_embeddings.weight"].shape[1]
        self.layers = 1 + max(int(name.split(".")[2]) for name in tensors if name.startswith("encoder.layer."))

    def tensors(self):
        return {name.replace("/", "."): value.detach().clone() for name, value in self.weights.items()}

    def _get(self, name):
        return self.weights[name.replace(".", "/")]

    def _linear(self, x, name):
        return F.linear(x, self._get(name + ".weight").to(self.compute), self._get(name + ".bias").to(self.compute))

    def _norm(self, x, name):
        weight, bias = self._get(name + ".weight").to(self.compute), self._get(name + ".bias").to(self.compute)
        return F.layer_norm(x, (self.width,), weight, bias, LAYER_NORM_EPSILON)

    def forward(self, ids, mask):
        count, length = ids.shape
        heads = self.width // HEAD_WIDTH
        place = self._get("embeddings.position_embeddings.weight")[:length] + self._get("embeddings.token_type_embeddings.weight")[0]
        x = (F.embedding(ids, self._get("embeddings.word_embeddings.weight")) + place).to(self.compute)
        x = self._norm(x, "embeddings.LayerNorm")
        hidden = ((1 - mask.to(self.compute)) * -1e4)[:, None, None, :]
        for layer in range(self.layers):
            at = f"encoder.layer.{layer}."
            query, key, value = (
                self._linear(x, f"{at}attention.self.{part}").view(count, length, heads, HEAD_WIDTH).transpose(1, 2)
                for part in ("query", "key", "value")
            )
            mixed = attend(query, key, value, hidden).transpose(1, 2).reshape(count, length, self.width)
            x = self._norm(x + self._linear(mixed, at + "attention.output.dense"), at + "attention.output.LayerNorm")
            inner = F.gelu(self._linear(x, at + "intermediate.dense"))
            x = self._norm(x + self._linear(inner, at + "output.dense"), at + "output.LayerNorm")
        total = (x.float() * mask[:, :, None]).sum(1)
        return F.normalize(total, dim=-1)


def pad(id_lists):
    length = max(map(len, id_lists))
    ids = torch.zeros(len(id_lists), length, dtype=torch.long)
    mask = torch.zeros(len(id_lists), length)
    for row, values in enumerate(id_lists):
        ids[row, : len(values)] = torch.tensor(values)
        mask[row, : len(values)] = 1
    return ids, mask


def encode_ids(encoder, id_lists, tokens_per_group=2048):
    """Unit vectors in the order given. A group holds texts of similar length, about tokens_per_group tokens in all."""
    order = sorted(range(len(id_lists)), key=lambda i: len(id_lists[i]))
    groups, group = [], []
    for index in order:
        if group and (len(group) + 1) * len(id_lists[index]) > tokens_per_group:
            groups.append(group)
            group = []
        group.append(index)
    groups.append(group)
    vectors = torch.cat([encoder(*pad([id_lists[i] for i in group])) for group in groups])
    place = torch.empty(len(order), dtype=torch.long)
    place[torch.tensor([i for group in groups for i in group])] = torch.arange(len(order))
    return vectors[place]
