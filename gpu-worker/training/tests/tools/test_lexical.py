"""Word features of a goal against a list of tools. Needs numpy alone."""
import os
import subprocess
import sys
import unittest

import numpy as np

from training.machine.places import TRAINING
from training.tools.lexical import read_tool, tool_features


class Words(unittest.TestCase):
    tools = [read_tool("find_ferry", "Look up ferries"), read_tool("rent_bicycle", "Rent a bicycle for hours")]

    def test_the_tool_that_shares_rare_words_wins(self):
        bm25, named, _ = tool_features("Two hours on a bicycle", self.tools)
        self.assertGreater(bm25[1], bm25[0])
        self.assertGreater(named[1], named[0])

    def test_nothing_shared_is_zero(self):
        bm25, named, _ = tool_features("zebra", self.tools)
        self.assertEqual((bm25, named), ([0, 0], [0, 0]))

    def test_order_of_the_tools_changes_nothing(self):
        forward, backward = tool_features("find a bicycle", self.tools), tool_features("find a bicycle", self.tools[::-1])
        self.assertEqual(forward[0], backward[0][::-1])
        np.testing.assert_allclose(forward[2], backward[2])

    def test_the_last_bits_do_not_depend_on_the_process(self):
        code = """
from training.tools.lexical import read_tool, tool_features
words = "red lamp table chair glass river stone cloud bread apple green horse".split()
tools = [read_tool("_".join(words[at:] + words[:at // 2]), " ".join(words[: at + 4] * (at + 1))) for at in range(8)]
print(tool_features(" ".join(words), tools))
"""
        told = {
            subprocess.run([sys.executable, "-c", code], cwd=TRAINING.parent, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
            for seed in "123456"
        }
        self.assertEqual(len(told), 1)


if __name__ == "__main__":
    unittest.main()
