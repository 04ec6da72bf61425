"""Rows of whole plans, on the sample data and on families made up here."""
import unittest

from training.data.authored import Family, read_families
from training.data.rows import sets_in
from training.machine.places import SAMPLE
from training.plans.composed_rows import COMPOSED, composed_rows
from training.plans.plan_rows import CAPS, LONGEST_PLAN, PlanRow, data_rows, family_rows, request_rows

ROWS = SAMPLE / "train"
GO = Family(
    "trips", "go", goals=[*(f"Go to {{town}}, wording {at}" for at in range(4)), "Take me away, wording 4"],
    states=[(0, "At home in {town}"), (1, "On the way")], plans=[[["search", "find"], ["book_flight"], ["pay"]]], slots={"town": ["Rome", "Oslo"]},
)  # fmt: skip


class DataRows(unittest.TestCase):
    def setUp(self):
        self.sets = sets_in(ROWS)
        self.rows = data_rows(self.sets, 7)

    def test_come_from_the_capped_sets_and_are_the_same_for_the_same_seed(self):
        self.assertTrue(self.rows)
        self.assertTrue({row.source for row in self.rows} <= set(CAPS))
        self.assertEqual(self.rows, data_rows(self.sets, 7))

    def test_hold_plans_of_twelve_steps_at_most_and_begin_before_the_first(self):
        for row in self.rows:
            self.assertTrue(1 <= len(row.actions) <= LONGEST_PLAN)
            self.assertEqual(row.states[0][0], 0)
            self.assertTrue(all(0 < done < len(row.actions) for done, _ in row.states[1:]))
            self.assertTrue(all(text for _, text in row.states))
            self.assertTrue(row.goal)


class FamilyRows(unittest.TestCase):
    def test_fill_every_wording_and_keep_equally_right_steps(self):
        rows = family_rows(7, [GO])
        self.assertEqual(rows, family_rows(7, [GO]))
        self.assertEqual({row.source for row in rows}, {"family:trips"})
        self.assertEqual({row.goal.split("wording ")[1] for row in rows}, set("01234"))
        for row in rows:
            self.assertNotIn("{", row.goal + row.states[0][1])

    def test_what_is_done_already_is_no_more_part_of_the_plan(self):
        middles = [row for seed in range(20) for row in family_rows(seed, [GO]) if row.states[0][1] == "On the way"]
        self.assertTrue(middles)
        for row in middles:
            self.assertEqual(row.actions, GO.plans[0][1:])
            self.assertIn(row.history, ((), ("search",)))
        self.assertEqual({row.history for row in middles}, {(), ("search",)})

    def test_of_all_families_are_plans_of_two_steps_or_more_unless_begun(self):
        for row in family_rows(7, read_families()):
            self.assertIsInstance(row, PlanRow)
            self.assertTrue(1 <= len(row.actions) <= 9)


class RequestRows(unittest.TestCase):
    requests = [[("We are six.", []), ("Settle the bill", ["pay", "pay_invoice"]), ("and tell Anna", ["send_message"])], [("Book it", ["book"])]]

    def test_are_whole_goals_whose_steps_are_what_their_parts_ask_for_in_order(self):
        rows = request_rows(7, self.requests)
        self.assertEqual(rows, request_rows(7, self.requests))
        self.assertEqual(
            [(row.goal, row.actions) for row in rows],
            [("We are six. Settle the bill and tell Anna", [["pay", "pay_invoice"], ["send_message"]]), ("Book it", [["book"]])],
        )

    def test_begin_before_the_first_step_often_in_the_middle_of_a_chat(self):
        states = [row.states for seed in range(20) for row in request_rows(seed, self.requests)]
        self.assertTrue(all(len(seen) == 1 and seen[0][0] == 0 and seen[0][1] for seen in states))
        self.assertGreater(len({seen[0][1] for seen in states}), 5)


class ComposedRows(unittest.TestCase):
    sets = {"clinc150_train": [{"goal": goal, "actions": [name]} for goal, name in (("play some music", "play_music"), ("book a flight to Oslo", "book_flight"), ("The weather over there", "get_weather"))]}
    family = Family("a", "b", goals=["Find a red lamp in the shop, then send the bill to Anna"], plans=[[["search"], ["send_email", "email"]]])

    def test_put_one_to_five_wishes_into_one_goal_in_the_order_of_their_steps(self):
        rows = composed_rows(self.sets, 7, [self.family], [])
        self.assertEqual(len(rows), COMPOSED)
        self.assertEqual(rows, composed_rows(self.sets, 7, [self.family], []))
        known = {"find a red lamp": "search", "send the bill": "send_email", "play some music": "play_music", "book a flight": "book_flight"}
        for row in rows[:500]:
            self.assertTrue(1 <= len(row.actions) <= 5)
            places = sorted((at, name) for text, name in known.items() for at in range(len(row.goal)) if row.goal.lower().startswith(text, at))
            self.assertEqual([name for _, name in places], [step[0] for step in row.actions], row.goal)

    def test_hold_wishes_and_between_them_sentences_that_are_no_step(self):
        rows = composed_rows(self.sets, 7, [self.family], [("Settle the bill", ["pay", "pay_invoice"]), ("We are six", [])])
        paid = [row for row in rows if ["pay", "pay_invoice"] in row.actions]
        self.assertGreater(len(paid), COMPOSED / 4)
        self.assertTrue(all("ettle the bill" in row.goal for row in paid))
        told = [row for row in rows if "e are six" in row.goal]
        self.assertGreater(len(told), COMPOSED / 10)
        for row in told:
            self.assertTrue(1 <= len(row.actions) <= 5)

    def test_are_none_where_there_is_nothing_to_put_together(self):
        self.assertEqual(composed_rows({}, 7, [], []), [])
        self.assertEqual(composed_rows({}, 7, [], [("We are six", [])]), [])


if __name__ == "__main__":
    unittest.main()
