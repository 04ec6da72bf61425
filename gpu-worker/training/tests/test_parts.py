"""Parts that need neither PyTorch nor a checkpoint: word pieces, templates, word features, figures, splits, mapping."""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import numpy as np

from training.beginnings import beginning
from training.data import is_held_out, sets_in
from training.episodes import NEUTRAL_STATE, UNSEEN_PAGE, build_episodes, texts_of
from training.lexical import read_tool, tool_features
from training.magnitudes import MAGNITUDES, targets
from training.mapping import ActionMap, spoken_word
from training.measures import auroc, calibration_error, effective_rank, mean_cosine, ndcg, spearman
from training.pairs import Batches, build_pairs
from training.texts import name_words, tool_text
from training.whole_file import write_whole
from training.wordpiece import WordPiece

SAMPLE = pathlib.Path(__file__).parent.parent / "sample"
CHECKPOINT = pathlib.Path(__file__).parent.parent.parent / "checkpoints" / "base"


def tiny_tokenizer():
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "book", "##ing", "a", "ferry", ",", "cafe", "中"]
    file = {"model": {"vocab": {p: i for i, p in enumerate(pieces)}, "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "unk_token": "[UNK]"}}
    path = pathlib.Path(tempfile.mkdtemp()) / "tokenizer.json"
    path.write_text(json.dumps(file))
    return WordPiece(path)


class Tokens(unittest.TestCase):
    def test_words_are_cut_into_the_longest_pieces(self):
        self.assertEqual(tiny_tokenizer().encode("Booking a ferry, xyz", 16), [2, 4, 5, 6, 7, 8, 1, 3])

    def test_accents_fall_and_ideographs_stand_alone(self):
        self.assertEqual(tiny_tokenizer().encode("Café中a", 16), [2, 9, 10, 6, 3])

    def test_a_long_text_keeps_the_end_asked_for(self):
        tokenizer = tiny_tokenizer()
        self.assertEqual(tokenizer.encode("a ferry book", 4), [2, 6, 7, 3])
        self.assertEqual(tokenizer.encode("a ferry book", 4, "end"), [2, 7, 4, 3])


class Texts(unittest.TestCase):
    def test_names_become_words(self):
        for name, words in {"math.getHCF_v2": "math get hcf v2", "book-ferry": "book ferry", "HTTPGet": "http get"}.items():
            self.assertEqual(name_words(name), words)

    def test_a_page_that_was_not_recorded_is_not_a_beginning(self):
        steps = [{"state": "", "action": "scroll", "next": "Inbox"}, {"state": "Inbox", "action": "open_email", "next": ""}]
        row = {"goal": "forward the mail", "actions": ["scroll", "open_email"], "steps": steps}
        self.assertEqual(texts_of({**row, "source": "miniwob-demos"})[1], [UNSEEN_PAGE, "Inbox", NEUTRAL_STATE])
        self.assertEqual(texts_of({**row, "source": "traject-bench"})[1], [NEUTRAL_STATE, "Inbox", NEUTRAL_STATE])

    def test_half_of_the_rows_without_a_state_begin_as_chats_and_no_page_does(self):
        class Texts(list):
            def add(self, texts, *_):
                self.extend(texts)
                return np.arange(len(self) - len(texts), len(self))

        class Ids:
            def ids(self, names):
                return dict.fromkeys(names, 4)

        rows = [("clinc150_train", {"goal": "book it", "actions": ["book"]})] * 200 + [("any", {"source": "miniwob-demos", "goal": "press", "actions": ["click"]})] * 50
        for chance, least, most in ((None, 0, 0), (random.Random(1), 70, 130)):
            texts = Texts()
            begun = [texts[episode.states[0]] for episode in build_episodes(rows, texts, Ids(), chance)]
            self.assertEqual(set(begun[200:]), {NEUTRAL_STATE})
            self.assertTrue(least <= sum(text != NEUTRAL_STATE for text in begun) <= most)
        self.assertGreater(len(set(begun)), 40)

    def test_half_of_the_chats_have_earlier_turns_told_as_the_gateway_tells_them(self):
        chance = random.Random(3)
        begun = [beginning(chance, ["sort my mail"], ["There is none."]) for _ in range(400)]
        talked = [text for text in begun if "user: " in text]
        self.assertTrue(150 <= len(talked) <= 250)
        for text in talked:
            turns = text[text.index("user: ") :].split("\n")
            self.assertTrue(all(line.startswith(("user: ", "assistant: ")[at % 2]) for at, line in enumerate(turns)), text)
        self.assertTrue(150 <= sum("user: sort my mail" in text for text in begun))
        self.assertTrue(50 <= sum(text.startswith("user: ") for text in talked) < len(talked))

    def test_a_tool_without_description_is_its_name(self):
        self.assertEqual(tool_text("bookFerry"), "book ferry")
        self.assertEqual(tool_text("bookFerry", " Buy  a\nticket "), "book ferry: Buy a ticket")


class Words(unittest.TestCase):
    tools = [read_tool("find_ferry", "Look up ferries"), read_tool("rent_bicycle", "Rent a bicycle for hours")]

    def test_the_tool_that_shares_rare_words_wins(self):
        bm25, named, _ = tool_features("Two hours on a bicycle", self.tools)
        self.assertGreater(bm25[1], bm25[0])
        self.assertGreater(named[1], named[0])

    def test_nothing_shared_is_zero(self):
        bm25, named, _ = tool_features("zebra", self.tools)
        self.assertEqual((bm25, named), ([0, 0], [0, 0]))

    def test_order_of_the_tools_changes_nothing(self):
        forward, backward = tool_features("find a bicycle", self.tools), tool_features("find a bicycle", self.tools[::-1])
        self.assertEqual(forward[0], backward[0][::-1])
        np.testing.assert_allclose(forward[2], backward[2])

    def test_the_last_bits_do_not_depend_on_the_process(self):
        code = """
from training.lexical import read_tool, tool_features
words = "red lamp table chair glass river stone cloud bread apple green horse".split()
tools = [read_tool("_".join(words[at:] + words[:at // 2]), " ".join(words[: at + 4] * (at + 1))) for at in range(8)]
print(tool_features(" ".join(words), tools))
"""
        root = pathlib.Path(__file__).parent.parent.parent
        told = {
            subprocess.run([sys.executable, "-c", code], cwd=root, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
            for seed in "123456"
        }
        self.assertEqual(len(told), 1)


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

    def test_magnitude_bands_hold_their_shares(self):
        found = targets(np.random.RandomState(0).rand(2000))
        self.assertAlmostEqual(float((found < 10).mean()), 0.15, delta=0.01)
        self.assertAlmostEqual(float((found < 15).mean()), 0.55, delta=0.01)
        self.assertTrue(MAGNITUDES[0] <= found.min() and found.max() <= MAGNITUDES[-1])


class WholeFiles(unittest.TestCase):
    def test_a_file_whose_writing_was_cut_off_is_the_earlier_one(self):
        path = pathlib.Path(tempfile.mkdtemp()) / "state.pt"
        write_whole(path, lambda path: path.write_text("whole"))

        def cut_off(path):
            path.write_text("ha")
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            write_whole(path, cut_off)
        self.assertEqual(path.read_text(), "whole")


class Data(unittest.TestCase):
    def test_whole_tasks_are_held_out(self):
        rows = sets_in(SAMPLE / "train")["miniwob_demos"]
        by_task = {}
        for row in rows:
            by_task.setdefault(row["task"], set()).add(is_held_out(row))
        self.assertTrue(all(len(found) == 1 for found in by_task.values()))

    def test_a_right_tool_is_never_a_negative_of_its_goal(self):
        pairs = build_pairs(sets_in(SAMPLE / "train"))
        self.assertTrue({"seal", "sgd", "metatool", "catalog"} <= set(pairs))
        for pair in pairs["seal"] + pairs["sgd"]:
            self.assertNotIn(pair.positive, pair.negatives)

    def test_batches_of_one_seed_are_the_same(self):
        first, second = (Batches(build_pairs(sets_in(SAMPLE / "train")), 5, size=12) for _ in range(2))
        for _ in range(5):
            self.assertEqual(first.next(), second.next())


class Mapping(unittest.TestCase):
    likeness = 0.45  # of any two texts: what the bonuses have to decide

    def setUp(self):
        chance = random.Random(1)
        self.map = ActionMap(CHECKPOINT / "actions.json", lambda texts: np.array([[self.likeness**0.5, *(chance.gauss(0, 0.01) for _ in range(8))] for _ in texts]))

    def names(self, *names):
        return [self.map.actions[i]["name"] for i in self.map.ids(names).values()]

    def test_an_action_of_that_name_wins(self):
        self.assertEqual(self.names("search_flight", "bookHotel", "mail.send_email"), ["search_flight", "book_hotel", "send_email"])

    def test_a_name_that_speaks_to_the_user_is_a_dialogue_action(self):
        for name, word in {"hotel_ask_date_to": "ask", "offer_next_task": "offer", "list_offer": None, "informUser": "inform"}.items():
            self.assertEqual(spoken_word(name_words(name).split()), word)
        self.assertTrue(all(name.startswith("ask_") for name in self.names("trip_ask_seat", "ask_cuisine")))

    def test_the_verb_outweighs_the_topic(self):
        self.assertEqual(self.names("reserve_restaurant"), ["book_restaurant"])

    def test_nothing_near_is_unknown(self):
        self.assertEqual(self.names("zzqx"), ["unk"])


if __name__ == "__main__":
    unittest.main()
