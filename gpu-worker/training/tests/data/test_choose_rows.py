"""The texts that a row tells."""
import unittest

from training.data.choose_rows import NEUTRAL_STATE, UNSEEN_PAGE, texts_of


class TextsOfRows(unittest.TestCase):
    def test_a_page_that_was_not_recorded_is_not_a_beginning(self):
        steps = [{"state": "", "action": "scroll", "next": "Inbox"}, {"state": "Inbox", "action": "open_email", "next": ""}]
        row = {"goal": "forward the mail", "actions": ["scroll", "open_email"], "steps": steps}
        self.assertEqual(texts_of({**row, "source": "miniwob-demos"})[1], [UNSEEN_PAGE, "Inbox", NEUTRAL_STATE])
        self.assertEqual(texts_of({**row, "source": "traject-bench"})[1], [NEUTRAL_STATE, "Inbox", NEUTRAL_STATE])


if __name__ == "__main__":
    unittest.main()
