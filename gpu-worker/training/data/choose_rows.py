"""Which rows of the data sets are learned, in which order, and the texts of a row."""
import random

from .rows import is_held_out

NEUTRAL_STATE = "Nothing has been done yet."
# Sources whose states are web pages. A page without recorded text was nearly always scrolled. Read as a neutral state, such rows
# taught that somebody who wants to send a mail, and has not said where they are, scrolls first.
PAGES, UNSEEN_PAGE = {"miniwob-demos"}, "A page that was not read."
# Most steps of a row that are read.
LONGEST = 28
# Share of the rows without a state that begin as a chat does, with a system prompt or after other talk. A web page never does.
CHATS = 0.5
# Sources whose names are those of products and programs. A name without a verb ("TripTool", "realpath") says nothing of what is
# done, and every goal would learn the action nearest to it.
NAMED_THINGS = {"metatool_single", "tldr_commands", "tool_catalog"}


def usable_rows(rows):
    """Rows with a goal and actions that are not held out."""
    return [row for row in rows if row.get("actions") and row.get("goal") and not is_held_out(row)]


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
