"""Builds the frozen vocabulary of 903 actions: actions.json, verbs.json and objects.json of a checkpoint.

Run: python3 -m training.actions.build_actions DATA_DIR OUT_DIR
DATA_DIR holds train/*.jsonl.gz as described in data/rows.py. Deterministic: the same data and
vocabulary_*.py give the same bytes. ids 0-66 are the core set; 67-902 are 560 verb x object-class pairs
chosen by how many tool names of the training data fall on them, then the compounds, domain verbs and
dialogue actions of vocabulary_actions.py. Changing an id after a release breaks every client that stored one.
"""
import argparse
import collections
import gzip
import json
import math
import pathlib
import re

from .lexicon import Lexicon
from .vocabulary_actions import BANNED, CORE, CORE_GLOSSES, DIALOGUE, DOMAIN, GLOSSES, INTERFACE, LIKELY, OPEN_VERBS, PINNED
from .vocabulary_words import OBJECTS, PHRASES, PLURALS, VERBS

# Number of actions of each category beside the core set.
EXTENSION_QUOTA = {"retrieval": 270, "navigation": 114, "interaction": 399, "system": 53}
# Most pairs with one verb, and with one object class in a category: otherwise a few would take most of the places.
PAIRS_PER_VERB = collections.defaultdict(lambda: 14, {"get": 60, "search": 42, "check": 24, "create": 32, "update": 26, "delete": 20})
PAIRS_PER_OBJECT = {"retrieval": 5, "navigation": 3, "interaction": 8}
# Enterprise API listings and parameter names are weighted low: they are many, and people ask for other things.
SOURCE_WEIGHTS = {"apizoo": 0.2, "traject": 0.3}
# Added to the weight of a pair in LIKELY.
LIKELY_HEAD_START = 5
CORE_EFFECTS = {"retrieval": "look", "navigation": "move", "interaction": "write", "system": "none"}


def training_names(data_dir):
    """(name, uses, weight of its source) for every distinct tool or action name of a source."""
    for path in sorted((data_dir / "train").glob("*.jsonl.gz")):
        counts, shares = collections.Counter(), {}
        # Names of shell programs ("tar"), not of actions.
        if path.name.startswith("tldr"):
            continue
        with gzip.open(path, "rt") as lines:
            for line in lines:
                row = json.loads(line)
                names = [row["name"]] if "name" in row else row["actions"] + row.get("fine_actions", [])
                counts.update(names)
                shares.update(dict.fromkeys(names, SOURCE_WEIGHTS.get(row["source"], 1)))
        yield from ((name, count, shares[name]) for name, count in counts.items() if "deprecat" not in name.lower())


def pair_weights(data_dir, lexicon):
    """{(verb, object class): how much the names of the training data call for that pair}."""
    weights = collections.Counter()
    for name, count, share in training_names(data_dir):
        verb, kind = lexicon.read(name)
        if verb and kind and VERBS[verb][0] != "system":
            # Distinct names count most, so that a large source does not decide the vocabulary alone.
            weights[verb, kind] += share * (1 + 0.5 * math.log1p(count))
    return weights


def split_pair(name):
    verb = max((verb for verb in VERBS if name.startswith(verb + "_")), key=len, default="")
    kind = name[len(verb) + 1 :]
    if kind not in OBJECTS:
        raise SystemExit(f"pair {name} has no verb or object class")
    return verb, kind


def choose_pairs(weights, taken, quota):
    """The pinned pairs, then the heaviest of the others that the quotas admit."""
    chosen, per_verb, per_object = {}, collections.Counter(), collections.Counter()

    def add(verb, kind):
        category = VERBS[verb][0]
        chosen[f"{verb}_{kind}"] = (verb, kind)
        per_verb[verb] += 1
        per_object[category, kind] += 1
        quota[category] -= 1

    for name in PINNED:
        if name not in taken and name not in chosen:
            add(*split_pair(name))
    ranked = collections.Counter(weights)
    likely = {split_pair(name) for name in LIKELY}
    for pair in likely:
        ranked[pair] += LIKELY_HEAD_START
    for (verb, kind), _ in sorted(ranked.items(), key=lambda entry: (-entry[1], entry[0])):
        category, name = VERBS[verb][0], f"{verb}_{kind}"
        full = per_verb[verb] >= PAIRS_PER_VERB[verb] or per_object[category, kind] >= PAIRS_PER_OBJECT[category]
        if name in taken or name in chosen or name in BANNED or verb == kind or full or (verb not in OPEN_VERBS and (verb, kind) not in likely) or quota[category] == 0:
            continue
        add(verb, kind)
    if any(quota.values()):
        raise SystemExit(f"quota not met: {quota}")
    return chosen


