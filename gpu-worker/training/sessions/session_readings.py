"""Decisions of conversations as the session reader takes them: rows of the vectors' table, numbers, padded tensors.

The server has the same rules (planning/session/events.ts, tool-numbers.ts); twin_cases.py records what the tests hold both to.
"""
import numpy as np
import torch

from ..texts.goal_parts import goal_parts
from ..texts.templates import GOAL_TOKENS, TOOL_TOKENS, text_of_tool, tool_text
from .columns import TOOL_NUMBERS
from .decisions import ASSISTANT, CALL, PLANNED, RESULT, SYSTEM, USER
from .results import looks_empty, looks_failed
from .session_reader import EVENT_NUMBERS, KINDS, MOST_EVENTS
from .tool_numbers import ToolReader, fill_calls, fill_cosines, fill_effects, fill_mixed, fill_words, turns_of, unit_rows

# Kind of the event that a part of the last user message becomes; the other kinds are in decisions.py.
PART = 6
# Most tokens of an event's text, and most characters of it that are read.
EVENT_TOKENS, EVENT_CHARACTERS = 64, 1200
# Nine places are left for the goal's parts and the system prompt.
MOST_TURNS = MOST_EVENTS - 9


def kept_events(events):
    """[(event, whether it is after the last user message, whether it is that)], the newest first and the system prompt last."""
    system = [event for event in events if event[0] == SYSTEM][:1]
    turns, last_user = turns_of(events)
    kept = list(range(max(0, len(turns) - MOST_TURNS), len(turns)))
    if last_user >= 0 and last_user not in kept:
        kept = [last_user, *kept[1:]]
    return [(turns[at], at > last_user, at == last_user) for at in reversed(kept)] + [(event, False, False) for event in system]


def clipped(text):
    return text[:EVENT_CHARACTERS]


class Reading:
    """A decision as arrays: numbers of its events and tools and, after `find_rows`, rows of the embedding table."""

    def __init__(self, decision, reader):
        self.decision = decision
        kept = kept_events(decision.events)
        self.goal = next((event[1] for event, _, last in kept if last), "")
        self.parts = goal_parts(self.goal)
        self.events = []  # (kind, text or tool name, numbers)
        for event, after, last in kept:
            kind, text = event
            numbers = [float(after), float(last), 0.0, 0.0]
            if kind == RESULT:
                numbers[2:] = [float(looks_failed(text)), float(looks_empty(text))]
            self.events.append((kind, text, numbers))
        self.numbers = np.zeros((len(decision.tools), TOOL_NUMBERS), np.float32)
        self.listed, self.part_words, self.called = None, [], []
        if decision.tools:
            fill_words(self, reader)
            fill_calls(self)
            fill_effects(self, reader)

    def find_rows(self, rows):
        """Finds the rows of the tools' and events' texts; parts of the goal become events of their own."""
        own = {tool["name"]: text_of_tool(tool) for tool in self.decision.tools}
        self.tool_rows = [rows["named"][text_of_tool(tool)] for tool in self.decision.tools]
        found = []  # (row, kind, numbers)
        for kind, text, numbers in self.events:
            if kind in (CALL, PLANNED):
                row = rows["named"][own.get(text) or tool_text(text)]
            elif kind == USER and text == self.goal:
                row = rows["asked"][text or " "]
            else:
                row = rows["said"][clipped(text) or " "]
            found.append((row, kind, numbers))
            if numbers[1]:
                found += [(rows["asked"][part], PART, [numbers[0], 0.0, 0.0, 0.0]) for part in self.parts]
        # The system prompt is last: if there are too many events, the oldest before it are dropped.
        if len(found) > MOST_EVENTS:
            found = [*found[: MOST_EVENTS - 1], found[-1]]
        self.event_rows, self.kinds, self.event_numbers = ([one[at] for one in found] for at in range(3))
        self.asked_rows = [rows["asked"][text] for text in (self.goal or " ", *self.parts)]


def texts_of(readings):
    """{"asked" | "said" | "named": texts}: of goals and their parts, of other events, of tools."""
    asked, said, named = [], [], []
    for one in readings:
        asked += [one.goal, *one.parts]
        said += [clipped(text) for kind, text, _ in one.events if kind in (SYSTEM, ASSISTANT, RESULT)]
        said += [clipped(text) for kind, text, _ in one.events if kind == USER and text != one.goal]
        named += [text_of_tool(tool) for tool in one.decision.tools]
        known = {tool["name"] for tool in one.decision.tools}
        named += [tool_text(text) for kind, text, _ in one.events if kind in (CALL, PLANNED) and text not in known]
    return {"asked": asked, "said": said, "named": named}


def read_decisions(decisions, embeddings, effects, mix):
    """A Reading of each decision; embeds missing texts. `mix`: what the mixer says of a list's numbers (see mixed_chances)."""
    tools = ToolReader(effects)
    readings = [Reading(decision, tools) for decision in decisions]
    rows, windows = {}, {"asked": GOAL_TOKENS, "said": EVENT_TOKENS, "named": TOOL_TOKENS}
    for kind, texts in texts_of(readings).items():
        texts = list(dict.fromkeys(text or " " for text in texts))
        rows[kind] = dict(zip(texts, embeddings.add(texts, windows[kind])))
    for one in readings:
        one.find_rows(rows)
        fill_cosines(one, embeddings.table)
        fill_mixed(one, embeddings.table, mix)
        one.part_words = None  # not needed any more, and large
    return readings


def collate(group, table):
    """Readings as padded tensors: ({name: what the reader takes}, right choices [b, tools + 3])."""
    events, tools = max(len(one.event_rows) for one in group), max(1, max(len(one.tool_rows) for one in group))
    b, width = len(group), table.shape[1]
    x = {
        "events": np.zeros((b, events, width), np.float32), "kinds": np.zeros((b, events, KINDS), np.float32),
        "event_numbers": np.zeros((b, events, EVENT_NUMBERS), np.float32), "event_mask": np.zeros((b, events), np.float32),
        "tools": np.zeros((b, tools, width), np.float32), "tool_numbers": np.zeros((b, tools, TOOL_NUMBERS), np.float32), "tool_mask": np.zeros((b, tools), np.float32),
    }  # fmt: skip
    right = np.zeros((b, tools + 3), np.float32)
    for at, one in enumerate(group):
        e, t = len(one.event_rows), len(one.tool_rows)
        x["events"][at, :e], x["event_numbers"][at, :e], x["event_mask"][at, :e] = unit_rows(table, one.event_rows), one.event_numbers, 1
        x["kinds"][at, range(e), one.kinds] = 1
        if t:
            x["tools"][at, :t], x["tool_numbers"][at, :t], x["tool_mask"][at, :t] = unit_rows(table, one.tool_rows), one.numbers, 1
        for row in one.decision.right:
            right[at, row] = 1
        if one.decision.ending >= 0:
            right[at, tools + one.decision.ending] = 1
    return {name: torch.from_numpy(values) for name, values in x.items()}, torch.from_numpy(right)
