"""What the plan decoder learns from: memories of rows and of parts read alone, and the actions that follow. Needs PyTorch."""
import random
import unittest

import numpy as np

try:
    import torch
except ImportError:
    torch = None

if torch:
    from training.batches import END
    from training.train_plans import PlanItem, pick, situations

NEUTRAL, PAY, ALSO = 9, 30, 31


@unittest.skipIf(torch is None, "needs PyTorch")
class Picked(unittest.TestCase):
    def test_a_plan_is_learned_to_its_end(self):
        item = PlanItem("family", 1, [2, 3], [(0, 4)], [[PAY], [ALSO]], [], 1.0)
        for seed in range(20):
            (goal, parts, state, history), rest = pick(item, NEUTRAL, random.Random(seed))
            self.assertEqual((goal, history, rest), (1, [], [PAY, ALSO, END]))
            self.assertIn(parts, ([], [2, 3]))
            self.assertIn(state, (4, NEUTRAL))

    def test_of_a_part_read_alone_the_first_action_alone_is_learned(self):
        item = PlanItem("wish", 1, [2], [], [[PAY, ALSO]], [], 1.0)
        found = [pick(item, NEUTRAL, random.Random(seed)) for seed in range(40)]
        self.assertEqual({str(place) for place, _ in found}, {str((1, [], None, []))})
        self.assertEqual({tuple(rest) for _, rest in found}, {(PAY,), (ALSO,)})

    def test_a_sentence_that_asks_for_nothing_ends_at_once(self):
        item = PlanItem("wish", 1, [], [], [], [], 1.0)
        self.assertEqual(pick(item, NEUTRAL, random.Random(1)), ((1, [], None, []), [END]))


@unittest.skipIf(torch is None, "needs PyTorch")
class Memories(unittest.TestCase):
    def test_hold_goal_state_parts_and_unit_vectors_and_no_state_where_there_is_none(self):
        table = np.arange(1, 41, dtype=np.float32).reshape(10, 4)
        memory, mask = situations([(1, [2], 3, []), (1, [], None, [])], table, table)
        self.assertEqual(mask.sum(1).tolist(), [3, 1])
        self.assertEqual(mask[1, 0].item(), 1)
        lengths = memory.norm(dim=-1)
        self.assertTrue(torch.allclose(lengths, mask))


if __name__ == "__main__":
    unittest.main()
