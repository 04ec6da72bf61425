"""The two checks of our own making: names judged by hand, and triples of sentences. No PyTorch."""
import json
import pathlib
import unittest

import numpy as np

from training import mapping, paraphrases
from training.check_names import ACTIONS, check, read_names, remembering, try_constants

KNOWN = {action["name"]: action for action in json.loads(pathlib.Path(ACTIONS).read_text())}


def same_vector(texts):
    return np.ones((len(texts), 1)) * 0.5**0.5


class FixedMap:
    """Maps every name onto one action, so that the expected shares can be counted by hand."""

    actions = list(KNOWN.values())

    def __init__(self, name):
        self.id = KNOWN[name]["id"]

    def ids(self, names):
        return {name: self.id for name in names}


class CheckedNames(unittest.TestCase):
    names = read_names()

    def test_there_are_300_names_and_every_judgment_is_an_action(self):
        self.assertEqual(len(self.names), 300)
        for name, acceptable in self.names.items():
            self.assertTrue(1 <= len(acceptable) <= 6 and len(set(acceptable)) == len(acceptable), name)
            self.assertLessEqual(set(acceptable), set(KNOWN), name)
            self.assertTrue("unk" not in acceptable or acceptable == ["unk"], name)

    def test_no_name_is_listed_twice(self):
        lines = pathlib.Path(read_names.__defaults__[0]).read_text().splitlines()[1:]
        self.assertEqual(len(lines), len(self.names))

    def test_every_category_has_its_part(self):
        kinds = [KNOWN[acceptable[0]]["category"] for acceptable in self.names.values()]
        self.assertTrue(all(kinds.count(kind) >= 40 for kind in ("retrieval", "navigation", "interaction", "system")))

    def test_shares_count_the_acceptable(self):
        result = check(FixedMap("search_file"), {"find_it": ["search", "search_file"], "open_it": ["open"], "glob": ["search_file"], "hi": ["greet_user"]})
        self.assertEqual((result["n"], result["share"]), (4, 0.5))
        self.assertEqual(result["categories"]["retrieval"], {"n": 2, "share": 1})
        self.assertEqual(result["categories"]["system"], {"n": 1, "share": 0})
        self.assertEqual([miss["name"] for miss in result["misses"]], ["open_it", "hi"])

    def test_other_constants_are_tried_and_put_back(self):
        before = mapping.UNKNOWN_BELOW
        low, high = try_constants(ACTIONS, same_vector, {"reserve_restaurant": ["book_restaurant"]}, {"UNKNOWN_BELOW": (0.5, 9)})
        self.assertEqual((low["share"], high["share"], mapping.UNKNOWN_BELOW), (1, 0, before))

    def test_a_text_is_encoded_once(self):
        asked = []
        encode = remembering(lambda texts: asked.extend(texts) or same_vector(texts))
        self.assertEqual(encode(["a", "b", "a"]).shape, (3, 1))
        encode(["b", "c"])
        self.assertEqual(asked, ["a", "b", "c"])


def by_place(order):
    """An encoder that gives the sentences of triple i vectors around axis i: `order` holds each kind's own height."""
    count = len(paraphrases.TRIPLES)

    def encode(texts):
        vectors = np.zeros((len(texts), 4 * count))
        place = {text: (row, kind) for row, triple in enumerate(paraphrases.TRIPLES) for kind, text in enumerate(triple)}
        for at, text in enumerate(texts):
            row, kind = place[text]
            vectors[at, row] = order[kind]
            vectors[at, (1 + kind) * count + row] = (1 - order[kind] ** 2) ** 0.5
        return vectors

    return encode


class Paraphrases(unittest.TestCase):
    def test_there_are_100_triples_of_different_sentences(self):
        self.assertEqual(len(paraphrases.TRIPLES), 100)
        self.assertEqual(len({sentence for triple in paraphrases.TRIPLES for sentence in triple}), 300)

    def test_a_near_miss_keeps_more_words_than_it_would_by_chance(self):
        def shared(first, second):
            first, second = ({word.strip(".,?'").lower() for word in text.split()} for text in (first, second))
            return len(first & second) / len(first)

        kept = [shared(sentence, miss) - shared(sentence, other) for sentence, other, miss in paraphrases.TRIPLES]
        self.assertGreater(np.mean(kept), 0.2)

    def test_an_encoder_of_meaning_finds_everything(self):
        found = paraphrases.measure(by_place((0.9, 0.9, 0.3)))
        self.assertEqual((found["nearest"], found["over_near_miss"]), (1, 1))
        self.assertAlmostEqual(found["mean_pair"], 0.81)
        self.assertAlmostEqual(found["near_miss_margin"], 0.81 - 0.27)

    def test_an_encoder_of_words_is_caught(self):
        found = paraphrases.measure(by_place((0.9, 0.3, 0.9)))
        self.assertEqual(found["over_near_miss"], 0)
        self.assertLess(found["margin"], 0)

    def test_a_constant_encoder_finds_nothing(self):
        found = paraphrases.measure(lambda texts: np.ones((len(texts), 1)))
        self.assertEqual((found["nearest"], found["over_near_miss"]), (0, 0))


if __name__ == "__main__":
    unittest.main()
