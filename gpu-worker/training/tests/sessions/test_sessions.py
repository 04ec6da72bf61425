"""Decisions of sessions, and that the recorded cases of the server's test are still what these rules say. Skipped without PyTorch."""
import importlib.util
import json
import random
import unittest

try:
    import torch  # noqa: F401
except ImportError:
    raise unittest.SkipTest("PyTorch is not installed")

from training.data.authored import Session, read_sessions
from training.sessions.decisions import ASK, ASSISTANT, CALL, DONE, NO_TOOL, PLANNED, RESULT, SYSTEM, USER, shown
from training.sessions.own_decisions import decisions_of_session, session_decisions
from training.sessions.session_readings import read_decisions
from training.sessions.set_decisions import sequence_decisions
from training.tests.twin_cases import PATH, told_decisions

TOOLS = [{"name": name, "description": ""} for name in ("search", "buy", "refund", "mail")]


def names(decision):
    return {decision.tools[row]["name"] for row in decision.right}


class OfASession(unittest.TestCase):
    def decisions(self, events, open_loop=False, system=""):
        return decisions_of_session(Session("f", "n", "shop", system, events), TOOLS, random.Random(1), open_loop)

    def test_every_call_and_every_ending_is_a_decision_after_what_came_before(self):
        events = [("user", "a lamp"), ("call", "search", "", ["mail"]), ("result", "one", False), ("call", "buy", "", []), ("result", "ok", False), ("answer", "Done.")]
        search, buy, done = self.decisions(events, system="Be brief.")
        self.assertEqual(search.events, [(SYSTEM, "Be brief."), (USER, "a lamp")])
        self.assertEqual((names(search), search.ending), ({"search", "mail"}, -1))
        self.assertEqual(buy.events[2:], [(CALL, "search"), (RESULT, "one")])
        self.assertEqual((names(buy), done.right, done.ending), ({"buy"}, [], DONE))

    def test_calls_at_once_are_one_decision_and_each_stands_before_its_result(self):
        events = [("user", "both"), ("call", "search", "", []), ("call", "mail", "", []), ("result", "one", False), ("result", "two", False), ("ask", "Which?"), ("user", "no"), ("decline", "Bye")]
        both, ask, none = self.decisions(events)
        self.assertEqual(names(both), {"search", "mail"})
        self.assertEqual(ask.events[1:], [(CALL, "search"), (RESULT, "one"), (CALL, "mail"), (RESULT, "two")])
        self.assertEqual((ask.ending, none.ending), (ASK, NO_TOOL))
        self.assertEqual(none.events[-2:], [(ASSISTANT, "Which?"), (USER, "no")])

    def test_open_loop_plans_the_calls_of_a_turn_without_their_results(self):
        events = [("user", "a lamp"), ("call", "search", "", []), ("result", "one", False), ("call", "buy", "", []), ("result", "ok", False), ("answer", "Done.")]
        planned = [one for one in self.decisions(events, True) if one.source == "own-plan"]
        self.assertEqual([one.events[1:] for one in planned], [[], [(PLANNED, "search")], [(PLANNED, "search"), (PLANNED, "buy")]])
        self.assertEqual([names(one) for one in planned], [{"search"}, {"buy"}, set()])
        self.assertEqual(planned[-1].ending, DONE)


class Steps(unittest.TestCase):
    def test_the_rate_rises_then_falls_to_its_last_share(self):
        from training.sessions.train_sessions import LAST_RATE, rate_at

        rates = [rate_at(step, 1000) for step in range(1001)]
        top = rates.index(max(rates))
        self.assertLess(top, 50)
        self.assertEqual(sorted(rates[top:], reverse=True), rates[top:])
        self.assertAlmostEqual(rates[-1], LAST_RATE)


