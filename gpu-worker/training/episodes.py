"""Rows -> episodes for the heads: rows of the embedding table for goal, states and next states, ids of the actions."""
import random
from dataclasses import dataclass

import numpy as np

from .beginnings import REPLIES, beginning
from .data import is_held_out
from .mapping import NameReader, last_part
from .pairs import catalog_goals
from .texts import GOAL_TOKENS, STATE_TOKENS, TOOL_TOKENS, name_words

NEUTRAL_STATE = "Nothing has been done yet."
# Sources whose states are web pages. A page without recorded text was nearly always scrolled. Read as a neutral state, such rows
# taught that somebody who wants to send a mail, and has not said where they are, scrolls first.
PAGES, UNSEEN_PAGE = {"miniwob-demos"}, "A page that was not read."
LONGEST = 28
# Share of the rows without a state that begin as a chat does, with a system prompt or after other talk. A web page never does.
CHATS = 0.5
# Sources whose next states are utterances.
DIALOGUES = {"sgd-train", "star"}

# Most episodes taken of each set: large sets would dominate the others and take too long to embed.
CAPS = {
    "sgd_train": 5000, "alfred_train": 7000, "star": 1500, "miniwob_demos": 4000, "traject_bench": 1500, "n8n_workflows": 600,
    "taskmaster4_coffee": 700, "agentbench_kg": 500, "fireact": 700, "webshop_goals": 200, "sealtools_dev": 700, "metatool_single": 1500,
    "clinc150_train": 4000, "banking77_train": 1500, "snips_train": 800, "home_assistant_intents_en": 1019, "tldr_commands": 800,
    "tool_catalog": 5000, "glosses": 1806,
}  # fmt: skip


# Sources whose names are those of products and programs. A name without a verb ("TripTool", "realpath") says nothing of what is
# done, and every goal would learn the action nearest to it.
NAMED_THINGS = {"metatool_single", "tldr_commands", "tool_catalog"}


@dataclass
class Episode:
    source: str
    goal: int
    states: np.ndarray  # [steps + 1]; the last is the state after the last action
    actions: np.ndarray  # [steps] ids among the 903
    names: np.ndarray  # [steps] rows of the actions' own names
    has_next: np.ndarray  # [steps] whether states[t + 1] of this step was observed
    nexts: np.ndarray  # [steps]


def choose_usable(stem, usable, seed):
    """The rows in the order in which they are taken: random, MiniWoB's evenly over its task types."""
    random.Random(f"{seed}{stem}").shuffle(usable)
    if stem == "miniwob_demos":
        seen = {}
        for row in usable:
            seen[row["task"]] = seen.get(row["task"], 0) + 1
            row["_turn"] = seen[row["task"]]
        usable.sort(key=lambda row: row["_turn"])
    return usable


def choose(sets, seed):
    """[(stem, row)] under the caps, held-out rows left out."""
    chosen, reader = [], NameReader()
    goals = [{"source": "tool-catalog", "goal": description, "actions": [name]} for description, name in catalog_goals(sets)]
    for stem, rows in sorted({**sets, "tool_catalog": goals}.items()):
        cap = CAPS.get(stem, 0)
        usable = [row for row in rows if row.get("actions") and row.get("goal") and not is_held_out(row)]
        if stem in NAMED_THINGS:
            usable = [row for row in usable if reader.read(row["actions"][0])[1] is not None]
        choose_usable(stem, usable, seed)
        chosen += [(stem, row) for row in usable[:cap]]
    return chosen


def texts_of(row, blank=NEUTRAL_STATE):
    """(goal, states, action names, next texts): states has one more entry than actions. `blank`: used if no state is given."""
    steps = (row.get("steps") or [])[:LONGEST]
    if not steps:
        names = row["actions"][:LONGEST]
        return row["goal"], [row.get("state") or blank] + [blank] * len(names), names, [""] * len(names)
    nexts = [step.get("next") or "" for step in steps]
    unseen = UNSEEN_PAGE if row.get("source") in PAGES else blank
    states = [step.get("state") or unseen for step in steps] + [nexts[-1] or blank]
    return row["goal"], states, [step["action"] for step in steps], nexts


def build_episodes(rows, embeddings, action_map, chance=None):
    """Episodes of [(stem, row)]: embeds every text and maps every action name. With `chance`, some begin as chats."""
    asked = [row["goal"] for _, row in rows]
    told = [step["next"] for _, row in rows if row.get("source") in DIALOGUES for step in row["steps"] if step.get("next")] or REPLIES

    def blank_of(row):
        if chance and row.get("source") not in PAGES and chance.random() < CHATS:
            return beginning(chance, asked, told)
        return NEUTRAL_STATE

    read = [(stem, *texts_of(row, blank_of(row))) for stem, row in rows]
    goals = embeddings.add([goal for _, goal, *_ in read], GOAL_TOKENS)
    flat_states = embeddings.add([text for _, _, states, _, _ in read for text in states], STATE_TOKENS, "end")
    flat_nexts = embeddings.add([text or NEUTRAL_STATE for *_, nexts in read for text in nexts], STATE_TOKENS, "end")
    ids = action_map.ids(sorted({name for *_, names, _ in read for name in names}))
    spoken = {name: name_words(last_part(name)) or "unknown" for name in ids}
    name_rows = dict(zip(spoken, embeddings.add(list(spoken.values()), TOOL_TOKENS)))
    episodes, state_at, next_at = [], 0, 0
    for (stem, _, states, names, nexts), goal in zip(read, goals):
        episodes.append(
            Episode(
                stem,
                int(goal),
                flat_states[state_at : state_at + len(states)],
                np.array([ids[name] for name in names]),
                np.array([name_rows[name] for name in names]),
                np.array([text != "" for text in nexts]),
                flat_nexts[next_at : next_at + len(nexts)],
            )
        )
        state_at += len(states)
        next_at += len(nexts)
    return episodes
