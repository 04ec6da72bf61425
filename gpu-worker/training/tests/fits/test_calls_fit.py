"""The fit of the probability that a first plan calls a tool. Needs numpy alone."""
import unittest

import numpy as np

from training.fits import calls_fit

CHANCE = np.random.default_rng(3)


def requests(box, count=150, tools=6):
    """Tools are called by the sum of what both readers say of them; `leads` and `planned` say nothing."""
    found = []
    for _ in range(count):
        evidence = [dict(zip(calls_fit.NAMES, CHANCE.normal(0, 2, 5))) for _ in range(tools)]
        chances = [calls_fit.sigmoid(one["part"] + 0.5 * one["reader"] - 1) for one in evidence]
        calls = [place for place, chance in enumerate(chances) if CHANCE.random() < chance]
        found.append({"set": "made-up", "box": box, "calls": calls, "evidence": evidence})
    return found


class Fit(unittest.TestCase):
    def setUp(self):
        self.rows = [row for box in "abcd" for row in requests(box)]

    def test_finds_the_weights_that_made_the_calls(self):
        found = dict(zip((*calls_fit.NAMES, "shift"), calls_fit.fit(self.rows)))
        for name, weight in {"part": 1, "reader": 0.5, "leads": 0, "planned": 0, "none": 0, "shift": -1}.items():
            self.assertAlmostEqual(found[name], weight, delta=0.15)

    def test_is_calibrated_on_tool_boxes_left_out(self):
        figures = calls_fit.left_out(self.rows)
        self.assertLess(figures["calibration"], 0.03)
        self.assertLess(figures["nats"], 0.5)

    def test_an_overconfident_forecast_is_told_from_a_calibrated_one(self):
        right = np.array([1.0] * 6 + [0.0] * 4)
        self.assertAlmostEqual(calls_fit.calibration(np.full(10, 0.6), right), 0)
        self.assertAlmostEqual(calls_fit.calibration(np.full(10, 0.95), right), 0.35)


if __name__ == "__main__":
    unittest.main()
