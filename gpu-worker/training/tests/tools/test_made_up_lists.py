"""Made-up lists of tools. Needs nothing but Python."""
import os
import subprocess
import sys
import unittest

from training.machine.places import TRAINING


class Lists(unittest.TestCase):
    def test_made_up_lists_do_not_depend_on_the_process(self):
        code = """
from training.tools.made_up_lists import train_lists
tools = [{"name": name, "description": name} for name in "abcdefghij"]
rows = [{"goal": f"goal {n}", "domain": "one", "tools": tools, "actions": ["a", "b", "c", "d"]} for n in range(40)]
print(train_lists({"traject_bench": rows}, 7))
"""
        told = {subprocess.run([sys.executable, "-c", code], cwd=TRAINING.parent, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout for seed in "123"}
        self.assertEqual(len(told), 1)


if __name__ == "__main__":
    unittest.main()
