"""Decisions of conversations as the session reader takes them: rows of the vectors' table, numbers, padded tensors.

The server has the same rules (planning/session/events.ts, tool-numbers.ts); twin_cases.py records what the tests hold both to.
"""
import math

import numpy as np
import torch

from .goal_parts import goal_parts
from .lexical import read_tool, tool_features
from .mapping import NameReader
from .results import looks_empty, looks_failed
from .session_reader import EVENT_NUMBERS, KINDS, MIXED, MIXED_BY, MIXED_NONE, MOST_EVENTS, NEXT_PART, NEXT_PART_NONE, PARTS_LEFT, TOOL_NUMBERS
from .session_rows import ASSISTANT, CALL, PLANNED, RESULT, SYSTEM, USER
from .texts import GOAL_TOKENS, TOOL_TOKENS, tool_text

PART = 6
EVENT_TOKENS, EVENT_CHARACTERS = 64, 1200
MOST_TURNS = MOST_EVENTS - 9
# A call serves the part that gives its tool the highest probability, if that is at least this.
LEAST_SERVED = 0.1


def kept_events(events):
    """The newest events first: the last user message with its parts, other recent events, the system prompt last."""
    system = [event for event in events if event[0] == SYSTEM][:1]
    turns = [event for event in events if event[0] != SYSTEM]
    last_user = max((at for at, event in enumerate(turns) if event[0] == USER), default=-1)
    kept = list(range(max(0, len(turns) - MOST_TURNS), len(turns)))
    if last_user >= 0 and last_user not in kept:
        kept = [last_user, *kept[1:]]
    return [(turns[at], at > last_user, at == last_user) for at in reversed(kept)] + [(event, False, False) for event in system]


def clipped(text):
    return text[:EVENT_CHARACTERS]


class Reading:
    """A decision as arrays: rows of the embedding table and numbers."""

    def __init__(self, decision, reader):
        self.decision = decision
        kept = kept_events(decision.events)
        self.goal = next((event[1] for event, _, last in kept if last), "")
        self.parts = goal_parts(self.goal)
        self.events = []  # (kind, text or tool name, after last user, numbers)
        for event, after, last in kept:
            kind, text = event
            numbers = [float(after), float(last), 0.0, 0.0]
            if kind == RESULT:
                numbers[2:] = [float(looks_failed(text)), float(looks_empty(text))]
            self.events.append((kind, text, numbers))
        self.numbers = self.lexical(reader)

    def lexical(self, reader):
        """[tools, TOOL_NUMBERS]; the cosines are filled in by `fill_cosines`."""
        decision = self.decision
        tools = [reader.words(tool) for tool in decision.tools]
        numbers, self.listed, self.part_words, self.called = np.zeros((len(tools), TOOL_NUMBERS), np.float32), None, [], []
        if not tools:
            return numbers
        turns = [event for event in decision.events if event[0] != SYSTEM]
        last_user = max((at for at, event in enumerate(turns) if event[0] == USER), default=-1)
        last_result = next((text for kind, text in reversed(turns) if kind == RESULT), "")
        before = " ".join(text[:300] for kind, text in turns[max(0, last_user - 4) : max(0, last_user)] if kind in (USER, ASSISTANT))
        for column, text in ((0, self.goal), (4, last_result[:600]), (8, before)):
            if text:
                found, named, listed = tool_features(text, tools)
                numbers[:, column], numbers[:, column + 1] = found, named
                if column == 0:
                    numbers[:, 16] = listed[5]
                    self.listed = listed
        self.part_words = [tool_features(part, tools) for part in self.parts or [self.goal]] if self.goal else []
        numbers[:, 17] = math.log(len(tools)) / 4
        place = {tool["name"]: row for row, tool in enumerate(decision.tools)}
        last_call = None
        for at, (kind, text) in enumerate(turns):
            if kind in (CALL, PLANNED) and text in place:
                row = place[text]
                last_call = row
                numbers[row, 10] = 1.0
                if at > last_user:
                    self.called.append(row)
                    numbers[row, 11] = min(3.0, numbers[row, 11] * 3 + 1) / 3
                failed = at + 1 < len(turns) and turns[at + 1][0] == RESULT and looks_failed(turns[at + 1][1])
                numbers[row, 13] = float(bool(failed))
        if last_call is not None:
            numbers[last_call, 12] = 1.0
        for row, tool in enumerate(decision.tools):
            effect = reader.effect(tool["name"])
            numbers[row, 18], numbers[row, 19] = float(effect == "look"), float(effect in ("write", "commit"))
        return numbers


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


