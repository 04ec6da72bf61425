"""Weights as int8 steps whose integer products are the same on every processor. Needs numpy alone."""
import numpy as np

# Without VNNI a processor multiplies bytes in pairs and keeps each pair's sum in 16 bits, where it is cut off at 32,767.
# An input byte is at most 255, so a sum is exact while the two weights' magnitudes add up to 128 at most.
MOST_OF_A_PAIR = 128


def quantise_columns(weight):
    """weight [in, out] -> (int8 steps, float32 scale per output column) whose products are the same on every processor.

    Rows 2i and 2i + 1 are the pairs. The scale follows the largest pair of the column: steps are about a third
    larger than at 127 for the largest weight (halving every weight's range, the usual remedy, makes them twice as large)."""
    paired = len(weight) // 2 * 2

    def sums(values):
        return np.abs(values[:paired]).reshape(-1, 2, values.shape[1]).sum(axis=1)

    scale = np.maximum(np.maximum(sums(weight).max(axis=0) / MOST_OF_A_PAIR, np.abs(weight).max(axis=0) / 127), 1e-8)
    exact = weight / scale
    steps = np.round(exact)
    # Two weights that were both rounded up may exceed the limit by one step: the one that was rounded up more is reduced.
    for pair, column in zip(*np.nonzero(sums(steps) > MOST_OF_A_PAIR)):
        rows = [2 * pair, 2 * pair + 1]
        row = max(rows, key=lambda one: abs(steps[one, column]) - abs(exact[one, column]))
        steps[row, column] -= np.sign(steps[row, column])
    return steps.astype(np.int8), scale.astype(np.float32)
