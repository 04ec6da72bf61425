"""An encoder of random weights, with the tensor names of the package that training begins with."""
import torch

PARTS = ("attention.output", "output")


def made_up_bert(words, width, inner, layers, positions):
    torch.manual_seed(1)
    shapes = {f"embeddings.{name}_embeddings.weight": (rows, width) for name, rows in (("word", words), ("position", positions), ("token_type", 2))}
    linear = {f"attention.self.{part}": (width, width) for part in ("query", "key", "value")}
    linear |= {"attention.output.dense": (width, width), "intermediate.dense": (inner, width), "output.dense": (width, inner)}
    for at in range(layers):
        for name, shape in linear.items():
            shapes |= {f"encoder.layer.{at}.{name}.weight": shape, f"encoder.layer.{at}.{name}.bias": shape[:1]}
    tensors = {name: torch.randn(shape) * 0.2 for name, shape in shapes.items()}
    for place in ("embeddings", *(f"encoder.layer.{at}.{part}" for at in range(layers) for part in PARTS)):
        tensors |= {f"{place}.LayerNorm.weight": torch.ones(width), f"{place}.LayerNorm.bias": torch.zeros(width)}
    return tensors


def tiny_bert():
    return made_up_bert(words=50, width=64, inner=128, layers=3, positions=16)
