"""The parts of goals, and that the recorded cases of the server's test are still what this rule says."""
import json
import unittest

from training.tests.twin_cases import PATH, told_goals
from training.texts.goal_parts import goal_parts


class Parts(unittest.TestCase):
    def test_a_goal_of_one_part_has_none(self):
        for goal in ("", "  ", "Book a flight", "Find salt and pepper", "Thanks"):
            self.assertEqual(goal_parts(goal), [], goal)

    def test_cuts_at_sentences_sequels_and_joints(self):
        for goal, parts in {
            "Log in to the site, then update my name": ["Log in to the site", "update my name"],
            "Find Anna's number. After that, send her a text!": ["Find Anna's number.", "send her a text!"],
            "Buy some milk today; pay with my card": ["Buy some milk today", "pay with my card"],
        }.items():
            self.assertEqual(goal_parts(goal), parts)

    def test_of_many_parts_the_first_and_the_last_four_are_kept(self):
        found = goal_parts(" ".join(f"Do thing number {place}." for place in range(20)))
        self.assertEqual([int(part[16:-1]) for part in found], [0, 1, 2, 3, 16, 17, 18, 19])

    def test_every_part_stands_in_the_goal(self):
        for told in told_goals():
            for part in told["parts"]:
                self.assertIn(part, told["goal"])

    def test_recorded_cases_are_what_the_rule_says(self):
        self.assertEqual(json.loads(PATH.read_text())["goals"], told_goals(), "python3 -m training.tests.twin_cases writes them again")


if __name__ == "__main__":
    unittest.main()
