"""The heads that a training begins with. Needs PyTorch."""
import types
import unittest

try:
    import torch
except ImportError:
    raise unittest.SkipTest("PyTorch is not installed")

from training.stages.heads import new_heads
from training.tests.made_up_heads import glosses


class Beginning(unittest.TestCase):
    def test_heads_begin_the_same_whatever_was_drawn_before(self):
        options = types.SimpleNamespace(seed=3, size="base")
        first = new_heads(options, glosses().numpy())
        torch.rand(100)
        second = new_heads(options, glosses().numpy())
        self.assertTrue(all(torch.equal(left, right) for left, right in zip(first.parameters(), second.parameters())))


if __name__ == "__main__":
    unittest.main()
