"""The check of the exported encoder, on a made-up stack. Skipped without onnx or onnxruntime."""
import unittest

import numpy as np

try:
    import onnx  # noqa: F401
    import onnxruntime  # noqa: F401
except ImportError:
    raise unittest.SkipTest("onnx or onnxruntime is not installed")

from training.encoder.check_encoder import check
from training.encoder.export_encoder import build

WIDTH, WORDS, PLACES = 64, 50, 32
ID_LISTS = [[2, 7, 3], [2, 9, 3], [2, *range(10, 30), 3]]


def stack(seed=0):
    chance = np.random.RandomState(seed)
    shapes = {"embeddings.word_embeddings.weight": (WORDS, WIDTH), "embeddings.position_embeddings.weight": (PLACES, WIDTH), "embeddings.token_type_embeddings.weight": (2, WIDTH)}
    for part in ("embeddings.LayerNorm", "encoder.layer.0.attention.output.LayerNorm", "encoder.layer.0.output.LayerNorm"):
        shapes |= {part + ".weight": (WIDTH,), part + ".bias": (WIDTH,)}
    layers = [(f"attention.self.{part}", WIDTH, WIDTH) for part in ("query", "key", "value")]
    for part, out, into in (*layers, ("attention.output.dense", WIDTH, WIDTH), ("intermediate.dense", 128, WIDTH), ("output.dense", WIDTH, 128)):
        shapes |= {f"encoder.layer.0.{part}.weight": (out, into), f"encoder.layer.0.{part}.bias": (out,)}
    return {name: (chance.randn(*shape) * 0.2).astype(np.float32) for name, shape in shapes.items()}


class Checking(unittest.TestCase):
    def test_passes_the_same_weights_as_int8(self):
        self.assertGreater(check(build(stack(), True, PLACES), build(stack(), False, PLACES), ID_LISTS), 0.99)

    def test_ends_the_export_where_the_graph_is_another_one(self):
        with self.assertRaisesRegex(SystemExit, "cosine"):
            check(build(stack(1), True, PLACES), build(stack(), False, PLACES), ID_LISTS)


if __name__ == "__main__":
    unittest.main()
