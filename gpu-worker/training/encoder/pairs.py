"""Goal <-> tool pairs for the encoder's contrastive training.

A pair is (query, positive, also right, hard negatives), all of them texts. `also right` are other tools
of the same goal: neither positive nor negative for that row.
"""
import collections
import random
from dataclasses import dataclass, field

from ..data.catalog import catalog_goals, catalog_of
from ..texts.templates import name_words, tool_text

# Share of the batches that each source gets. Sources that are not listed have no tools, or only templates.
SOURCE_SHARES = {
    "metatool": 0.15, "seal": 0.10, "traject": 0.14, "catalog": 0.12, "sgd": 0.12, "tldr": 0.10,
    "clinc150": 0.08, "banking77": 0.05, "snips": 0.02, "star": 0.05, "home-assistant": 0.03, "n8n": 0.02, "taskmaster4": 0.02,
}  # fmt: skip


@dataclass
class Pair:
    query: str
    positive: str
    also_right: frozenset = frozenset()
    negatives: list = field(default_factory=list)


def _listed(row, query, wanted):
    """Pairs of a row that carries its tool list: every other tool of the list is a hard negative."""
    texts = {tool["name"]: tool_text(tool["name"], tool.get("description", "")) for tool in row["tools"]}
    right = frozenset(texts[name] for name in row["actions"] if name in texts)
    negatives = [text for text in texts.values() if text not in right]
    return [Pair(query, texts[name], right, negatives) for name in dict.fromkeys(wanted) if name in texts]


def _metatool(rows, catalog):
    # The rows and the pool spell a tool's name differently (FinanceTool, financetool).
    known = {name.lower(): text for (source, name), text in catalog.items() if source == "metatool"}
    return [Pair(row["goal"], known.get(name.lower(), tool_text(name))) for row in rows for name in row["actions"]]


def _sgd(rows):
    for row in rows:
        listed = {tool["name"] for tool in row["tools"]}
        yield from _listed(row, row["goal"], row["actions"])
        for step in row.get("steps", []):
            if step["action"] in listed:
                yield from _listed({**row, "actions": [step["action"]]}, step["state"], [step["action"]])


def _star(rows):
    for row in rows:
        for step in row.get("steps", []):
            if step["action"].startswith("query_"):
                yield Pair(step["state"], name_words(step["action"]))


def _n8n(rows):
    for row in rows:
        if len(row["goal"]) > 40 and row["labels"]:
            names = list(dict.fromkeys(row["labels"]))[:4]
            right = frozenset(map(name_words, names))
            yield from (Pair(row["goal"], name_words(name), right) for name in names)


def build_pairs(sets):
    """{source: [Pair]} from the training sets ({file stem: rows})."""
    catalog = catalog_of(sets)
    pairs = collections.defaultdict(list)
    for stem, rows in sets.items():
        if stem == "metatool_single":
            pairs["metatool"] += _metatool(rows, catalog)
        elif stem.startswith("sealtools"):
            for row in rows:
                pairs["seal"] += _listed(row, row["goal"], row["actions"])
        elif stem == "traject_bench":
            for row in rows:
                pairs["traject"] += _listed(row, row["goal"], row["actions"])
        elif stem == "sgd_train":
            pairs["sgd"] += list(_sgd(rows))
        elif stem == "star":
            pairs["star"] += list(_star(rows))
        elif stem == "n8n_workflows":
            pairs["n8n"] += list(_n8n(rows))
        elif stem.startswith("tldr"):
            for row in rows:
                pairs["tldr"] += [Pair(row["goal"], tool_text(row["actions"][0], row["state"]))]
        elif stem.startswith("home_assistant"):
            for row in rows:
                domain = name_words(row.get("domain", "").split("_Hass")[0])
                pairs["home-assistant"] += [Pair(row["goal"], f"{name_words(row['actions'][0])}: {domain}")]
        elif stem == "taskmaster4_coffee":
            for row in rows:
                pairs["taskmaster4"] += [Pair(step["state"], name_words(step["action"])) for step in row.get("steps", [])]
        elif stem.split("_")[0] in ("clinc150", "banking77", "snips"):
            pairs[stem.split("_")[0]] += [Pair(row["goal"], name_words(name)) for row in rows for name in row["actions"] if name != "oos"]
    pairs["catalog"] += [Pair(description, words) for description, words in catalog_goals(sets)]
    by_domain = collections.defaultdict(set)
    for row in sets.get("traject_bench", []):
        by_domain[row["domain"]].update(tool_text(tool["name"], tool.get("description", "")) for tool in row["tools"])
    pools = {domain: sorted(texts) for domain, texts in by_domain.items()}
    domains = {row["goal"]: row["domain"] for row in sets.get("traject_bench", [])}
    for pair in pairs["traject"]:
        pair.negatives = pools[domains[pair.query]]
    return {source: found for source, found in pairs.items() if found}


class Batches:
    """Endless seeded batches: a few sources each, so that most in-batch negatives come from the same source."""

    def __init__(self, pairs, seed, size=120, sources_per_batch=4, negatives_per_batch=60):
        self.pairs, self.size, self.per_batch, self.extra = pairs, size, sources_per_batch, negatives_per_batch
        self.random = random.Random(seed)
        self.names = [name for name in SOURCE_SHARES if name in pairs]
        self.place = dict.fromkeys(self.names, 0)
        for name in self.names:
            self.random.shuffle(pairs[name])

    def _take(self, name, count):
        rows = self.pairs[name]
        taken = []
        while len(taken) < count:
            if self.place[name] >= len(rows):
                self.random.shuffle(rows)
                self.place[name] = 0
            taken.append(rows[self.place[name]])
            self.place[name] += 1
        return taken

    def next(self):
        """(pairs, hard negative texts)."""
        chosen = []
        while len(chosen) < min(self.per_batch, len(self.names)):
            (name,) = self.random.choices(self.names, [SOURCE_SHARES[n] for n in self.names])
            if name not in chosen:
                chosen.append(name)
        batch = [pair for name in chosen for pair in self._take(name, self.size // len(chosen))]
        hard = [self.random.choice(pair.negatives) for pair in batch if pair.negatives]
        self.random.shuffle(hard)
        return batch, hard[: self.extra]
