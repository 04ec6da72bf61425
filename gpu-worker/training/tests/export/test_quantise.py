"""The heads' int8 graphs against the float ones, on made-up weights. Skipped without onnx or onnxruntime."""
import unittest

import numpy as np

try:
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    raise unittest.SkipTest("onnx or onnxruntime is not installed")

from training.export.quantise import quantise

WIDTH, OUT = 384, 512


def graph(name="layer.weight"):
    """A layer with a bias, one without, and ln of the sum of exponentials."""
    chance = np.random.RandomState(0)
    weights = [(name, chance.randn(OUT, WIDTH) * 0.05), ("bias", chance.randn(OUT)), ("table", chance.randn(OUT, OUT) * 0.05)]
    nodes = [
        helper.make_node("Gemm", ["x", name, "bias"], ["hidden"], transB=1),
        helper.make_node("MatMul", ["hidden", "table"], ["logits"]),
        helper.make_node("ReduceLogSumExp", ["logits"], ["normaliser"], axes=[-1], keepdims=1),
    ]
    tensor = lambda label, width: helper.make_tensor_value_info(label, TensorProto.FLOAT, ["batch", width])
    constants = [numpy_helper.from_array(values.astype(np.float32), label) for label, values in weights]
    body = helper.make_graph(nodes, "g", [tensor("x", WIDTH)], [tensor("logits", OUT), tensor("normaliser", 1)], constants)
    return helper.make_model(body, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)


def run(model, x):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(["logits", "normaliser"], {"x": x})


class Quantising(unittest.TestCase):
    def setUp(self):
        chance = np.random.RandomState(1)
        self.x = (chance.randn(9, WIDTH) * chance.lognormal(size=(9, 1))).astype(np.float32)

    def test_says_nearly_the_same_in_a_quarter_of_the_bytes(self):
        plain, small = graph(), quantise(graph())
        for wanted, found in zip(run(plain, self.x), run(small, self.x)):
            self.assertEqual(wanted.shape, found.shape)
            self.assertLess(np.abs(wanted - found).max() / np.abs(wanted).max(), 0.02)
        self.assertLess(small.ByteSize(), plain.ByteSize() / 3.5)

    def test_gives_a_row_the_same_bits_alone_and_among_others(self):
        small = quantise(graph())
        together = run(small, self.x)
        for rows in (2, 3, 8):
            for wanted, found in zip(together, run(small, self.x[:rows])):
                self.assertTrue((wanted[:rows] == found).all())

    def test_a_row_of_zeros_gives_the_bias(self):
        logits, _ = run(quantise(graph()), np.zeros((2, WIDTH), np.float32))
        self.assertTrue(np.isfinite(logits).all())

    def test_leaves_gates_and_small_products_as_they_are(self):
        kinds = [node.op_type for node in quantise(graph("gate.0.weight")).graph.node]
        self.assertEqual((kinds.count("Gemm"), kinds.count("MatMulIntegerToFloat")), (1, 1))
        self.assertNotIn("ReduceLogSumExp", kinds)

    def test_leaves_the_products_it_is_told_to_as_they_are(self):
        table = next(numpy_helper.to_array(tensor) for tensor in graph().graph.initializer if tensor.name == "table")
        kinds = [node.op_type for node in quantise(graph(), exact=[table.copy()]).graph.node]
        self.assertEqual((kinds.count("MatMul"), kinds.count("MatMulIntegerToFloat")), (1, 1))


if __name__ == "__main__":
    unittest.main()
