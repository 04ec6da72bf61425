"""Weights in steps of int8 whose products are the same on every processor."""
import unittest

import numpy as np

from training.export.int8_columns import MOST_OF_A_PAIR, quantise_columns


def pair_sums(steps):
    paired = len(steps) // 2 * 2
    return np.abs(steps[:paired].astype(int)).reshape(-1, 2, steps.shape[1]).sum(axis=1)


def saturating(rows, steps):
    """The product as a processor without VNNI makes it: each pair's sum is cut off at 16 bits."""
    found = np.zeros((len(rows), steps.shape[1]), np.int64)
    for at in range(0, len(steps), 2):
        pair = rows[:, at : at + 2].astype(np.int64) @ steps[at : at + 2].astype(np.int64)
        found += np.clip(pair, -32768, 32767)
    return found


def weights(chance, inputs, outputs, kind):
    values = chance.randn(inputs, outputs)
    if kind == "outliers":
        values *= chance.lognormal(0, 2, (inputs, outputs))
    if kind == "flat":
        values = np.sign(values)
    return (values * 0.05).astype(np.float32)


class Columns(unittest.TestCase):
    def setUp(self):
        self.chance = np.random.RandomState(3)

    def all(self):
        for kind in ("normal", "outliers", "flat"):
            for inputs, outputs in ((384, 64), (8, 3), (7, 5), (2, 1)):
                yield weights(self.chance, inputs, outputs, kind)

    def test_no_pair_of_steps_passes_the_bound(self):
        for weight in self.all():
            steps, scale = quantise_columns(weight)
            self.assertEqual((steps.dtype, scale.dtype, steps.shape, scale.shape), (np.int8, np.float32, weight.shape, weight.shape[1:]))
            self.assertLessEqual(pair_sums(steps).max(), MOST_OF_A_PAIR)
            self.assertLessEqual(np.abs(steps.astype(int)).max(), 127)

    def test_every_weight_is_within_a_step_and_most_within_half(self):
        for weight in self.all():
            steps, scale = quantise_columns(weight)
            off = np.abs(steps * scale - weight) / scale
            self.assertLessEqual(off.max(), 1.001)
            self.assertGreaterEqual((off <= 0.501).mean(), 0.9)

    def test_products_are_exact_where_sums_of_pairs_are_cut_off(self):
        rows = np.concatenate([self.chance.randint(0, 256, (20, 384)), np.full((1, 384), 255), np.zeros((1, 384), int)])
        for kind in ("normal", "outliers", "flat"):
            steps, _ = quantise_columns(weights(self.chance, 384, 64, kind))
            self.assertTrue((saturating(rows, steps) == rows @ steps.astype(np.int64)).all(), kind)

    def test_the_usual_range_of_127_would_be_cut_off(self):
        rows, steps = np.full((1, 2), 255), np.full((2, 1), 127)
        self.assertNotEqual(saturating(rows, steps)[0, 0], (rows @ steps)[0, 0])

    def test_a_column_of_zeros_stays_zero(self):
        steps, scale = quantise_columns(np.zeros((4, 2), np.float32))
        self.assertTrue((steps == 0).all() and np.isfinite(scale).all())


if __name__ == "__main__":
    unittest.main()
