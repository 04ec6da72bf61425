"""Names onto the 903 actions, with an encoder to which all texts are alike. Needs numpy alone."""
import random
import unittest

import numpy as np

from training.actions.mapping import ActionMap, spoken_word
from training.machine.places import ACTIONS
from training.texts.templates import name_words


class Mapping(unittest.TestCase):
    likeness = 0.45  # of any two texts: what the bonuses have to decide

    def setUp(self):
        chance = random.Random(1)
        self.map = ActionMap(ACTIONS, lambda texts: np.array([[self.likeness**0.5, *(chance.gauss(0, 0.01) for _ in range(8))] for _ in texts]))

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
