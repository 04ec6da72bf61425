"""Figures on made-up numbers. Needs numpy alone."""
import unittest

import numpy as np

from training.evaluation.measures import auroc, calibration_error, effective_rank, mean_cosine, ndcg, spearman


class Figures(unittest.TestCase):
    def test_auroc_of_apart_equal_and_swapped(self):
        high, low = np.array([2.0, 3]), np.array([0.0, 1])
        self.assertEqual([auroc(high, low), auroc(low, low), auroc(low, high)], [1, 0.5, 0])

    def test_calibration_error_is_the_distance_of_claim_and_truth(self):
        self.assertAlmostEqual(calibration_error(np.full(10, 0.9), np.r_[np.ones(5), np.zeros(5)]), 0.4)

    def test_ranks(self):
        self.assertAlmostEqual(spearman(np.arange(9.0), np.arange(9.0) ** 3), 1)
        self.assertEqual(ndcg(np.array([3.0, 2, 1]), {0}), 1)
        self.assertLess(ndcg(np.array([1.0, 2, 3]), {0}), 1)

    def test_collapse_shows(self):
        spread = np.random.RandomState(0).randn(200, 32)
        flat = np.ones((200, 32)) + 1e-3 * spread[:, :1]
        self.assertGreater(effective_rank(spread), 25)
        self.assertLess(effective_rank(flat), 2)
        self.assertGreater(mean_cosine(flat), 0.99)


if __name__ == "__main__":
    unittest.main()
