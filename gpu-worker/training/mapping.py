"""A source's own action or tool name -> its id among the 903, by the server's rule (world-model/actions.ts).

An action of exactly that name wins; else the highest of cosine(name text, gloss) + a bonus for the same
verb + a bonus for the same object class + a bonus for dialogue actions where the name speaks to the user;
`unk` where that stays under a threshold.
"""
import json
import pathlib
import re
import sys

import numpy as np

from .texts import name_words

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from build_actions import PREPOSITIONS, Lexicon, singular  # noqa: E402

UNKNOWN = 1
NEVER_MAPPED = (0, 1, 2, 3, 9)
VERB_BONUS, OBJECT_BONUS, SPOKEN_BONUS, UNKNOWN_BELOW = 0.25, 0.15, 0.4, 0.58
# Words that speak to the user: anywhere in a name, or only as its first word (there are offers to list).
SPOKEN, SPOKEN_FIRST = {"ask", "inform", "notify"}, {"offer", "confirm"}


def spoken_word(words):
    """`hotel_ask_date` -> ask; None for a name that acts on the task."""
    return next((word for place, word in enumerate(words) if word in SPOKEN or (place == 0 and word in SPOKEN_FIRST)), None)


def last_part(name):
    parts = [part for part in re.split(r"[./:]|__", name) if part]
    return parts[-1] if parts else name


class NameReader:
    """Reads a name as the server does: every word of its last part, its verb, its object class."""

    def __init__(self):
        self.lexicon = Lexicon()

    def read(self, name):
        """(words, verb, object class)."""
        verbs, objects = self.lexicon.verbs, self.lexicon.objects
        words = name_words(last_part(name)).split()
        spans = [(at, size) for size in (2, 1) for at in range(len(words) - size + 1) if "_".join(words[at : at + size]) in verbs]
        plain = [(at, size) for at, size in spans if size == 2 or singular(words[at]) not in objects]
        chosen = min(plain or spans, key=lambda span: (span[0], -span[1]), default=None)
        find = self.lexicon.find_object
        if chosen is None:
            return words, None, find(words)
        at, size = chosen
        after = words[at + size :]
        stop = next((place for place, word in enumerate(after) if word in PREPOSITIONS), len(after))
        kind = find(after[:stop]) or find(words[:at]) or find(after[stop:])
        return words, verbs["_".join(words[at : at + size])], kind


class ActionMap:
    """Maps names, remembering each; `encode` turns texts into unit vectors."""

    def __init__(self, actions_path, encode):
        self.actions = json.loads(pathlib.Path(actions_path).read_text())
        self.encode, self.reader, self.known = encode, NameReader(), {}
        self.vectors = encode([action["gloss"] for action in self.actions])
        self.exact = {action["name"]: action["id"] for action in self.actions if action["id"] not in NEVER_MAPPED}

    def ids(self, names):
        """{name: id}."""
        missing = sorted(set(names) - set(self.known))
        readings = [self.reader.read(name) for name in missing]
        vectors = self.encode([" ".join(words) for words, _, _ in readings]) if missing else []
        for name, (words, verb, kind), vector in zip(missing, readings, vectors):
            self.known[name] = self._best(words, verb, kind, vector)
        return {name: self.known[name] for name in names}

    def _best(self, words, verb, kind, vector):
        found = self.exact.get("_".join(words))
        if found is not None:
            return found
        scores, spoken = self.vectors @ vector, spoken_word(words)
        for action in self.actions:
            same_verb = action["verb"] is not None and action["verb"] in (verb, words[0] if words else None)
            same_object = action["object"] is not None and action["object"] == kind
            speaks = spoken is not None and action["category"] == "system" and action["name"].startswith(spoken + "_")
            scores[action["id"]] += VERB_BONUS * same_verb + OBJECT_BONUS * same_object + SPOKEN_BONUS * speaks
        scores[list(NEVER_MAPPED)] = -np.inf
        best = int(scores.argmax())
        return best if scores[best] > UNKNOWN_BELOW else UNKNOWN
