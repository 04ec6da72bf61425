"""The encoder: its vectors. Needs PyTorch."""
import unittest

try:
    import torch
except ImportError:
    raise unittest.SkipTest("PyTorch is not installed")

from training.encoder.encoder import Encoder, encode_ids
from training.tests.made_up_bert import tiny_bert


class Encoding(unittest.TestCase):
    def test_a_vector_is_of_length_one_and_free_of_its_neighbours(self):
        encoder = Encoder(tiny_bert())
        with torch.no_grad():
            alone = encode_ids(encoder, [[2, 7, 3]])
            beside = encode_ids(encoder, [[2, 7, 3], [2, 9, 9, 9, 9, 9, 3], [2, 3]])
        self.assertTrue(torch.allclose(alone[0], beside[0], atol=1e-5))
        self.assertTrue(torch.allclose(beside.norm(dim=1), torch.ones(3), atol=1e-5))


if __name__ == "__main__":
    unittest.main()
