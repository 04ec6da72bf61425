"""Which episodes the library holds, and how it shortens their vectors. Skipped without onnx."""
import unittest
from types import SimpleNamespace

import numpy as np

try:
    from training.plans import plan_library
except ImportError:
    raise unittest.SkipTest("onnx is not installed")


def item(source, actions=(1, 2), done=0):
    return SimpleNamespace(source=source, actions=[[action] for action in actions], done=done)


class PlanLibrary(unittest.TestCase):
    def test_holds_plans_of_two_steps_and_more_from_their_beginning(self):
        whole = [item("alfred_train"), item("family:trips")]
        others = [item("alfred_train", actions=(1,)), item("family:trips", done=1)]
        self.assertCountEqual(map(id, plan_library.choose_episodes(whole + others, 7)), map(id, whole))

    def test_holds_a_part_of_the_families_and_all_else(self):
        most = plan_library.MOST_OF_FAMILIES
        items = [item("family:trips") for _ in range(most + 5)] + [item("star") for _ in range(3)]
        chosen = plan_library.choose_episodes(items, 7)
        self.assertEqual(len(chosen), most + 3)
        self.assertEqual(chosen, plan_library.choose_episodes(items, 7))

    def test_keeps_the_directions_in_which_vectors_differ(self):
        chance = np.random.default_rng(3)
        vectors = chance.standard_normal((50, 4)).astype(np.float32) @ chance.standard_normal((4, 24)).astype(np.float32)
        kept = vectors @ plan_library.projection(vectors, 4)
        np.testing.assert_allclose(kept @ kept.T, vectors @ vectors.T, rtol=1e-4, atol=1e-3)
