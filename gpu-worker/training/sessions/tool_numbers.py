"""Fills in the numbers of each tool (columns.py) that the session reader gets beside its vector."""
import math

import numpy as np

from ..actions.mapping import NameReader
from ..tools.lexical import read_tool, tool_features
from ..tools.tool_ranking import pooled
from .columns import (
    CALLS_SINCE_GOAL, GOAL_LIKENESS, GOAL_NAME, GOAL_WORDS, HAS_FAILED, KNOWN_WORDS, LIKENESS, LIST_SIZE, LOOKS, MIXED, MIXED_BY, MIXED_NONE, NEXT_PART,
    NEXT_PART_NONE, PART_IS_SERVED, PART_PLACE, PARTS_LEFT, RESULT_LIKENESS, RESULT_NAME, RESULT_WORDS, TALK_LIKENESS, TALK_NAME, TALK_WORDS, WAS_CALLED,
    WAS_LAST, WRITES,
)  # fmt: skip
from .decisions import ASSISTANT, CALL, PLANNED, RESULT, SYSTEM, USER
from .results import looks_failed

# A call serves the part that gives its tool the highest probability, if that is at least this.
LEAST_SERVED = 0.1
# Most characters of the last result and of each turn of earlier talk whose words are compared with the tools; most of these turns, and
# of the vectors of talk.
RESULT_CHARACTERS, TALK_CHARACTERS, TALK_TURNS, TALK_VECTORS = 600, 300, 4, 3
# Calls of a tool are counted up to MOST_CALLS. The logarithm of a list's size is divided by LIST_BY.
MOST_CALLS, LIST_BY = 3, 4


class ToolReader:
    """What is read from a tool's words, cached for each tool."""

    def __init__(self, effects):
        self.known, self.effects, self.names, self.verbs = {}, effects, NameReader(), {}

    def words(self, tool):
        key = (tool["name"], tool.get("description") or "")
        if key not in self.known:
            self.known[key] = read_tool(*key)
        return self.known[key]

    def effect(self, name):
        if name not in self.verbs:
            self.verbs[name] = self.effects.get(self.names.read(name)[1])
        return self.verbs[name]


def unit_rows(table, rows):
    """Unit vectors of rows of a table, in numpy; zero for a row of zeros."""
    found = table[rows].astype(np.float32)
    return found / np.maximum(np.linalg.norm(found, axis=-1, keepdims=True), 1e-6)


def turns_of(events):
    """The events but for the system prompt, and the place of the last user message among them, or -1."""
    turns = [event for event in events if event[0] != SYSTEM]
    return turns, max((at for at, (kind, _) in enumerate(turns) if kind == USER), default=-1)


def fill_words(one, reader):
    """Words that the tools share with the goal and its parts, the last result and earlier talk; also keeps what the mixer needs."""
    tools = [reader.words(tool) for tool in one.decision.tools]
    turns, last_user = turns_of(one.decision.events)
    result = next((text for kind, text in reversed(turns) if kind == RESULT), "")
    recent = turns[max(0, last_user - TALK_TURNS) : max(0, last_user)]
    talk = " ".join(text[:TALK_CHARACTERS] for kind, text in recent if kind in (USER, ASSISTANT))
    for words, name, text in ((GOAL_WORDS, GOAL_NAME, one.goal), (RESULT_WORDS, RESULT_NAME, result[:RESULT_CHARACTERS]), (TALK_WORDS, TALK_NAME, talk)):
        if text:
            one.numbers[:, words], one.numbers[:, name], listed = tool_features(text, tools)
            if words == GOAL_WORDS:
                one.numbers[:, KNOWN_WORDS] = listed[5]
                one.listed = listed
    one.part_words = [tool_features(part, tools) for part in one.parts or [one.goal]] if one.goal else []
    one.numbers[:, LIST_SIZE] = math.log(len(tools)) / LIST_BY


