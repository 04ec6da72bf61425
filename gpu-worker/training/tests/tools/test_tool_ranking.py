"""Scores of tools, with an untrained mixer. Needs PyTorch."""
import unittest

try:
    import torch
except ImportError:
    raise unittest.SkipTest("PyTorch is not installed")

from training.tools.tool_ranking import Choice, Mixer, scores


class Choosing(unittest.TestCase):
    def test_every_tool_and_none_have_a_score(self):
        tools = [{"name": "find_ferry", "description": "Look up ferries"}, {"name": "rent_bicycle", "description": ""}]
        vectors = torch.eye(2, 32).numpy()
        choice = Choice("a ferry", tools, vectors[:1], vectors, vectors[0], [0])
        found = scores(Mixer(), choice.features, choice.listed)
        self.assertEqual(found.shape, (3,))
        self.assertGreater(found[0], found[1])


if __name__ == "__main__":
    unittest.main()
