"""One run of the training: its options, its data and the figures that the stages hand on."""
import argparse
import functools
import json
import pathlib
import time

import torch

from ..actions.ids import NEVER_MAPPED
from ..data.authored import read_families, read_requests, read_sessions, read_wishes
from ..data.rows import sets_in
from ..heads.heads import HIDDEN
from ..machine.places import ACTIONS, AUTHORED
from ..texts.templates import name_words
from ..texts.wordpiece import WordPiece

say = functools.partial(print, flush=True)


def parser_of(description):
    """The arguments of every run."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    for name in ("data", "package", "work", "out"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--authored", type=pathlib.Path, default=AUTHORED, help="families, wishes, requests and sessions of our own")
    parser.add_argument("--actions", type=pathlib.Path, default=ACTIONS)
    parser.add_argument("--size", choices=list(HIDDEN), default="base")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    return parser


def gloss_rows(actions):
    """Each action as an episode: its gloss and its name are goals that it reaches."""
    found = [action for action in json.loads(actions.read_text()) if action["id"] not in NEVER_MAPPED]
    goals = [(goal, action["name"]) for action in found for goal in (action["gloss"], name_words(action["name"]))]
    return [{"source": "glosses", "goal": goal, "actions": [name]} for goal, name in goals]


class Run:
    """The options, the data, and the values that stages hand on."""

    def __init__(self, options, started=None):
        """`started`: when the run began, for a part of it in a process of its own."""
        torch.set_num_threads(options.threads)
        torch.use_deterministic_algorithms(True)  # sums over threads in one order: the same seed, the same bits
        self.options = options
        self.model_dir = options.package / "model"
        self.tokenizer = WordPiece(self.model_dir / "tokenizer.json")
        self.train, self.dev = sets_in(options.data / "train"), sets_in(options.data / "dev")
        self.train["glosses"] = gloss_rows(options.actions)
        self.families, self.wishes = read_families(options.authored / "families"), read_wishes(options.authored / "wishes")
        self.requests, self.sessions = read_requests(options.authored / "requests"), read_sessions(options.authored / "sessions")
        options.work.mkdir(parents=True, exist_ok=True)
        options.out.mkdir(parents=True, exist_ok=True)
        self.figures = {"seed": options.seed, "size": options.size}
        self.started = started or time.time()

    def steps(self, full):
        """How many of a training's `full` steps this run takes."""
        return max(1, round(full * self.options.steps_share))

    def stage(self, name):
        say(f"== {name} at {(time.time() - self.started) / 60:.1f} min")
