"""The guard against collapse. Needs PyTorch."""
import unittest

try:
    import torch
except ImportError:
    raise unittest.SkipTest("PyTorch is not installed")

from training.heads.losses import isotropy


class Spread(unittest.TestCase):
    def test_collapse_costs(self):
        spread = torch.randn(512, 8)
        worse = {"a point": torch.zeros(512, 8), "a line": spread[:, :1].expand(-1, 8), "off the middle": spread + 1, "grown": spread * 5}
        for name, vectors in worse.items():
            self.assertGreater(float(isotropy(vectors)), 0.5 + float(isotropy(spread)), name)


if __name__ == "__main__":
    unittest.main()
