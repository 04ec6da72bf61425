"""Learned parts on made-up vectors: shapes, laws of the latent, resumption, export. Skipped without PyTorch."""
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

import numpy as np

try:
    import torch
except ImportError:
    raise unittest.SkipTest("PyTorch is not installed")

from training.batches import batches
from training.encoder import Encoder, encode_ids, write_safetensors
from training.episodes import Episode
from training.heads import LEAST, MOST, Heads
from training.heads_stage import new_heads
from training.losses import info_nce, isotropy
from training.pairs import Batches, Pair
from training.rollouts import KINDS, pad_sequences, roll, wrong
from training.tests.made_up_bert import made_up_bert
from training.tool_choice import Choice, Mixer, scores
from training.train_encoder import average, train_encoder
from training.train_heads import train_heads

WIDTH, NAMES = 32, ["pad", "unk", "start", "end", "wait", "noop", "submit", "book", "delete", "search", "click", "type"]


def glosses(seed=0):
    torch.manual_seed(seed)
    return torch.nn.functional.normalize(torch.randn(len(NAMES), WIDTH), dim=-1)


def episodes(count=60):
    chance = np.random.RandomState(0)
    found = []
    for row in range(count):
        steps = chance.randint(2, 6)
        found.append(Episode("one", chance.randint(200), chance.randint(0, 200, steps + 1), chance.randint(4, 12, steps), chance.randint(0, 200, steps), np.ones(steps, bool), chance.randint(0, 200, steps)))
    return found


def tiny_bert():
    return made_up_bert(words=50, width=64, inner=128, layers=3, positions=16)


class Encoding(unittest.TestCase):
    def test_a_vector_is_of_length_one_and_free_of_its_neighbours(self):
        encoder = Encoder(tiny_bert())
        with torch.no_grad():
            alone = encode_ids(encoder, [[2, 7, 3]])
            beside = encode_ids(encoder, [[2, 7, 3], [2, 9, 9, 9, 9, 9, 3], [2, 3]])
        self.assertTrue(torch.allclose(alone[0], beside[0], atol=1e-5))
        self.assertTrue(torch.allclose(beside.norm(dim=1), torch.ones(3), atol=1e-5))

    def test_averaging_lies_between(self):
        mixed = average({"a": torch.zeros(2)}, {"a": torch.ones(2)}, 0.25)
        self.assertTrue(torch.equal(mixed["a"], torch.full((2,), 0.25)))


class Latents(unittest.TestCase):
    def test_magnitude_is_the_length_and_the_text_half_is_kept(self):
        heads, vector = Heads(glosses(), 64), glosses(3)
        z = heads.latent(vector)
        self.assertTrue(((z.norm(dim=-1) >= LEAST - 1e-3) & (z.norm(dim=-1) <= MOST + 1e-3)).all())
        half = z[:, :WIDTH] / z[:, :WIDTH].norm(dim=-1, keepdim=True)
        self.assertTrue(torch.allclose(half, vector, atol=1e-5))

    def test_change_is_the_distance_to_the_next_state(self):
        heads = Heads(glosses(), 64)
        z = heads.latent(glosses(3))
        moved, _, change, _ = heads.step(z, z.flip(0), torch.zeros(len(z), heads.history), heads.actions())
        self.assertTrue(torch.allclose((moved - z).norm(dim=-1), change, atol=1e-3))

    def test_a_rollout_does_not_depend_on_its_neighbours(self):
        heads = Heads(glosses(), 64).eval()
        z = heads.latent(glosses(3))
        ids, mask = pad_sequences([[4, 5, 6], [7], [8, 9, 10, 11]])
        together, _, _ = roll(heads, z[:3], z[3:6], ids, mask)
        alone, _, _ = roll(heads, z[1:2], z[4:5], ids[1:2, :1], mask[1:2, :1])
        self.assertTrue(torch.allclose(together[1, :1], alone[0], atol=1e-4))
        self.assertEqual(float(together[1, 1:].detach().abs().sum()), 0)


class Losses(unittest.TestCase):
    def test_the_right_candidate_costs_least_and_the_excluded_nothing(self):
        queries = torch.eye(3)
        none = torch.zeros(3, 3, dtype=torch.bool)
        right, swapped = info_nce(queries, queries, torch.arange(3), none, 10), info_nce(queries, queries, torch.tensor([1, 2, 0]), none, 10)
        self.assertLess(right, swapped)
        excluded = ~torch.eye(3, dtype=torch.bool)
        self.assertAlmostEqual(float(info_nce(queries, queries, torch.arange(3), excluded, 10)), 0, places=5)

    def test_collapse_costs(self):
        spread = torch.randn(512, 8)
        worse = {"a point": torch.zeros(512, 8), "a line": spread[:, :1].expand(-1, 8), "off the middle": spread + 1, "grown": spread * 5}
        for name, vectors in worse.items():
            self.assertGreater(float(isotropy(vectors)), 0.5 + float(isotropy(spread)), name)

    def test_wrong_versions_differ_from_the_right_one(self):
        chance = random.Random(0)
        for kind in KINDS:
            for _ in range(50):
                made = wrong(kind, [4, 5, 6, 7], [[4, 5, 6, 7], [8, 9]], [4, 9, 10], chance)
                if kind != "random":
                    self.assertNotEqual(made, [4, 5, 6, 7])


