"""The goal families and sessions of our own: all valid, as many as the card says, and the reader that checks them."""
import json
import pathlib
import random
import tempfile
import unittest
from collections import Counter

from training.data.authored import Family, Session, fill, read_families, read_requests, read_sessions, read_wishes
from training.data.check_authored import mistakes_of_family, mistakes_of_requests, mistakes_of_session, mistakes_of_wishes
from training.machine.places import ACTIONS, AUTHORED

FAMILIES = read_families()
TOOLSETS, SESSIONS = read_sessions()
NAMES = {action["name"] for action in json.loads(ACTIONS.read_text())}


def written(folder, text):
    path = pathlib.Path(tempfile.mkdtemp()) / folder
    path.mkdir()
    (path / "own.txt").write_text(text)
    return path


class Families(unittest.TestCase):
    def test_are_at_least_500_over_20_areas_in_five_wordings_each(self):
        self.assertGreaterEqual(len(FAMILIES), 500)
        self.assertGreaterEqual(len({family.area for family in FAMILIES}), 20)
        for family in FAMILIES:
            self.assertGreaterEqual(len(set(family.goals)), 5, family.name)

    def test_hold_no_mistake_and_no_name_twice(self):
        self.assertEqual([text for family in FAMILIES for text in mistakes_of_family(family, NAMES)], [])
        names = [(family.area, family.name) for family in FAMILIES]
        self.assertEqual(len(set(names)), len(names))

    def test_plan_two_to_nine_steps_of_the_903(self):
        for family in FAMILIES:
            for plan in family.plans:
                self.assertTrue(2 <= len(plan) <= 9, family.name)
                self.assertTrue({name for step in plan for name in step} <= NAMES, family.name)

    def test_are_filled_in_without_a_slot_left(self):
        chance = random.Random(1)
        for family in FAMILIES:
            for text in [*family.goals, *(text for _, text in family.states)]:
                self.assertNotRegex(fill(text, family.slots, chance), r"\{[a-z_0-9]+\}")

    def test_mistakes_are_told(self):
        wrong = Family("area", "name", goals=["go to {town}"] * 5, plans=[[["search"]], [["search"], ["no_such_action"]]])
        told = " ".join(mistakes_of_family(wrong, NAMES))
        for word in ("1 wordings", "1 steps", "no action no_such_action", "no slot town"):
            self.assertIn(word, told)


class Wishes(unittest.TestCase):
    def test_hold_no_mistake_and_ask_for_hundreds_of_actions_in_many_wordings(self):
        wishes = read_wishes()
        left_out = read_wishes(AUTHORED / "wishes-left-out")
        self.assertEqual(list(mistakes_of_wishes(wishes + left_out, NAMES)), [])
        wordings = Counter(names[0] for _, names in wishes if names)
        self.assertGreaterEqual(len(wordings), 700)
        self.assertGreaterEqual(sum(wordings.values()) / len(wordings), 20)
        self.assertGreaterEqual(sum(not names for _, names in wishes), 500)

    def test_are_read_with_their_equally_right_actions_and_sentences_that_ask_for_nothing_without(self):
        folder = written("wishes", "action: track_order|track\nwish: Where is my parcel?\nwish: and see how far it is\ntell: We are six\naction: pay\nwish: settle it\n")
        track = ["track_order", "track"]
        self.assertEqual(read_wishes(folder), [("Where is my parcel?", track), ("and see how far it is", track), ("We are six", []), ("settle it", ["pay"])])

    def test_mistakes_are_told(self):
        told = " ".join(mistakes_of_wishes([("Pay it", ["pay", "no_such_action"]), ("pay it", ["pay"])], NAMES))
        for words in ("no action no_such_action", "'pay it' stands twice"):
            self.assertIn(words, told)
        for text in ("wish: Pay it\n", "action: pay\nwant: Pay it\n"):
            with self.assertRaises(ValueError):
                read_wishes(written("wishes", text))


