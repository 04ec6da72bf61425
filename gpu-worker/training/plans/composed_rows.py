"""Rows of goals composed of one to five wishes. Each wish asks for one step, and only its own words say which."""
import random

from ..actions.mapping import NameReader
from ..data.authored import fill
from ..data.catalog import catalog_goals
from ..data.choose_rows import NEUTRAL_STATE
from ..texts.goal_parts import goal_parts
from .plan_rows import PlanRow

# Number of composed goals, and what each counts in the training.
COMPOSED, COMPOSED_WEIGHT = 9000, 1.0
# Number of wishes in one goal; a single one is a plan of one step.
WISHES_A_GOAL = (1, 2, 2, 3, 3, 3, 4, 5)
# Shares of our own wishes and of the families' parts; the rest are commands of data sets. Then the share of parts that follow a
# sentence which asks for nothing.
WISHED, OWN, TELLING = 0.4, 0.3, 0.15
JOINTS = (", then ", " and ", ". ", ", and ", ". Then ", "; ", ", and then ", ". After that ", ", ")
# Most parts of each set of commands.
SINGLE_SETS = {"clinc150_train": 2500, "snips_train": 400, "home_assistant_intents_en": 500, "glosses": 1806}
# Most characters of a part, and most parts that are descriptions of the catalogue's tools.
LONGEST_PART, CATALOG_CAP = 90, 2500


def opens_with_verb(text, reader):
    return text.lower().split(maxsplit=1)[0].strip(",.") in reader.lexicon.verbs if text.strip() else False


def single_parts(sets, families, seed):
    """([(text, [names])] of families whose wording has a part for each step, the same of sets of commands and of the catalogue)."""
    chance, found, reader = random.Random(f"{seed}singles"), [], NameReader()
    for family in families:
        for goal in family.goals:
            parts = goal_parts(goal)
            for plan in family.plans[:1]:
                if len(parts) == len(plan) and all(opens_with_verb(part, reader) for part in parts):
                    for part, step in zip(parts, plan):
                        slots = {name: [chance.choice(values)] for name, values in family.slots.items()}
                        found.append((fill(part, slots, chance), step))
    own = len(found)
    for stem, cap in SINGLE_SETS.items():
        rows = [row for row in sets.get(stem, []) if len(row.get("actions") or []) == 1]
        rows = [row for row in rows if len(row["goal"]) < LONGEST_PART and opens_with_verb(row["goal"], reader)]
        found += [(row["goal"], row["actions"]) for row in chance.sample(rows, min(cap, len(rows)))]
    named = [(goal, [name]) for goal, name in catalog_goals(sets) if len(goal) < LONGEST_PART and reader.read(name)[1] is not None]
    found += chance.sample(named, min(CATALOG_CAP, len(named)))
    return found[:own], found[own:]


def composed_rows(sets, seed, families, wishes):
    """Rows of one to five wishes in one goal, some with a sentence between them that asks for nothing."""
    chance = random.Random(f"{seed}composed")
    own, others = single_parts(sets, families, seed)
    kinds = [(WISHED, [wish for wish in wishes if wish[1]]), (OWN, own), (1 - WISHED - OWN, others)]
    kinds = [(share, pool) for share, pool in kinds if pool]
    shares, pools = zip(*kinds) if kinds else ((), ())
    told = [wish for wish in wishes if not wish[1]]
    found = []
    for _ in range(COMPOSED if pools else 0):
        picked = []
        for _ in range(chance.choice(WISHES_A_GOAL)):
            if told and chance.random() < TELLING:
                picked.append(chance.choice(told))
            picked.append(chance.choice(*chance.choices(pools, shares)))
        goal = ""
        for text, _ in picked:
            text, joint = text.strip().rstrip(".?!;,"), chance.choice(JOINTS)
            text = text[:1].upper() + text[1:] if not goal or joint == ". " else text[:1].lower() + text[1:]
            goal = text if not goal else goal + joint + text
        found.append(PlanRow("composed", goal, [(0, NEUTRAL_STATE)], [list(names) for _, names in picked if names], COMPOSED_WEIGHT))
    return found
