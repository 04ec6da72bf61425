"""Reads a name's words: which verb and which object class of the vocabulary they are. Needs nothing but Python."""
import re

from .vocabulary_words import OBJECTS, VERBS

PREPOSITIONS = {"by", "for", "of", "from", "in", "with", "to", "on", "at", "and", "or", "via", "within", "since"}


def words_of(name):
    """A tool's or action's own name as lower-case words: camelCase, snake_case, dots, service prefixes."""
    name = re.split(r"\s-\s|:", name)[-1] if " " in name else name.split("/")[-1]
    name = name.split(".")[-1] if "." in name else name
    name = re.sub(r"\(.*?\)|Intent$|Tool$|API$", "", name)
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", name)
    return [word.lower() for word in re.split(r"[^A-Za-z]+", name) if word]


def singular(word):
    for ending, replacement in (("ies", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"), ("ss", "ss"), ("us", "us"), ("is", "is"), ("s", "")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + replacement
    return word


class Lexicon:
    def __init__(self):
        self.verbs = {word: verb for verb, (_, _, _, synonyms) in VERBS.items() for word in [*synonyms.split(), verb]}
        self.objects = {}
        for kind, members in OBJECTS.items():
            for word in [*members.strip("*").split(), kind]:
                self.objects.setdefault(word, kind)
        self.objects.update({kind: kind for kind in OBJECTS})

    def find_object(self, words):
        for end in range(len(words), 0, -1):
            for size in (3, 2, 1):
                if size <= end:
                    parts = words[end - size : end]
                    for form in ("_".join(parts), "_".join([*parts[:-1], singular(parts[-1])])):
                        if form in self.objects:
                            return self.objects[form]
        return None

    def read(self, name):
        """(verb, object class); either may be None."""
        words = words_of(name)
        spans = [(at, 2) for at in range(len(words) - 1)] + [(at, 1) for at in range(len(words))]
        found = [(at, size) for at, size in spans if "_".join(words[at : at + size]) in self.verbs]
        plain = [span for span in found if span[1] == 2 or singular(words[span[0]]) not in self.objects]
        chosen = min(plain or found, default=None)
        if chosen is None:
            return None, self.find_object(words)
        at, size = chosen
        verb = self.verbs["_".join(words[at : at + size])]
        after = words[at + size :]
        stop = next((index for index, word in enumerate(after) if word in PREPOSITIONS), len(after))
        return verb, self.find_object(after[:stop]) or self.find_object(words[:at]) or self.find_object(after[stop:])
