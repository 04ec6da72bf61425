"""Made-up beginnings of chats."""
import random
import unittest

from training.data.beginnings import beginning


class Beginnings(unittest.TestCase):
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


if __name__ == "__main__":
    unittest.main()
