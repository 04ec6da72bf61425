"""Rows of whole plans over the 903 actions: of the data sets, and of the goal families and requests of our own (authored/)."""
import random
from dataclasses import dataclass

from ..actions.mapping import NameReader
from ..data.authored import fill
from ..data.beginnings import REPLIES, beginning
from ..data.choose_rows import CHATS, NAMED_THINGS, NEUTRAL_STATE, choose_usable, texts_of, usable_rows

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
# Rows that a wording with slots gives (one without gives one), and what each counts in the training.
FILLS, FAMILY_WEIGHT = 2, 3.0
REQUEST_WEIGHT = 3.0
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
    # Number of the plan's steps before `actions`. They are in `history`, or only to be read from the state.
    done: int = 0


def data_rows(sets, seed, caps=CAPS):
    """Rows of the data sets, under the caps. Dialogues and pages keep their own states; half of the others begin as chats do."""
    chance, found, reader = random.Random(f"{seed}plans"), [], NameReader()
    chosen = []
    for stem, cap in sorted(caps.items()):
        usable = choose_usable(stem, usable_rows(sets.get(stem, [])), seed)
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


def request_rows(seed, requests):
    """Rows of whole requests: the actions that their parts ask for, in order. Each request has only one wording, so it counts
    several times."""
    chance, found = random.Random(f"{seed}requests"), []
    goals = [" ".join(text for text, _ in parts) for parts in requests]
    for goal, parts in zip(goals, requests):
        state = beginning(chance, goals, REPLIES) if chance.random() < CHATS else NEUTRAL_STATE
        found.append(PlanRow("request", goal, [(0, state)], [names for _, names in parts if names], REQUEST_WEIGHT))
    return found
