"""Targets for the magnitude. Needs numpy alone."""
import unittest

import numpy as np

from training.heads.magnitudes import MAGNITUDES, targets


class Magnitudes(unittest.TestCase):
    def test_magnitude_bands_hold_their_shares(self):
        found = targets(np.random.RandomState(0).rand(2000))
        self.assertAlmostEqual(float((found < 10).mean()), 0.15, delta=0.01)
        self.assertAlmostEqual(float((found < 15).mean()), 0.55, delta=0.01)
        self.assertTrue(MAGNITUDES[0] <= found.min() and found.max() <= MAGNITUDES[-1])


if __name__ == "__main__":
    unittest.main()