class Killed(Exception):
    pass


def stopping(make, count):
    """`make`, a maker of an endless stream, whose streams end in Killed after `count` elements."""

    def made(*arguments):
        for number, element in enumerate(make(*arguments)):
            if number == count:
                raise Killed
            yield element

    return made


class Training(unittest.TestCase):
    def run_heads(self, folder, steps):
        table = np.random.RandomState(2).randn(200, WIDTH).astype(np.float16)
        heads = Heads(glosses(), 64)
        wanted = (np.arange(100), np.linspace(8, 22, 100).astype(np.float32))
        lines = []
        train_heads(heads, episodes(), table, wanted, NAMES, folder, steps, 1, say=lines.append)
        return heads, lines

    def test_heads_begin_the_same_whatever_was_drawn_before(self):
        options = types.SimpleNamespace(seed=3, size="base")
        first = new_heads(options, glosses().numpy())
        torch.rand(100)
        second = new_heads(options, glosses().numpy())
        self.assertTrue(all(torch.equal(left, right) for left, right in zip(first.parameters(), second.parameters())))

    def test_a_run_that_was_interrupted_ends_with_the_same_weights(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two, mock.patch("training.train_heads.STORE_EVERY", 2):
            with mock.patch("training.train_heads.batches", stopping(batches, 3)), self.assertRaises(Killed):
                self.run_heads(pathlib.Path(one), 6)
            resumed, lines = self.run_heads(pathlib.Path(one), 6)
            straight, _ = self.run_heads(pathlib.Path(two), 6)
            self.assertIn("resumed at step 2", lines[0])
            for left, right in zip(resumed.parameters(), straight.parameters()):
                self.assertTrue(torch.equal(left, right))

    def run_encoder(self, folder):
        source = folder / "source.safetensors"
        write_safetensors(source, tiny_bert())
        tokenizer = types.SimpleNamespace(encode=lambda text, window: [2, *(ord(letter) % 50 for letter in text), 3])
        pairs = {name: [Pair(f"{name} {at}", f"{at} {name}") for at in range(50)] for name in ("seal", "tldr", "sgd", "star", "n8n")}
        return train_encoder(source, tokenizer, pairs, folder, 6, 1, say=lambda line: None)

    def test_an_encoder_that_was_interrupted_ends_with_the_same_weights(self):
        def drawn(batches, seed):
            return types.SimpleNamespace(next=stopping(batch_by_batch, 3)(batches, seed).__next__)

        def batch_by_batch(pairs, seed):
            found = Batches(pairs, seed)
            while True:
                yield found.next()

        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two, mock.patch("training.train_encoder.STORE_EVERY", 2):
            with mock.patch("training.train_encoder.Batches", drawn), self.assertRaises(Killed):
                self.run_encoder(pathlib.Path(one))
            resumed, straight = self.run_encoder(pathlib.Path(one)), self.run_encoder(pathlib.Path(two))
            for name, tensor in straight.items():
                self.assertTrue(torch.equal(resumed[name], tensor), name)

    def test_a_run_resumes_and_equal_seeds_agree(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            first, _ = self.run_heads(pathlib.Path(one), 3)
            second, _ = self.run_heads(pathlib.Path(two), 3)
            for left, right in zip(first.parameters(), second.parameters()):
                self.assertTrue(torch.equal(left, right))
            _, lines = self.run_heads(pathlib.Path(one), 4)
            self.assertIn("resumed at step 3", lines[0])


class Choosing(unittest.TestCase):
    def test_made_up_lists_do_not_depend_on_the_process(self):
        code = """
from training.tool_choice import train_lists
tools = [{"name": name, "description": name} for name in "abcdefghij"]
rows = [{"goal": f"goal {n}", "domain": "one", "tools": tools, "actions": ["a", "b", "c", "d"]} for n in range(40)]
print(train_lists({"traject_bench": rows}, 7))
"""
        root = pathlib.Path(__file__).parent.parent.parent
        told = {subprocess.run([sys.executable, "-c", code], cwd=root, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout for seed in "123"}
        self.assertEqual(len(told), 1)

    def test_every_tool_and_none_have_a_score(self):
        tools = [{"name": "find_ferry", "description": "Look up ferries"}, {"name": "rent_bicycle", "description": ""}]
        vectors = glosses()[:2].numpy()
        choice = Choice("a ferry", tools, vectors[:1], vectors, vectors[0], [0])
        found = scores(Mixer(), choice.features, choice.listed)
        self.assertEqual(found.shape, (3,))
        self.assertGreater(found[0], found[1])


if __name__ == "__main__":
    unittest.main()
