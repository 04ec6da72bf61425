"""A source's own action or tool name -> its id among the 903, by the server's rule (world-model/actions.ts).

An action of exactly that name wins; else the highest of cosine(name text, gloss) + a bonus for the same verb + one
for the same object class + one for the bare verb where no action has both + one for an action whose words the name
contains in their order. A name of dialogue maps to dialogue actions only. A name that reads loses score on actions that write,
and the reverse. `unk` if no action reaches a threshold.
"""
import json
import pathlib
import re

import numpy as np

from ..machine.places import NAME_VERBS
from ..texts.templates import name_words
from .ids import NEVER_MAPPED, UNKNOWN
from .lexicon import PREPOSITIONS, Lexicon, singular

VERB_BONUS, OBJECT_BONUS, SPOKEN_BONUS, UNKNOWN_BELOW = 0.25, 0.15, 0.4, 0.5
BARE_BONUS, CONTAINED_BONUS, OTHER_EFFECT = 0.3, 0.2, -0.3
WRITES = ("write", "commit")
# Words that mark a name as dialogue: anywhere in the name, or only as its first word ("offer" may also be a thing to list).
SPOKEN, SPOKEN_FIRST = {"ask", "inform", "notify"}, {"offer", "confirm"}


def spoken_word(words):
    """`hotel_ask_date` -> ask; None for a name that is no dialogue."""
    return next((word for place, word in enumerate(words) if word in SPOKEN or (place == 0 and word in SPOKEN_FIRST)), None)


def families(words):
    """Prefixes of the dialogue actions that fit a name: `hotel_ask_confirm_booking` -> ask_, confirm_."""
    word = spoken_word(words)
    return () if word is None else tuple({f"{word}_", *(["confirm_"] if "confirm" in words else [])})


def contains(words, parts):
    """Whether `words` contains `parts` in this order."""
    left = iter(words)
    return all(part in left for part in parts)


def last_part(name):
    """`service.module/action` -> action: the part after the last dot, slash, colon or double underscore."""
    parts = [part for part in re.split(r"[./:]|__", name) if part]
    return parts[-1] if parts else name


class NameReader:
    """Reads a name as the server does: every word of its last part, its verb, its object class."""

    def __init__(self):
        self.lexicon = Lexicon()
        # Words that mean a verb in a name only ("status_of"), and verbs that are themselves the name of an action ("crop", "undo").
        for verb, words in json.loads(NAME_VERBS.read_text()).items():
            self.lexicon.verbs.update(dict.fromkeys([*words, verb], verb))

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
    """Maps names and caches the results; `encode` turns texts into unit vectors."""

    def __init__(self, actions_path, encode):
        self.actions = json.loads(pathlib.Path(actions_path).read_text())
        self.encode, self.reader, self.known = encode, NameReader(), {}
        self.vectors = encode([action["gloss"] for action in self.actions])
        self.pairs = {(action["verb"], action["object"]) for action in self.actions if action["object"]}
        self.effects = {None: None}
        for action in self.actions:
            self.effects.setdefault(action["verb"], action["effect"])
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
        scores, spoken = self.vectors @ vector, families(words)
        effect, paired = self.effects.get(verb), (verb, kind) in self.pairs
        singulars = [singular(word) for word in words]
        for action in self.actions:
            name, bare = action["name"], action["name"] == verb
            same_verb = bare or (action["verb"] is not None and action["verb"] in (verb, words[0] if words else None))
            same_object = action["object"] is not None and action["object"] == kind
            speaks = action["category"] == "system" and name.startswith(spoken) if spoken else False
            clash = {effect, action["effect"]} in ({"look", "write"}, {"look", "commit"})
            contained = "_" in name and contains(singulars, [singular(word) for word in name.split("_")])
            scores[action["id"]] += (
                VERB_BONUS * same_verb
                + OBJECT_BONUS * same_object
                + SPOKEN_BONUS * speaks
                + BARE_BONUS * (bare and not paired)
                + CONTAINED_BONUS * (contained and not (effect == "look" and action["effect"] in WRITES))
                + OTHER_EFFECT * clash
            )
            if spoken and action["category"] != "system" and action["verb"] != "notify":
                scores[action["id"]] = -np.inf
        scores[list(NEVER_MAPPED)] = -np.inf
        best = int(scores.argmax())
        return best if scores[best] > UNKNOWN_BELOW else UNKNOWN
