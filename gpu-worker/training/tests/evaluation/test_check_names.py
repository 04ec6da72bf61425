"""Names judged by hand, mapped by made-up encoders. Needs numpy alone."""
import json
import unittest

import numpy as np

from training.actions import mapping
from training.evaluation.check_names import NAMES, check, read_names, remembering, try_constants
from training.machine.places import ACTIONS

KNOWN = {action["name"]: action for action in json.loads(ACTIONS.read_text())}


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
        lines = NAMES.read_text().splitlines()[1:]
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


if __name__ == "__main__":
    unittest.main()
