"""The reader of wishes on made-up vectors: what it learns from, that it learns, and that its graph says the same. Needs PyTorch and onnx."""
import pathlib
import tempfile
import types
import unittest

import numpy as np

try:
    import onnx  # noqa: F401
    import torch
except ImportError:
    raise unittest.SkipTest("PyTorch or onnx is not installed")

from training.data.authored import read_requests, read_wishes
from training.wishes.export_wishes import export_wish_readers
from training.wishes.train_wishes import AS_GOOD, loss_of, own_wishes, train_wishes, wish_items
from training.wishes.wish_reader import WishReader

WIDTH, ACTIONS = 16, 5
IDS = {"pay": 0, "pay_invoice": 1, "book": 2}


def unit(seed, rows):
    values = np.random.RandomState(seed).randn(rows, WIDTH).astype(np.float32)
    return values / np.linalg.norm(values, axis=1, keepdims=True)


class Items(unittest.TestCase):
    def test_share_a_wish_among_its_actions_and_give_what_only_tells_to_none(self):
        embeddings = types.SimpleNamespace(add=lambda texts, window: np.arange(len(texts)))
        action_map = types.SimpleNamespace(actions=[None] * ACTIONS, ids=lambda names: {name: IDS[name] for name in names})
        wishes = [("Settle it", "Settle it", ["pay", "pay_invoice"]), ("We are six", "We are six, reserve it", []), ("reserve it", "We are six, reserve it", ["book"])]
        parts, goals, targets = wish_items(wishes, embeddings, action_map)
        self.assertEqual((parts.tolist(), goals.tolist()), ([0, 1, 2], [0, 1, 2]))
        self.assertTrue(torch.allclose(targets.sum(1), torch.ones(3)))
        self.assertAlmostEqual((targets[0, 1] / targets[0, 0]).item(), AS_GOOD)
        self.assertEqual(targets.argmax(1).tolist(), [0, ACTIONS, 2])


    def test_of_our_own_are_goals_by_themselves_and_parts_of_whole_requests(self):
        wishes = own_wishes(read_wishes(), read_requests())
        parts = [wish for wish in wishes if wish[0] != wish[1]]
        self.assertGreater(len(wishes) - len(parts), 40_000)
        self.assertGreater(len(parts), 5_000)
        self.assertTrue(all(part in goal for part, goal, _ in parts))


class Learning(unittest.TestCase):
    def setUp(self):
        self.table, self.glosses = unit(1, 40), unit(2, ACTIONS)
        self.parts, self.goals = torch.from_numpy(self.table), torch.from_numpy(self.table[::-1].copy())
        self.targets = torch.eye(ACTIONS + 1)[torch.arange(40) % (ACTIONS + 1)]

    def train(self, seed=7):
        items = (np.arange(40), np.arange(40)[::-1].copy(), self.targets)
        return train_wishes(items, self.table, self.glosses, seed, steps=150, say=lambda text: None)

    def test_finds_what_it_was_shown_and_gives_the_same_weights_for_the_same_seed(self):
        first, again, other = self.train(), self.train(), self.train(8)
        found = first(self.parts, self.goals).argmax(1)
        self.assertGreater((found == self.targets.argmax(1)).float().mean().item(), 0.9)
        weights = lambda reader: torch.cat([value.flatten() for value in reader.state_dict().values()])
        self.assertTrue(torch.equal(weights(first), weights(again)))
        self.assertFalse(torch.equal(weights(first), weights(other)))

    def test_begins_with_the_actions_whose_glosses_are_nearest(self):
        reader = WishReader(torch.from_numpy(self.glosses)).eval()
        glosses = torch.from_numpy(self.glosses)
        self.assertEqual(reader(glosses, glosses)[:, :-1].argmax(1).tolist(), list(range(ACTIONS)))

    def test_of_right_actions_it_is_enough_to_name_one_and_better_to_share(self):
        targets = torch.tensor([[0.5, 0.5, 0.0]])
        loss = lambda *chances: loss_of(torch.tensor([chances]).log(), targets).item()
        self.assertLess(loss(0.45, 0.45, 0.1), loss(0.79, 0.11, 0.1))
        self.assertLess(loss(0.79, 0.11, 0.1), loss(0.3, 0.3, 0.4))

    def test_the_graph_of_several_gives_the_mean_of_their_probabilities(self):
        try:
            import onnxruntime
        except ImportError:
            self.skipTest("onnxruntime is not installed")
        readers, folder = [self.train(), self.train(8)], pathlib.Path(tempfile.mkdtemp())
        export_wish_readers(readers, folder)
        session = onnxruntime.InferenceSession(str(folder / "wish-reader.onnx"), providers=["CPUExecutionProvider"])
        (chances,) = session.run(["chances"], {"part": self.parts.numpy(), "goal": self.goals.numpy()})
        with torch.no_grad():
            wanted = sum(reader(self.parts, self.goals).softmax(1) for reader in readers).numpy() / 2
        self.assertEqual(chances.shape, (40, ACTIONS + 1))
        self.assertLess(np.abs(chances - wanted).max(), 0.02)


if __name__ == "__main__":
    unittest.main()