def plural(words):
    last = words.split()[-1]
    if last in PLURALS:
        return words[: -len(last)] + PLURALS[last]
    if re.search(r"[^aeiou]y$", words):
        return words[:-1] + "ies"
    return words + ("es" if re.search(r"(s|x|ch|sh)$", words) else "s")


def gloss_of(verb, kind):
    """The sentence that describes a pair: its own (GLOSSES), else the verb's pattern filled in."""
    if f"{verb}_{kind}" in GLOSSES:
        return GLOSSES[f"{verb}_{kind}"]
    words = PHRASES.get(kind, kind.replace("_", " "))
    uncounted = OBJECTS[kind].startswith("*")
    article = "an" if re.match(r"[aeio]|u[^ns]|un[^i]|http", words) else "a"
    return VERBS[verb][2].format(
        a=words if uncounted else f"{article} {words}",
        the=f"the {words}",
        plural=words if uncounted else plural(words),
        noun=words,
    )


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("data", type=pathlib.Path)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--show-weights", action="store_true")
    options = arguments.parse_args()

    lexicon = Lexicon()
    actions = []
    for category, names in (("system", CORE["system"]), *((c, CORE[c]) for c in ("retrieval", "navigation", "interaction"))):
        actions += [(name, category, CORE_EFFECTS[category], CORE_GLOSSES[name], name, None) for name in names]
    commit_core = {name for name, entry in VERBS.items() if entry[1] == "commit"}
    actions = [(n, c, "commit" if n in commit_core else "move" if n == "scroll" else e, g, v, o) for n, c, e, g, v, o in actions]
    taken = {action[0] for action in actions}
    quota, curated = dict(EXTENSION_QUOTA), []
    for group in (INTERFACE, DOMAIN, DIALOGUE):
        for heading, entries in group.items():
            category, effect = heading.split()
            quota[category] -= len(entries)
            for name, gloss in entries.items():
                verb, kind = lexicon.read(name) if group is INTERFACE else (name, None)
                curated.append((name, category, effect, gloss, verb, kind))
    taken |= {action[0] for action in curated}
    weights = pair_weights(options.data, lexicon)
    pairs = choose_pairs(weights, taken, quota)
    # Grouped by category, then by verb and object, so that neighbours in the list are neighbours in meaning.
    order = {category: place for place, category in enumerate(EXTENSION_QUOTA)}
    verb_order = {verb: place for place, verb in enumerate(VERBS)}
    for name, (verb, kind) in sorted(pairs.items(), key=lambda p: (order[VERBS[p[1][0]][0]], verb_order[p[1][0]], p[1][1])):
        category, effect, _, _ = VERBS[verb]
        actions.append((name, category, effect, gloss_of(verb, kind), verb, kind))
        if options.show_weights:
            print(f"{weights[verb, kind]:7.1f} {category:12} {name:28} {actions[-1][3]}")
    actions += curated

    rows = [
        {"id": i, "name": n, "category": c, "gloss": g, "effect": e, "verb": v, "object": o}
        for i, (n, c, e, g, v, o) in enumerate(actions)
    ]
    assert len(rows) == 903 and len({row["name"] for row in rows}) == 903, len(rows)
    verbs = {verb: {"category": c, "effect": e, "synonyms": s.split()} for verb, (c, e, _, s) in VERBS.items()}
    objects = {kind: members.strip("*").split() for kind, members in OBJECTS.items()}
    options.out.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(row) for row in rows)
    (options.out / "actions.json").write_text(f"[\n{lines}\n]\n")
    for name, table in (("verbs", verbs), ("objects", objects)):
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in table.items())
        (options.out / f"{name}.json").write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