def fill_calls(one):
    """Calls of each tool so far."""
    place = {tool["name"]: row for row, tool in enumerate(one.decision.tools)}
    turns, last_user = turns_of(one.decision.events)
    last_call = None
    for at, (kind, text) in enumerate(turns):
        if kind in (CALL, PLANNED) and text in place:
            row = last_call = place[text]
            one.numbers[row, WAS_CALLED] = 1.0
            if at > last_user:
                one.called.append(row)
                one.numbers[row, CALLS_SINCE_GOAL] = min(MOST_CALLS, one.numbers[row, CALLS_SINCE_GOAL] * MOST_CALLS + 1) / MOST_CALLS
            failed = at + 1 < len(turns) and turns[at + 1][0] == RESULT and looks_failed(turns[at + 1][1])
            one.numbers[row, HAS_FAILED] = float(bool(failed))
    if last_call is not None:
        one.numbers[last_call, WAS_LAST] = 1.0


def fill_effects(one, reader):
    """What each tool's verb does."""
    for row, tool in enumerate(one.decision.tools):
        effect = reader.effect(tool["name"])
        one.numbers[row, LOOKS], one.numbers[row, WRITES] = float(effect == "look"), float(effect in ("write", "commit"))


def mixed_chances(likeness, features, mix):
    """The tool mixer's probability of each tool and, last, of none. mix: list numbers -> (scale, words, name, threshold)."""
    found, named, listed = features
    scale, words, name, threshold = mix(listed)
    logits = scale * np.append(likeness + words * np.array(found, np.float32) + name * np.array(named, np.float32), threshold)
    chances = np.exp(logits - logits.max())
    return chances / chances.sum()


def told(chances):
    """Probabilities as the reader gets them: their logarithm, at least -12, divided by MIXED_BY."""
    return np.maximum(np.log(np.maximum(chances, 1e-9)), -12) / MIXED_BY


def fill_mixed(one, table, mix):
    """The mixer's output for the last user message alone, and for the first part of it that no call has served yet."""
    if one.listed is None:
        return
    whole = told(mixed_chances(one.numbers[:, LIKENESS], (one.numbers[:, GOAL_WORDS], one.numbers[:, GOAL_NAME], one.listed), mix))
    one.numbers[:, MIXED], one.numbers[:, MIXED_NONE] = whole[:-1], whole[-1]
    cosines = unit_rows(table, one.tool_rows) @ unit_rows(table, one.asked_rows[1:] or one.asked_rows).T
    parts = [mixed_chances(cosines[:, at], features, mix) for at, features in enumerate(one.part_words)]
    left = list(range(len(parts)))
    for row in one.called:
        best = max(left, key=lambda at: parts[at][row], default=None)
        if best is not None and parts[best][row] >= LEAST_SERVED:
            left.remove(best)
    # If every part is served, the value is that of "none of the tools".
    following = told(parts[left[0]] if left else np.append(np.zeros(len(one.tool_rows)), 1.0))
    one.numbers[:, NEXT_PART], one.numbers[:, NEXT_PART_NONE], one.numbers[:, PARTS_LEFT] = following[:-1], following[-1], len(left) / len(parts)


def fill_cosines(one, table):
    """Cosines with the goal and its parts, with the last result and with the earlier talk; which part asks for the tool, and
    whether it was served."""
    if not one.tool_rows:
        return
    tools, asked = unit_rows(table, one.tool_rows), unit_rows(table, one.asked_rows)
    cosines = tools @ asked.T
    one.numbers[:, LIKENESS] = pooled(cosines)
    one.numbers[:, GOAL_LIKENESS] = cosines[:, 0]
    parts = cosines[:, 1:] if cosines.shape[1] > 1 else cosines
    best = parts.argmax(1)
    one.numbers[:, PART_PLACE] = best / max(1, parts.shape[1] - 1)
    taken = {one.event_rows[at] for at, kind in enumerate(one.kinds) if kind in (CALL, PLANNED) and one.event_numbers[at][0]}
    served = {best[row] for row, text_row in enumerate(one.tool_rows) if text_row in taken}
    one.numbers[:, PART_IS_SERVED] = [float(part in served) for part in best]
    result = next((row for row, kind in zip(one.event_rows, one.kinds) if kind == RESULT), None)
    if result is not None:
        one.numbers[:, RESULT_LIKENESS] = tools @ unit_rows(table, [result])[0]
    talk = [(row, numbers) for row, kind, numbers in zip(one.event_rows, one.kinds, one.event_numbers) if kind in (USER, ASSISTANT)]
    before = [row for row, numbers in talk if not numbers[0] and not numbers[1]][:TALK_VECTORS]
    if before:
        one.numbers[:, TALK_LIKENESS] = (tools @ unit_rows(table, before).T).max(1)
