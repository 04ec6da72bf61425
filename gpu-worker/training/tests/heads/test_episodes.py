"""Rows as episodes: which of them begin as chats. Needs numpy alone."""
import random
import unittest

import numpy as np

from training.data.choose_rows import NEUTRAL_STATE
from training.heads.episodes import build_episodes


class Episodes(unittest.TestCase):
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


if __name__ == "__main__":
    unittest.main()
