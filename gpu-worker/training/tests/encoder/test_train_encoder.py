"""The encoder's training: its loss, and that it goes on where it was interrupted. Needs PyTorch."""
import pathlib
import tempfile
import types
import unittest
from unittest import mock

try:
    import torch
except ImportError:
    raise unittest.SkipTest("PyTorch is not installed")

from training.encoder.pairs import Batches, Pair
from training.encoder.train_encoder import average, info_nce, train_encoder
from training.encoder.weights import write_safetensors
from training.tests.killed import Killed, stopping
from training.tests.made_up_bert import tiny_bert


class Loss(unittest.TestCase):
    def test_the_right_candidate_costs_least_and_the_excluded_nothing(self):
        queries = torch.eye(3)
        none = torch.zeros(3, 3, dtype=torch.bool)
        right, swapped = info_nce(queries, queries, torch.arange(3), none, 10), info_nce(queries, queries, torch.tensor([1, 2, 0]), none, 10)
        self.assertLess(right, swapped)
        excluded = ~torch.eye(3, dtype=torch.bool)
        self.assertAlmostEqual(float(info_nce(queries, queries, torch.arange(3), excluded, 10)), 0, places=5)


class Training(unittest.TestCase):
    def run_encoder(self, folder):
        source = folder / "source.safetensors"
        write_safetensors(source, tiny_bert())
        tokenizer = types.SimpleNamespace(encode=lambda text, window: [2, *(ord(letter) % 50 for letter in text), 3])
        pairs = {name: [Pair(f"{name} {at}", f"{at} {name}") for at in range(50)] for name in ("seal", "tldr", "sgd", "star", "n8n")}
        return train_encoder(source, tokenizer, pairs, folder, 6, 1, say=lambda line: None)

    def test_an_encoder_that_was_interrupted_ends_with_the_same_weights(self):
        def drawn(batches, seed):
            return types.SimpleNamespace(next=stopping(batch_by_batch, 3)(batches, seed).__next__)

        def batch_by_batch(pairs, seed):
            found = Batches(pairs, seed)
            while True:
                yield found.next()

        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two, mock.patch("training.encoder.train_encoder.STORE_EVERY", 2):
            with mock.patch("training.encoder.train_encoder.Batches", drawn), self.assertRaises(Killed):
                self.run_encoder(pathlib.Path(one))
            resumed, straight = self.run_encoder(pathlib.Path(one)), self.run_encoder(pathlib.Path(two))
            for name, tensor in straight.items():
                self.assertTrue(torch.equal(resumed[name], tensor), name)

    def test_averaging_lies_between(self):
        mixed = average({"a": torch.zeros(2)}, {"a": torch.ones(2)}, 0.25)
        self.assertTrue(torch.equal(mixed["a"], torch.full((2,), 0.25)))


if __name__ == "__main__":
    unittest.main()
