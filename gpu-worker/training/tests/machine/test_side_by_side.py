"""Two parts of a run at once. Needs PyTorch."""
import argparse
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import torch
except ImportError:
    raise unittest.SkipTest("PyTorch is not installed")

from training.machine.places import TRAINING
from training.machine.side_by_side import beside

HERE = TRAINING.parent
KILLED = """
import argparse, os, sys, time
from training.machine.side_by_side import beside
from training.tests.machine.test_side_by_side import wait_for_ever
if __name__ == "__main__":
    with beside(wait_for_ever, argparse.Namespace(threads=2), sys.argv[1]):
        time.sleep(60)
"""


def write_threads(options, path):
    pathlib.Path(path).write_text(str(options.threads))


def fail(_options):
    raise SystemExit(3)


def wait_for_ever(_options, path):
    pathlib.Path(path).write_text(str(os.getpid()))
    time.sleep(60)


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def eventually(holds):
    until = time.time() + 30
    while not holds() and time.time() < until:
        time.sleep(0.1)
    return holds()


class SideBySide(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.path = pathlib.Path(place.name) / "told"
        threads = torch.get_num_threads()
        self.addCleanup(lambda: torch.set_num_threads(threads))

    def test_each_part_has_half_of_the_threads_and_one_at_least(self):
        for threads, half in ((4, 2), (3, 1), (1, 1)):
            options = argparse.Namespace(threads=threads)
            with beside(write_threads, options, self.path):
                self.assertEqual((torch.get_num_threads(), options.threads), (half, half))
            self.assertEqual(self.path.read_text(), str(half))

    def test_a_part_that_fails_ends_the_run_after_the_other_is_done(self):
        done = []
        with self.assertRaisesRegex(SystemExit, "fail ended with 3"):
            with beside(fail, argparse.Namespace(threads=2)):
                done.append("body")
        self.assertEqual(done, ["body"])

    @unittest.skipIf(not pathlib.Path("/proc").exists(), "no /proc to see processes in")
    def test_a_part_ends_with_a_run_that_is_killed(self):
        script = self.path.with_name("killed.py")
        script.write_text(KILLED)
        with subprocess.Popen([sys.executable, str(script), str(self.path)], env={**os.environ, "PYTHONPATH": str(HERE)}, cwd=HERE) as run:
            self.assertTrue(eventually(lambda: self.path.exists() and self.path.read_text()))
            part = self.path.read_text()
            self.assertTrue(is_alive(part))
            run.send_signal(signal.SIGKILL)
        self.assertTrue(eventually(lambda: not is_alive(part)))


if __name__ == "__main__":
    unittest.main()
