"""The heads' training: the same weights for the same seed, interrupted or not. Needs PyTorch."""
import pathlib
import tempfile
import unittest
from unittest import mock

import numpy as np

try:
    import torch
except ImportError:
    raise unittest.SkipTest("PyTorch is not installed")

from training.heads.batches import batches
from training.heads.episodes import Episode
from training.heads.heads import Heads
from training.heads.train_heads import train_heads
from training.tests.killed import Killed, stopping
from training.tests.made_up_heads import NAMES, WIDTH, glosses


def episodes(count=60):
    chance = np.random.RandomState(0)
    found = []
    for row in range(count):
        steps = chance.randint(2, 6)
        found.append(Episode("one", chance.randint(200), chance.randint(0, 200, steps + 1), chance.randint(4, 12, steps), chance.randint(0, 200, steps), np.ones(steps, bool), chance.randint(0, 200, steps)))
    return found


class Training(unittest.TestCase):
    def run_heads(self, folder, steps):
        table = np.random.RandomState(2).randn(200, WIDTH).astype(np.float16)
        heads = Heads(glosses(), 64)
        wanted = (np.arange(100), np.linspace(8, 22, 100).astype(np.float32))
        lines = []
        train_heads(heads, episodes(), table, wanted, NAMES, folder, steps, 1, say=lines.append)
        return heads, lines


    def test_a_run_that_was_interrupted_ends_with_the_same_weights(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two, mock.patch("training.heads.train_heads.STORE_EVERY", 2):
            with mock.patch("training.heads.train_heads.batches", stopping(batches, 3)), self.assertRaises(Killed):
                self.run_heads(pathlib.Path(one), 6)
            resumed, lines = self.run_heads(pathlib.Path(one), 6)
            straight, _ = self.run_heads(pathlib.Path(two), 6)
            self.assertIn("resumed at step 2", lines[0])
            for left, right in zip(resumed.parameters(), straight.parameters()):
                self.assertTrue(torch.equal(left, right))


    def test_a_run_resumes_and_equal_seeds_agree(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            first, _ = self.run_heads(pathlib.Path(one), 3)
            second, _ = self.run_heads(pathlib.Path(two), 3)
            for left, right in zip(first.parameters(), second.parameters()):
                self.assertTrue(torch.equal(left, right))
            _, lines = self.run_heads(pathlib.Path(one), 4)
            self.assertIn("resumed at step 3", lines[0])


if __name__ == "__main__":
    unittest.main()