class Readings:
    """All decisions over one table of vectors."""

    def __init__(self, decisions, embeddings, effects, mix):
        tools = ToolReader(effects)
        self.all = [Reading(decision, tools) for decision in decisions]
        asked, said, named = [], [], []
        for one in self.all:
            asked += [one.goal, *one.parts]
            said += [clipped(text) for kind, text, _ in one.events if kind in (SYSTEM, ASSISTANT, RESULT)]
            said += [clipped(text) for kind, text, _ in one.events if kind == USER and text != one.goal]
            named += [tool_text(tool["name"], tool.get("description") or "") for tool in one.decision.tools]
            known = {tool["name"] for tool in one.decision.tools}
            named += [tool_text(text) for kind, text, _ in one.events if kind in (CALL, PLANNED) and text not in known]
        rows = {}
        for kind, texts, window in (("asked", asked, GOAL_TOKENS), ("said", said, EVENT_TOKENS), ("named", named, TOOL_TOKENS)):
            texts = list(dict.fromkeys(text or " " for text in texts))
            rows[kind] = dict(zip(texts, embeddings.add(texts, window)))
        table = embeddings.table
        for one in self.all:
            own = {tool["name"]: tool_text(tool["name"], tool.get("description") or "") for tool in one.decision.tools}
            one.tool_rows = [rows["named"][text] for text in (tool_text(tool["name"], tool.get("description") or "") for tool in one.decision.tools)]
            one.event_rows, one.kinds, one.event_numbers = [], [], []
            for kind, text, numbers in one.events:
                if kind in (CALL, PLANNED):
                    row = rows["named"][own.get(text) or tool_text(text)]
                elif kind == USER and text == one.goal:
                    row = rows["asked"][text or " "]
                else:
                    row = rows["said"][clipped(text) or " "]
                one.event_rows.append(row)
                one.kinds.append(kind)
                one.event_numbers.append(numbers)
                if numbers[1]:
                    for part in one.parts:
                        one.event_rows.append(rows["asked"][part])
                        one.kinds.append(PART)
                        one.event_numbers.append([numbers[0], 0.0, 0.0, 0.0])
            # The system prompt is last: if there are too many events, the oldest before it are dropped.
            if len(one.event_rows) > MOST_EVENTS:
                keep = list(range(MOST_EVENTS - 1)) + [len(one.event_rows) - 1]
                columns = one.event_rows, one.kinds, one.event_numbers
                one.event_rows, one.kinds, one.event_numbers = ([values[at] for at in keep] for values in columns)
            one.asked_rows = [rows["asked"][text] for text in ([one.goal] if one.goal else [" "]) + one.parts]
            fill_cosines(one, table)
            fill_mixed(one, table, mix)
            one.part_words = None
        self.table = table


def unit_rows(table, rows):
    found = table[rows].astype(np.float32)
    return found / np.maximum(np.linalg.norm(found, axis=-1, keepdims=True), 1e-6)


def mixed_chances(likeness, features, mix):
    """The tool mixer's probability of each tool and, last, of none. mix: list numbers -> (scale, words, name, threshold)."""
    found, named, listed = features
    scale, words, name, threshold = mix(listed)
    logits = scale * np.append(likeness + words * np.array(found, np.float32) + name * np.array(named, np.float32), threshold)
    chances = np.exp(logits - logits.max())
    return chances / chances.sum()


def told(chances):
    return np.maximum(np.log(np.maximum(chances, 1e-9)), -12) / MIXED_BY


def fill_mixed(one, table, mix):
    """The mixer's output for the last user message alone, and for the first part of it that no call has served yet."""
    if one.listed is None:
        return
    whole = told(mixed_chances(one.numbers[:, 2], (one.numbers[:, 0], one.numbers[:, 1], one.listed), mix))
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
    weights = np.exp(8 * cosines)
    one.numbers[:, 2] = (weights * cosines).sum(1) / weights.sum(1)
    one.numbers[:, 3] = cosines[:, 0]
    parts = cosines[:, 1:] if cosines.shape[1] > 1 else cosines
    best = parts.argmax(1)
    one.numbers[:, 14] = best / max(1, parts.shape[1] - 1)
    taken = {one.event_rows[at] for at, kind in enumerate(one.kinds) if kind in (CALL, PLANNED) and one.event_numbers[at][0]}
    served = {best[row] for row, text_row in enumerate(one.tool_rows) if text_row in taken}
    one.numbers[:, 15] = [float(part in served) for part in best]
    result = next((row for row, kind in zip(one.event_rows, one.kinds) if kind == RESULT), None)
    if result is not None:
        one.numbers[:, 6] = tools @ unit_rows(table, [result])[0]
    talk = [(row, numbers) for row, kind, numbers in zip(one.event_rows, one.kinds, one.event_numbers) if kind in (USER, ASSISTANT)]
    before = [row for row, numbers in talk if not numbers[0] and not numbers[1]][:3]
    if before:
        one.numbers[:, 7] = (tools @ unit_rows(table, before).T).max(1)


def collate(group, table):
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
