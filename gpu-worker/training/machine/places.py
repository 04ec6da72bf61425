"""Paths of the repository's files that training reads and writes. No other module computes one from its own place, so modules may move."""
import pathlib

TRAINING = pathlib.Path(__file__).parents[1]
REPOSITORY = TRAINING.parents[1]
# The texts of our own, and a few made-up rows for tests.
AUTHORED, SAMPLE = TRAINING / "authored", TRAINING / "sample"
CHECKPOINT = TRAINING.parent / "checkpoints" / "base"
# Files of the checkpoint that the server reads too: the 903 actions, and words that are verbs in a name only.
ACTIONS, NAME_VERBS = CHECKPOINT / "actions.json", CHECKPOINT / "name-verbs.json"
