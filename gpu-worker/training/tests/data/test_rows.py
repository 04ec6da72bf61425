"""Rows of the data sets, on the made-up ones."""
import unittest

from training.data.rows import is_held_out, sets_in
from training.machine.places import SAMPLE


class HeldOut(unittest.TestCase):
    def test_whole_tasks_are_held_out(self):
        rows = sets_in(SAMPLE / "train")["miniwob_demos"]
        by_task = {}
        for row in rows:
            by_task.setdefault(row["task"], set()).add(is_held_out(row))
        self.assertTrue(all(len(found) == 1 for found in by_task.values()))


if __name__ == "__main__":
    unittest.main()
