"""Laws of the latents and of rollouts, with untrained heads. Needs PyTorch."""
import random
import unittest

try:
    import torch
except ImportError:
    raise unittest.SkipTest("PyTorch is not installed")

from training.heads.heads import LEAST, MOST, Heads
from training.heads.rollouts import KINDS, pad_sequences, roll, wrong
from training.tests.made_up_heads import WIDTH, glosses


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


class WrongVersions(unittest.TestCase):
    def test_wrong_versions_differ_from_the_right_one(self):
        chance = random.Random(0)
        for kind in KINDS:
            for _ in range(50):
                made = wrong(kind, [4, 5, 6, 7], [[4, 5, 6, 7], [8, 9]], [4, 9, 10], chance)
                if kind != "random":
                    self.assertNotEqual(made, [4, 5, 6, 7])


if __name__ == "__main__":
    unittest.main()
