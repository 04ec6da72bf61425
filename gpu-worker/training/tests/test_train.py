"""The one command from data to OUT, on the sample with a tiny encoder of random weights. Needs PyTorch and onnx; takes two minutes."""
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

try:
    import onnx  # noqa: F401
    import torch  # noqa: F401
except ImportError:
    raise unittest.SkipTest("PyTorch or onnx is not installed")

from training.encoder.weights import write_safetensors
from training.machine.node import find_node
from training.machine.places import CHECKPOINT, REPOSITORY, SAMPLE, TRAINING
from training.tests.made_up_bert import made_up_bert

TOKENIZER = CHECKPOINT / "tokenizer.json"
WRITTEN = {
    "encoder.onnx", "latent.onnx", "act.onnx", "next.onnx", "tools.onnx", "session-reader.onnx", "plan-open.onnx", "plan-step.onnx", "wish-reader.onnx",
    "plan-library.onnx", "plans.json", "heads.json", "tokenizer.json", "action-vectors.bin", "metrics.json",
}  # fmt: skip


def write_package(folder):
    words = len(json.loads(TOKENIZER.read_text())["model"]["vocab"])
    # The encoder's lowest two layers stay as they are. 160 wide the decoder's table is large enough to become int8, as the server expects.
    write_safetensors(folder / "model" / "model.fp16.safetensors", made_up_bert(words, width=160, inner=128, layers=3, positions=256))
    shutil.copyfile(TOKENIZER, folder / "model" / "tokenizer.json")


def run(package, folder, hash_seed, kill_at=None):
    """Runs the command, or kills it as soon as a line holds `kill_at`. Sets are ordered by `hash_seed`."""
    command = [sys.executable, "-m", "training.train", "--steps-share", "0.002", "--threads", "1", "--data", SAMPLE, "--authored", SAMPLE / "authored"]
    command += ["--package", package, "--work", folder / "work", "--out", folder / "out"]
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryFile("w+") as errors:
        with subprocess.Popen([str(one) for one in command], cwd=TRAINING.parent, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True) as process:
            lines = []
            for line in process.stdout:
                lines.append(line)
                if kill_at and kill_at in line:
                    process.kill()
        errors.seek(0)
        if process.returncode != (-signal.SIGKILL if kill_at else 0):
            raise AssertionError(f"ended with {process.returncode}\n{''.join(lines[-20:])}\n{errors.read()}")
    return lines


def written(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted((folder / "out").iterdir())}


class OneCommand(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.place = pathlib.Path(place.name)
        cls.package, cls.straight = cls.place / "package", cls.place / "straight"
        write_package(cls.package)
        cls.said = run(cls.package, cls.straight, hash_seed=1)

    def test_writes_the_same_files_after_being_killed_between_stages_and_within_one(self):
        killed = self.place / "killed"
        for at, line in enumerate(("== heads", "== plans", "wishes: step 0/")):
            run(self.package, killed, hash_seed=2 + at, kill_at=line)
        run(self.package, killed, hash_seed=9)
        self.assertEqual(set(written(self.straight)), WRITTEN)
        self.assertEqual(written(killed), written(self.straight))

    @unittest.skipIf(find_node() is None, "no Node that loads TypeScript")
    def test_learns_from_the_vectors_that_are_served(self):
        for part in ("heads", "plans"):
            self.assertIn(f"{part}: texts are embedded by the served graph\n", self.said)

    @unittest.skipIf(find_node() is None, "no Node that loads TypeScript")
    def test_writes_a_checkpoint_that_the_server_loads_and_plans_with(self):
        checkpoint = self.place / "checkpoints" / "base"
        shutil.copytree(self.straight / "out", checkpoint)
        for name in ("actions", "verbs", "objects", "name-verbs"):
            shutil.copyfile(CHECKPOINT / f"{name}.json", checkpoint / f"{name}.json")
        node = lambda *arguments: subprocess.run([find_node(), *arguments], check=True, capture_output=True).stdout
        node(TRAINING / "write-manifest.ts", checkpoint, "made-up")
        figures = json.loads(node(REPOSITORY / "scripts" / "eval.ts", SAMPLE / "dev", "--json", "--checkpoint", checkpoint))
        self.assertIn("alfred_valid_seen", json.dumps(figures))


if __name__ == "__main__":
    unittest.main()
