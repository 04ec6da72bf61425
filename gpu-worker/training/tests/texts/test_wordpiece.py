"""Word pieces: the ids of a text, by a made-up vocabulary."""
import json
import pathlib
import tempfile
import unittest

from training.texts.wordpiece import WordPiece


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


if __name__ == "__main__":
    unittest.main()
