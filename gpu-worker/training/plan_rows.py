"""Rows of whole plans over the 903 actions: from the data sets and from the goal families of our own (authored/)."""
import random
from dataclasses import dataclass

from .authored import fill
from .beginnings import REPLIES, beginning
from .data import is_held_out
from .episodes import CHATS, NAMED_THINGS, NEUTRAL_STATE, choose_usable, texts_of
from .goal_parts import goal_parts
from .mapping import NameReader
from .pairs import catalog_goals

# Longest plan in training; a caller may ask for ten steps.
LONGEST_PLAN = 12
# Most rows of each set. Sets of single commands are kept small: they teach that plans are short.
CAPS = {
    "alfred_train": 6000, "sgd_train": 5000, "star": 2500, "miniwob_demos": 3600, "multidogo_train": 5000, "taskmaster4_coffee": 1200,
    "virtualhome_programs": 1115, "n8n_workflows": 300, "agentbench_kg": 300, "fireact": 400, "webshop_goals": 200, "traject_bench": 400,
    "sealtools_dev": 400, "metatool_single": 200, "clinc150_train": 1500, "banking77_train": 500, "snips_train": 500, "home_assistant_intents_en": 400,
    "tldr_commands": 200, "glosses": 903,
}  # fmt: skip
# The library of episodes holds other shares of these sets than the decoder learns from. VirtualHome's programs are left out: they are
# robots' walks under people's goals ("Turn on TV") and in people's states, so nothing tells which goals are theirs.
LIBRARY_CAPS = {
    **CAPS, "virtualhome_programs": 0, "alfred_train": 9000, "multidogo_train": 9000, "star": 1800, "taskmaster4_coffee": 1000,
    "n8n_workflows": 400, "traject_bench": 800,
}  # fmt: skip
# How many rows each wording of a family gives, and how often a row counts.
FILLS, FAMILY_WEIGHT = 2, 3.0
# Share of a family's rows that begin after its first steps.
MIDDLES = 0.25


@dataclass
class PlanRow:
    source: str
    goal: str
    # (steps already done, the state then): the beginning, and one place in the middle if it was recorded.
    states: list
    # Action names; each step is a list of equally right ones, the usual one first.
    actions: list
    weight: float = 1.0
    # Names of the steps taken before the first state.
    history: tuple = ()
    # Number of the plan's steps that lie before `actions`, which the history or only the state tells of.
    done: int = 0


def data_rows(sets, seed, caps=CAPS):
    """Rows of the data sets, under the caps. Dialogues and pages keep their own states; half of the others begin as chats do."""
    chance, found, reader = random.Random(f"{seed}plans"), [], NameReader()
    chosen = []
    for stem, cap in sorted(caps.items()):
        usable = choose_usable(stem, [row for row in sets.get(stem, []) if row.get("actions") and row.get("goal") and not is_held_out(row)], seed)
        if stem in NAMED_THINGS:
            usable = [row for row in usable if reader.read(row["actions"][0])[1] is not None]
        chosen += [(stem, row) for row in usable[:cap]]
    asked = [row["goal"] for _, row in chosen]
    for stem, row in chosen:
        blank = beginning(chance, asked, REPLIES) if stem != "miniwob_demos" and chance.random() < CHATS else NEUTRAL_STATE
        goal, states, names, _ = texts_of(row, blank)
        names = names[:LONGEST_PLAN]
        seen = [(0, states[0])]
        if row.get("steps") and len(names) > 1:
            middle = chance.randrange(1, len(names))
            seen.append((middle, states[middle]))
        found.append(PlanRow(stem, goal, seen, [[name] for name in names]))
    return found


def family_rows(seed, families):
    """Rows of the families: every wording, filled in, each with one of the family's states and plans."""
    chance, found = random.Random(f"{seed}families"), []
    asked = [goal for family in families for goal in family.goals if "{" not in goal]
    for family in families:
        for goal in family.goals:
            for _ in range(FILLS if "{" in goal else 1):
                slots = {name: [chance.choice(values)] for name, values in family.slots.items()}
                begins = [text for done, text in family.states if done == 0]
                middles = [(done, text) for done, text in family.states if 0 < done < len(family.plans[0])]
                plan, done = chance.choice(family.plans), 0
                state = chance.choice(begins) if begins and chance.random() < 0.5 else NEUTRAL_STATE
                if state == NEUTRAL_STATE and chance.random() < CHATS:
                    state = beginning(chance, asked, REPLIES)
                if middles and chance.random() < MIDDLES:
                    plan, (done, state) = family.plans[0], chance.choice(middles)
                history = tuple(step[0] for step in plan[:done]) if chance.random() < 0.5 else ()
                text, states = fill(goal, slots, chance), [(0, fill(state, slots, chance))]
                found.append(PlanRow(f"family:{family.area}", text, states, plan[done:], FAMILY_WEIGHT, history, done))
    return found


REQUEST_WEIGHT = 3.0


def request_rows(seed, requests):
    """Rows of whole requests: the actions that their parts ask for, in order. Each request has only one wording, so it counts
    several times."""
    chance, found = random.Random(f"{seed}requests"), []
    goals = [" ".join(text for text, _ in parts) for parts in requests]
    for goal, parts in zip(goals, requests):
        state = beginning(chance, goals, REPLIES) if chance.random() < CHATS else NEUTRAL_STATE
        found.append(PlanRow("request", goal, [(0, state)], [names for _, names in parts if names], REQUEST_WEIGHT))
    return found


# Goals composed of parts of others: each part asks for one step, and only its own words say which.
COMPOSED, COMPOSED_WEIGHT = 9000, 1.0
# Number of wishes in one goal; a single one is a plan of one step.
WISHES_A_GOAL = (1, 2, 2, 3, 3, 3, 4, 5)
# Shares of our own wishes and of the families' parts; the rest are commands of data sets. Then the share of parts that follow a
# sentence which asks for nothing.
WISHED, OWN, TELLING = 0.4, 0.3, 0.15
JOINTS = (", then ", " and ", ". ", ", and ", ". Then ", "; ", ", and then ", ". After that ", ", ")
SINGLE_SETS = {"clinc150_train": 2500, "snips_train": 400, "home_assistant_intents_en": 500, "glosses": 1806}
LONGEST_PART = 90


def opens_with_verb(text, reader):
    return text.lower().split(maxsplit=1)[0].strip(",.") in reader.lexicon.verbs if text.strip() else False


def single_parts(sets, families, seed):
    """[(text, [names])] of wishes for one step: from families whose wording has a part for each step, and from sets of commands."""
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
    found += chance.sample(named, min(2500, len(named)))
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
