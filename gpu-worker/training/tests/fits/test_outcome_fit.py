"""The fit of the probability that a sequence reaches its goal, and the rows that it is fitted on. Needs numpy alone."""
import pathlib
import tempfile
import unittest

import numpy as np

from training.fits import outcome_fit, outcome_rows
from training.plans import plan_rows

CHANCE = np.random.default_rng(5)


def sequences(set_name, similarity=0.5, count=120):
    """Right sequences fit their goal and are complete, first halves fit it, those of other rows do neither."""
    found = []
    for kind, fit, ended in (("right", 2.0, -0.5), ("half", 2.0, -4.0), ("other", -0.5, -2.0)):
        for _ in range(count):
            noise = CHANCE.normal(0, 0.5, 3)
            found.append({
                "set": set_name, "kind": kind, "likeness": 1.0 if kind == "right" else 0.1, "similarity": similarity,
                "fit": fit + noise[0], "covered": fit + noise[1], "ended": min(0, ended + noise[2]), "agreed": 0.0 if kind != "other" else -0.4,
                "recalled": 0.9 if kind == "right" else 0.2, "change": 25.0 if kind == "right" else 5.0, "chance": -1.0,
            })  # fmt: skip
    return found


class Fit(unittest.TestCase):
    def test_tells_right_sequences_from_half_ones_and_those_of_other_goals(self):
        for kind, similarity in (("unlike", 0.5), ("like", 0.9)):
            rows = sequences("one", similarity) + sequences("two", similarity)
            scores = outcome_fit.columns(rows, kind) @ outcome_fit.fit(rows, kind)
            right, half, other = (scores[[row["kind"] == name for row in rows]] for name in ("right", "half", "other"))
            self.assertGreater(np.quantile(right, 0.1), np.quantile(half, 0.9))
            self.assertGreater(np.quantile(right, 0.1), np.quantile(other, 0.9))
            self.assertGreater((right > 0).mean(), 0.9)
            share = outcome_fit.PASS[kind]
            self.assertTrue(0.8 * share <= (other > 0).mean() <= 1.2 * share, (other > 0).mean())

    def test_keeps_the_older_features_in_proportion(self):
        rows = sequences("one")
        weights = outcome_fit.tunables(outcome_fit.fit(rows, "unlike"), "unlike")
        self.assertEqual(set(weights), {"fit", "covered", "agreed", "ended", "shift"})
        self.assertAlmostEqual(weights["covered"] / weights["fit"], 0.935 / 0.901, places=2)
        self.assertGreater(weights["ended"], 0)

    def test_leaves_out_other_rows_whose_sequence_is_as_good_as_right(self):
        rows = sequences("one")
        twins = [{**row, "kind": "other", "likeness": 0.95} for row in rows if row["kind"] == "right"]
        np.testing.assert_array_equal(outcome_fit.fit(rows + twins, "unlike"), outcome_fit.fit(rows, "unlike"))

    def test_measures_each_set_by_a_fit_on_the_others(self):
        rows = sequences("one") + sequences("two")
        names = [name for name, _, figures in outcome_fit.left_out(rows, "unlike") if figures["right"] > 0.9]
        self.assertEqual(names, ["one", "two"])

    def test_lets_the_share_pass_with_sets_of_any_size_weighing_alike(self):
        scores = np.concatenate([np.linspace(0, 1, 1000), np.linspace(2, 3, 100)])
        names = ["large"] * 1000 + ["small"] * 100
        self.assertGreater(outcome_fit.threshold(scores, names, 0.25), 2)
        self.assertLess(outcome_fit.threshold(scores, names, 0.75), 1)


class Rows(unittest.TestCase):
    def test_stand_in_blocks_of_neighbours(self):
        rows = list(range(95))
        picked = outcome_rows.in_blocks(rows, 40)
        self.assertEqual(len(picked), 40)
        for begin in range(0, 40, outcome_rows.BLOCK):
            block = picked[begin : begin + outcome_rows.BLOCK]
            self.assertEqual(block, list(range(block[0], block[0] + outcome_rows.BLOCK)))
        self.assertEqual(outcome_rows.in_blocks(rows[:9], 40), [])

    def test_of_a_set_are_learned_by_neither_decoder_nor_library(self):
        for stem in outcome_rows.FROM:
            make = lambda: [{"source": stem, "goal": f"goal {at}", "actions": ["look", "leave"], "task": "click"} for at in range(9600)]
            caps = (plan_rows.CAPS, plan_rows.LIBRARY_CAPS) if stem != "multidogo_train" else (plan_rows.CAPS,)
            learned = {row.goal for by in caps for row in plan_rows.data_rows({stem: make()}, 7, by)}
            picked = {row["goal"] for row in outcome_rows.unlearned(stem, make(), 7)}
            self.assertEqual(len(picked), outcome_rows.MOST, stem)
            self.assertFalse(picked & learned, stem)

    def test_of_our_own_are_requests_for_several_things(self):
        with tempfile.TemporaryDirectory() as folder:
            lines = "request: Book a room / and mail Ana / by noon\nacts: book_hotel|book / send_email / -\nrequest: Call Ana\nacts: start_call\n"
            (pathlib.Path(folder) / "some.txt").write_text(lines)
            rows = outcome_rows.request_rows(pathlib.Path(folder), 7)
        self.assertEqual(rows, [{"goal": "Book a room and mail Ana by noon", "actions": ["book_hotel", "send_email"]}])


if __name__ == "__main__":
    unittest.main()
