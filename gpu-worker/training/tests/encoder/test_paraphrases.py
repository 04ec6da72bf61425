"""Our own triples of sentences, measured with made-up encoders. Needs numpy alone."""
import unittest

import numpy as np

from training.encoder import paraphrases


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