class Requests(unittest.TestCase):
    def test_hold_no_mistake_and_ask_for_hundreds_of_actions_in_one_to_five_parts(self):
        requests = read_requests()
        self.assertEqual(list(mistakes_of_requests(requests, NAMES)), [])
        self.assertGreaterEqual(len(requests), 1500)
        self.assertGreaterEqual(len({names[0] for parts in requests for _, names in parts if names}), 600)
        self.assertEqual({sum(bool(names) for _, names in parts) for parts in requests}, {1, 2, 3, 4, 5})

    def test_are_read_as_parts_with_the_actions_each_asks_for(self):
        folder = written("requests", "# a note\nrequest: We are six. / Book a table / and tell Anna\nacts: - / book_restaurant|book / send_message\n")
        self.assertEqual(read_requests(folder), [[("We are six.", []), ("Book a table", ["book_restaurant", "book"]), ("and tell Anna", ["send_message"])]])

    def test_mistakes_are_told(self):
        told = " ".join(mistakes_of_requests([[("Pay", ["no_such_action"])], [("pay", ["pay"])], [("We are six", [])]], NAMES))
        for words in ("no action no_such_action", "'pay' stands twice", "'We are six' asks for nothing"):
            self.assertIn(words, told)
        for text in ("request: Pay / and go\nacts: pay\n", "acts: pay\n", "request: Pay\nrequest: Go\n"):
            with self.assertRaises(ValueError):
                read_requests(written("requests", text))


class Sessions(unittest.TestCase):
    def test_are_at_least_400_over_60_toolsets(self):
        self.assertGreaterEqual(len(SESSIONS), 400)
        self.assertGreaterEqual(len(TOOLSETS), 60)
        self.assertGreaterEqual(len({session.toolset for session in SESSIONS}), 60)

    def test_hold_no_mistake(self):
        self.assertEqual([text for session in SESSIONS for text in mistakes_of_session(session, TOOLSETS)], [])

    def test_hold_failures_follow_ups_and_every_ending(self):
        events = [event for session in SESSIONS for event in session.events]
        for kind in ("answer", "ask", "decline"):
            self.assertTrue(any(event[0] == kind for event in events), kind)
        self.assertTrue(any(event[0] == "result" and event[2] for event in events))
        self.assertTrue(any(sum(event[0] == "user" for event in session.events) > 1 for session in SESSIONS))

    def test_tools_of_a_set_have_names_of_their_own(self):
        for name, tools in TOOLSETS.items():
            self.assertEqual(len({tool["name"] for tool in tools}), len(tools), name)

    def test_mistakes_are_told(self):
        tools = {"shop": [{"name": "search", "description": "", "parameters": []}]}
        for events, word in (
            ([("user", "hi"), ("call", "buy", "", [])], "no tool buy"),
            ([("user", "hi"), ("result", "ok", False)], "without its call"),
            ([("user", "hi"), ("call", "search", "", []), ("answer", "done")], "before 1 results"),
            ([("user", "hi"), ("user", "hi"), ("answer", "x")], "user after user"),
            ([("user", "hi")], "ends with user"),
        ):
            self.assertIn(word, " ".join(mistakes_of_session(Session("f", "n", "shop", "", events), tools)))
        self.assertIn("no toolset", " ".join(mistakes_of_session(Session("f", "n", "none"), tools)))


class Reading(unittest.TestCase):
    def test_a_family_is_read_with_its_slots_states_and_equally_right_steps(self):
        text = "# talk\nslot town: Rome | Oslo\n\nfamily: go\ngoal: Go to {town}\nstate: At home\nstate@1: On the way\nplan: search | find > book\n"
        (family,) = read_families(written("families", text))
        self.assertEqual(family, Family("own", "go", ["Go to {town}"], [(0, "At home"), (1, "On the way")], [[["search", "find"], ["book"]]], {"town": ["Rome", "Oslo"]}))

    def test_a_session_is_read_in_its_order(self):
        text = "toolset: shop\ntool: search | Finds it | query, page\n\nsession: lamp\ntoolset: shop\nsystem: Be brief.\nuser: a lamp\ncall: search | lamp\nfail: down\nanswer: Sorry.\n"
        toolsets, (session,) = read_sessions(written("sessions", text))
        self.assertEqual(toolsets, {"shop": [{"name": "search", "description": "Finds it", "parameters": ["query", "page"]}]})
        self.assertEqual(session.events, [("user", "a lamp"), ("call", "search", "lamp", []), ("result", "down", True), ("answer", "Sorry.")])

    def test_what_is_no_line_of_either_ends_the_reading(self):
        for text in ("family go\n", "family: go\nwhatever: x\n"):
            with self.assertRaises(ValueError):
                read_families(written("families", text))


if __name__ == "__main__":
    unittest.main()
