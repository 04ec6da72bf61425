"""Made-up lists of tools for goals of training rows: the right ones among others, or only others."""
import random

# Made-up lists: how many, and the share of them that have no right tool.
LISTS, NOTHING_FITS = 3000, 0.2


class Lists:
    """A growing list of (goal, tools, places of the right tools)."""

    def __init__(self, chance):
        self.chance, self.found = chance, []

    def offer(self, goal, right, wrong, sizes):
        """Adds the right tools among a sample of wrong ones; at times the wrong ones alone. `sizes`: least and most of these."""
        low, high = sizes
        # Log-uniform sizes, since callers bring 3 tools as often as 30.
        size = min(len(wrong), int(low * (high / low) ** self.chance.random()))
        tools = self.chance.sample(wrong, size)
        if self.chance.random() < NOTHING_FITS and tools:
            self.found.append((goal, tools, []))
            return
        tools = tools + right
        self.chance.shuffle(tools)
        self.found.append((goal, tools, [place for place, tool in enumerate(tools) if any(tool is good for good in right)]))


def offer_metatool(sets, lists, chance):
    """One tool of MetaTool's catalogue among all others of it."""
    catalog = [{"name": row["name"], "description": row["description"]} for row in sets.get("tool_catalog", []) if row["source"] == "metatool"]
    pool = {tool["name"].lower(): tool for tool in catalog}
    named = [row for row in sets.get("metatool_single", []) if row["actions"][0].lower() in pool]
    for row in chance.sample(named, min(LISTS // 4, len(named))):
        good = pool[row["actions"][0].lower()]
        lists.offer(row["goal"], [good], [tool for tool in catalog if tool is not good], (2, 199))


def offer_traject(sets, lists, chance):
    """The tools of a TRAJECT-Bench row among others of its domain."""
    rows = sets.get("traject_bench", [])
    domains = {}
    for row in rows:
        for tool in row["tools"]:
            domains.setdefault(row["domain"], {}).setdefault(tool["name"], tool)
    for row in chance.sample(rows, min(LISTS // 4, len(rows))):
        names = dict.fromkeys(row["actions"])  # in their order: a set's order changes from process to process
        own = domains[row["domain"]]
        lists.offer(row["goal"], [own[name] for name in names if name in own], [tool for name, tool in own.items() if name not in names], (2, 40))


def offer_sealtools(sets, lists, chance):
    """The tools of a Seal-Tools row among the others of its list and some of other rows."""
    rows = [row for row in sets.get("sealtools_dev", []) if len(row["tools"]) > 1]
    all_tools = [tool for row in rows for tool in row["tools"]]
    for row in rows:
        names = set(row["actions"])
        right = [tool for tool in row["tools"] if tool["name"] in names]
        near = [tool for tool in row["tools"] if tool["name"] not in names]
        if near and right:
            far = [tool for tool in chance.sample(all_tools, min(30, len(all_tools))) if tool["name"] not in names]
            lists.offer(row["goal"], right, near + far[: chance.randrange(0, 20)], (1, 30))


def offer_sgd(sets, lists, chance):
    """A call of a Schema-Guided dialogue among the other methods of its services and some of other services."""
    rows = [row for row in sets.get("sgd_train", []) if row.get("steps")]
    services = {}
    for row in rows:
        for tool in row["tools"]:
            services.setdefault(tool["name"], tool)
    for row in chance.sample(rows, min(LISTS // 3, len(rows))):
        calls = [step for step in row["steps"] if step["action"] in services]
        if calls:
            step = chance.choice(calls)
            good = next((tool for tool in row["tools"] if tool["name"] == step["action"]), None)
            own = {tool["name"] for tool in row["tools"]}
            foreign = [tool for name, tool in services.items() if name != step["action"] and name not in own]
            others = [tool for tool in row["tools"] if tool is not good] + foreign[: chance.randrange(0, 30)]
            if good and others and step.get("state"):
                lists.offer(step["state"], [good], others, (1, 30))


def train_lists(sets, seed):
    """[(goal, tools, places of the right tools)] of the training rows."""
    chance = random.Random(seed)
    lists = Lists(chance)
    for offer in (offer_metatool, offer_traject, offer_sealtools, offer_sgd):
        offer(sets, lists, chance)
    chance.shuffle(lists.found)
    return lists.found
