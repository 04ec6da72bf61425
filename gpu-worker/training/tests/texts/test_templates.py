"""How tools are written for the encoder."""
import unittest

from training.texts.templates import name_words, tool_text


class Texts(unittest.TestCase):
    def test_names_become_words(self):
        for name, words in {"math.getHCF_v2": "math get hcf v2", "book-ferry": "book ferry", "HTTPGet": "http get"}.items():
            self.assertEqual(name_words(name), words)

    def test_a_tool_without_description_is_its_name(self):
        self.assertEqual(tool_text("bookFerry"), "book ferry")
        self.assertEqual(tool_text("bookFerry", " Buy  a\nticket "), "book ferry: Buy a ticket")


if __name__ == "__main__":
    unittest.main()
