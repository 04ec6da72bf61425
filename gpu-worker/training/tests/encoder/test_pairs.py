"""Pairs of goal and tool, on the made-up rows."""
import unittest

from training.data.rows import sets_in
from training.encoder.pairs import Batches, build_pairs
from training.machine.places import SAMPLE


class Pairs(unittest.TestCase):
    def test_a_right_tool_is_never_a_negative_of_its_goal(self):
        pairs = build_pairs(sets_in(SAMPLE / "train"))
        self.assertTrue({"seal", "sgd", "metatool", "catalog"} <= set(pairs))
        for pair in pairs["seal"] + pairs["sgd"]:
            self.assertNotIn(pair.positive, pair.negatives)

    def test_batches_of_one_seed_are_the_same(self):
        first, second = (Batches(build_pairs(sets_in(SAMPLE / "train")), 5, size=12) for _ in range(2))
        for _ in range(5):
            self.assertEqual(first.next(), second.next())


if __name__ == "__main__":
    unittest.main()
