"""What the plan decoder learns from: memories of rows, and the actions that follow. Needs PyTorch."""
import random
import unittest

import numpy as np

try:
    import torch
except ImportError:
    torch = None

if torch:
    from training.actions.ids import END
    from training.plans.train_plans import PlanItem, pick, situations

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

    def test_one_of_equally_right_actions_is_learned_mostly_the_usual_one(self):
        item = PlanItem("request", 1, [2], [(0, 4)], [[PAY, ALSO]], [], 1.0)
        found = [pick(item, NEUTRAL, random.Random(seed))[1][0] for seed in range(200)]
        self.assertEqual(set(found), {PAY, ALSO})
        self.assertGreater(found.count(PAY), 120)


@unittest.skipIf(torch is None, "needs PyTorch")
class Memories(unittest.TestCase):
    def test_hold_goal_state_and_parts_as_unit_vectors(self):
        table = np.arange(1, 41, dtype=np.float32).reshape(10, 4)
        memory, mask = situations([(1, [2], 3, []), (1, [], 3, [])], table, table)
        self.assertEqual(mask.sum(1).tolist(), [3, 2])
        self.assertEqual(mask[1, 0].item(), 1)
        lengths = memory.norm(dim=-1)
        self.assertTrue(torch.allclose(lengths, mask))


if __name__ == "__main__":
    unittest.main()