class GoingOn(unittest.TestCase):
    def test_begins_with_the_weights_it_is_given_and_leaves_them_as_they_are(self):
        from training.sessions.session_reader import SessionReader
        from training.sessions.decisions import Decision
        from training.sessions.train_sessions import train_reader
        from training.tests.twin_cases import MadeUp, mix

        embeddings = MadeUp()
        decision = Decision("own", [(USER, "a lamp")], TOOLS, [0])
        readings = read_decisions([decision] * 12, embeddings, {None: None}, mix)
        begin = SessionReader(embeddings.table.shape[1])
        before = [weight.clone() for weight in begin.parameters()]
        for rate, moves in ((0.0, False), (1e-3, True)):
            found = train_reader(readings, embeddings.table, 1, steps=2, begin=begin, rate=rate)
            self.assertTrue(all(torch.equal(old, new) for old, new in zip(before, begin.parameters())))
            self.assertEqual(moves, not all(torch.allclose(old, new) for old, new in zip(before, found.parameters())))


@unittest.skipIf(importlib.util.find_spec("onnx") is None, "needs onnx")
class AsExported(unittest.TestCase):
    def test_the_exported_graph_gives_the_logits_of_the_network(self):
        from torch.nn.functional import normalize, one_hot, pad

        from training.sessions.columns import TOOL_NUMBERS
        from training.sessions.reader_graph import ReaderGraph
        from training.sessions.session_reader import EVENT_NUMBERS, KINDS, MOST_EVENTS, SessionReader

        torch.manual_seed(1)
        rows, count, offered, width = 2, 5, 3, 16
        reader = SessionReader(width).eval()
        events, tools = normalize(torch.randn(rows, count, width), dim=-1), normalize(torch.randn(rows, offered, width), dim=-1)
        kinds, numbers = one_hot(torch.randint(KINDS, (rows, count)), KINDS).float(), torch.randint(2, (rows, count, EVENT_NUMBERS)).float()
        tool_numbers = torch.randn(rows, offered, TOOL_NUMBERS)
        told = reader(events, kinds, numbers, torch.ones(rows, count), tools, tool_numbers, torch.ones(rows, offered))
        places = one_hot(torch.arange(count), MOST_EVENTS).float().expand(rows, -1, -1)
        marks = pad(torch.cat([torch.zeros(rows, count, 1), kinds, numbers, places], -1), (0, 0, 1, 0))
        marks[:, 0, 0] = 1
        found = ReaderGraph(reader)(pad(events, (0, 0, 1, 0)), marks, tools, tool_numbers)
        self.assertLess((found - told).abs().max().item(), 1e-4)


class OfSets(unittest.TestCase):
    def test_a_sequence_ends_with_nothing_left(self):
        *calls, end = sequence_decisions("s", "goal", ["search", "unknown", "buy"], TOOLS, random.Random(1))
        self.assertEqual([names(one) for one in calls], [{"search"}, {"buy"}])
        self.assertEqual((end.right, end.ending, end.events[-1]), ([], DONE, (PLANNED, "buy")))

    def test_right_tools_are_always_shown(self):
        for seed in range(50):
            self.assertIn("buy", {tool["name"] for tool in shown(TOOLS, {"buy"}, random.Random(seed))})

    def test_our_own_sessions_are_the_same_for_the_same_seed_and_each_has_an_answer(self):
        found = session_decisions(7, *read_sessions(), copies=1)
        self.assertEqual(found, session_decisions(7, *read_sessions(), copies=1))
        for decision in found:
            self.assertTrue(bool(decision.right) != (decision.ending >= 0), decision)
            self.assertTrue(all(0 <= row < len(decision.tools) for row in decision.right))


class Twin(unittest.TestCase):
    def test_recorded_cases_are_what_the_rules_say(self):
        self.assertEqual(json.loads(PATH.read_text())["decisions"], json.loads(json.dumps(told_decisions())), "python3 -m training.tests.twin_cases writes them again")


if __name__ == "__main__":
    unittest.main()
