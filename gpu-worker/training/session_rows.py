"""Decisions of conversations with tools: which tool is next, or why none is. From the data sets and from sessions of our own.

A decision is a list of events, the caller's tools and what is right there: rows of tools, or one of the endings.
"""
import random
import re
from dataclasses import dataclass

from .authored import fill
from .beginnings import instruction
from .tool_choice import train_lists

SYSTEM, USER, ASSISTANT, CALL, RESULT, PLANNED = range(6)
# Endings: the work is done; something only the user knows is missing; no tool is needed or none fits.
DONE, ASK, NO_TOOL = range(3)
ENDINGS = {"answer": DONE, "ask": ASK, "decline": NO_TOOL}


@dataclass
class Decision:
    source: str
    # (kind, text): a call's or a planned call's text is the tool's name.
    events: list
    tools: list
    # Rows of the right tools; empty with an ending.
    right: list
    ending: int = -1
    weight: float = 1.0


# Share of the lists whose tools have a name but no description.
UNDESCRIBED = 0.12


def shown(tools, right_names, chance, least=0.35):
    """The tools in another order, with some of the wrong ones left out, at times without descriptions."""
    share = chance.uniform(least, 1.3)
    kept = [tool for tool in tools if tool["name"] in right_names or chance.random() < share]
    chance.shuffle(kept)
    return [{**tool, "description": ""} for tool in kept] if chance.random() < UNDESCRIBED else kept


def rows_of(tools, names):
    return [row for row, tool in enumerate(tools) if tool["name"] in names]


def decisions_of_session(session, tools, chance, weight, open_loop):
    """Every decision of a session. With `open_loop` also those of a planner that sees no results: a turn's calls in their order."""
    events = [(SYSTEM, session.system)] if session.system else []
    found, turn_begins, pending = [], None, []
    used = {event[1] for event in session.events if event[0] == "call"}
    at = 0
    while at < len(session.events):
        kind, *rest = session.events[at]
        if kind == "user":
            events.append((USER, rest[0]))
            turn_begins = len(events)
        if kind == "result":
            events.append((RESULT, rest[0]))
        if kind == "call":
            calls = []
            while at < len(session.events) and session.events[at][0] == "call":
                calls.append(session.events[at])
                at += 1
            names = {name for call in calls for name in (call[1], *call[3])}
            offered = shown(tools, names | used, chance)
            found.append(Decision("own", list(events), offered, rows_of(offered, names), weight=weight))
            pending += calls
            # Each call is followed by its result, as in the history that the server writes.
            results = [event for event in session.events[at : at + len(calls)] if event[0] == "result"]
            for call, result in zip(calls, results):
                events += [(CALL, call[1]), (RESULT, result[1])]
            at += len(results)
            continue
        if kind in ENDINGS:
            offered = shown(tools, used, chance)
            found.append(Decision("own", list(events), offered, [], ENDINGS[kind], weight=weight))
            if open_loop and pending and turn_begins is not None:
                planned = []
                for call in [*pending, None]:
                    offered = shown(tools, used, chance)
                    before = [*events[:turn_begins], *((PLANNED, name) for name in planned)]
                    right = rows_of(offered, {call[1]}) if call else []
                    found.append(Decision("own-plan", before, offered, right, -1 if call else DONE, weight * open_loop))
                    if call:
                        planned.append(call[1])
            events.append((ASSISTANT, rest[0]))
            pending = []
        at += 1
    return found


def session_decisions(seed, toolsets, sessions, copies=3, weight=1.0):
    chance, found = random.Random(f"{seed}sessions"), []
    for copy in range(copies):
        for session in sessions:
            found += decisions_of_session(session, toolsets[session.toolset], chance, weight, 0.5 if copy == 0 else 0.0)
    # System prompts that are long, unrelated, or missing: an agent's instructions say little of what comes next.
    for decision in found:
        if decision.events[0][0] == SYSTEM and chance.random() < 0.25:
            del decision.events[0]
        elif decision.events[0][0] != SYSTEM and chance.random() < 0.3:
            decision.events.insert(0, (SYSTEM, instruction(chance)))
    return found


STYLES = (
    lambda words: "_".join(words),
    lambda words: words[0] + "".join(word.title() for word in words[1:]),
    lambda words: "".join(word.title() for word in words),
    lambda words: " ".join(word.title() for word in words),
    lambda words: "-".join(words),
)


def family_decisions(seed, actions, families, share=0.35):
    """The goal families as goals with tools: the plan's actions under made-up names among others, planned without results."""
    chance, found = random.Random(f"{seed}family tools"), []
    table = {action["name"]: action for action in actions}
    usable = [action for action in actions if action["id"] > 9 and action["object"]] + [action for action in actions if action["id"] > 9]
    for family in families:
        for goal in family.goals:
            if chance.random() > share:
                continue
            plan, style = chance.choice(family.plans), chance.choice(STYLES)
            steps = [chance.choice(step[:2]) for step in plan]
            taken = {name for step in plan for name in step}
            others = [action["name"] for action in chance.sample(usable, chance.randrange(3, 24)) if action["name"] not in taken]
            names = list(dict.fromkeys([*steps, *others]))
            described = chance.random() < 0.8
            tools = [{"name": style(name.split("_")), "description": table[name]["gloss"] if described else "", "_": name} for name in names]
            chance.shuffle(tools)
            text, planned = fill(goal, {key: [chance.choice(values)] for key, values in family.slots.items()}, chance), []
            for name in [*steps, None]:
                events = [(USER, text), *((PLANNED, one) for one in planned)]
                right = [row for row, tool in enumerate(tools) if tool["_"] == name]
                found.append(Decision("families", events, tools, right, -1 if name else DONE, 0.5))
                planned += [tools[row]["name"] for row in right]
    return found


def sequence_decisions(source, goal, names, tools, chance, weight, results=None, state=""):
    """Decisions along a known sequence of calls, by a planner (no results) or by an agent (results, where they were recorded)."""
    known = {tool["name"] for tool in tools}
    names = [name for name in names if name in known][:12]
    if not names:
        return []
    kind = CALL if results else PLANNED
    found, events = [], [*([(SYSTEM, state)] if state else []), (USER, goal)]
    for at, name in enumerate([*names, None]):
        offered = shown(tools, set(names), chance)
        found.append(Decision(source, list(events), offered, rows_of(offered, {name}) if name else [], -1 if name else DONE, weight))
        if name:
            events.append((kind, name))
            if results and results[at]:
                events.append((RESULT, results[at]))
    return found


def dialogue_decisions(row, chance):
    """Decisions of a Schema-Guided dialogue: calls are its services' methods, everything else is talk."""
    names, events, found = {tool["name"] for tool in row["tools"]}, [], []
    turns = []
    for step in row["steps"]:
        if turns and turns[-1][0] == step["state"] and turns[-1][2] == step.get("next"):
            turns[-1][1].append(step["action"])
        else:
            turns.append((step["state"], [step["action"]], step.get("next")))
    for said, actions, answer in turns[:14]:
        events.append((USER, said or "OK"))
        calls = [action for action in actions if action in names]
        for name in calls[:2]:
            offered = shown(row["tools"], names, chance)
            found.append(Decision("sgd", list(events), offered, rows_of(offered, {name})))
            events += [(CALL, name), (RESULT, chance.choice(("OK", "Here are the results.", answer or "OK")))]
        first = next((action for action in actions if action not in names), "")
        asks = first.startswith(("ask_", "confirm", "clarify"))
        ending = DONE if calls else ASK if asks else NO_TOOL if first in ("finish", "ask_more", "say_goodbye") else DONE
        found.append(Decision("sgd", list(events), shown(row["tools"], names, chance), [], ending, 0.6))
        events.append((ASSISTANT, answer or "OK"))
    return found


def talk_decisions(source, row, names, chance):
    """Decisions of a dialogue with recorded calls and results (STAR, Taskmaster); its tools have only names."""
    tools, events, found, said = [{"name": name, "description": ""} for name in names], [], [], None
    for step in row["steps"][:16]:
        if step["state"] != said:
            said = step["state"]
            events.append((USER, said or "OK"))
        call = step["action"] if step["action"] in names else None
        offered = shown(tools, set(names) if len(names) < 8 else {call}, chance)
        ending = -1 if call else ASK if "ask" in step["action"] or "confirm" in step["action"] else DONE
        if not call and "goodbye" in step["action"]:
            ending = NO_TOOL
        found.append(Decision(source, list(events), offered, rows_of(offered, {call}) if call else [], ending, 0.5))
        events += [(CALL, call), (RESULT, step.get("next") or "OK")] if call else [(ASSISTANT, step.get("next") or "OK")]
    return found


def set_decisions(sets, seed):
    """Decisions of the data sets, under caps."""
    chance, found = random.Random(f"{seed}tool sets"), []

    def some(stem, count):
        rows = sets.get(stem, [])
        return chance.sample(rows, min(count, len(rows)))

    for row in some("apollo_tau", 1300):
        found += sequence_decisions("apollo", row["goal"], row["actions"], row["tools"], chance, 0.35)
    for row in some("traject_bench", 700):
        results = [step.get("next") or "" for step in row["steps"]]
        seen = results if chance.random() < 0.5 and len(results) == len(row["actions"]) else None
        found += sequence_decisions("traject", row["goal"], row["actions"], row["tools"], chance, 0.4, seen)
    for row in sets.get("sealtools_dev", []):
        found += sequence_decisions("seal", row["goal"], row["actions"], row["tools"], chance, 0.7)
    for row in some("agentbench_kg", 100):
        names = [{"name": name, "description": ""} for name in ("get_relations", "get_neighbors", "intersection", "count", "get_attributes", "argmax", "argmin")]
        found += sequence_decisions("kg", row["goal"], row["actions"], names, chance, 0.2, state=row["state"])
    for row in some("sgd_train", 800):
        if row.get("steps"):
            found += dialogue_decisions(row, chance)
    for stem, source, count, pattern in (("star", "star", 300, "^query"), ("taskmaster4_coffee", "taskmaster", 200, ".")):
        rows = [row for row in some(stem, count) if row.get("steps")]
        names = sorted({step["action"] for row in rows for step in row["steps"] if re.match(pattern, step["action"])})
        for row in rows:
            found += talk_decisions(source, row, names, chance)
    lists = train_lists(sets, seed)
    for goal, tools, right in lists:
        found.append(Decision("lists", [(USER, goal)], tools, right, -1 if right else NO_TOOL, 0.6))
    # Several goals, each of one tool, in one message: they are to be served in their order.
    single = [(goal, tools, right) for goal, tools, right in lists if len(right) == 1 and len(tools) <= 40]
    joints = ((". ", ""), (", and ", ""), (", then ", ""), (". Then ", ""), ("; ", ""), (" and also ", ""), (". After that, ", ""))
    for _ in range(1500):
        parts = chance.sample(single, chance.choice((2, 2, 3, 3, 4)))
        goal, tools, names = "", {}, []
        for part, offered, right in parts:
            joint = chance.choice(joints)[0]
            part = part.strip().rstrip(".")
            goal = part if not goal else goal + joint + (part[:1].lower() + part[1:] if not joint.endswith(". ") else part)
            chosen = offered[right[0]]
            names.append(chosen["name"])
            for tool in [chosen, *chance.sample(offered, min(len(offered), 6))]:
                tools.setdefault(tool["name"], tool)
        if len(set(names)) == len(names):
            found += sequence_decisions("joined", goal, names, list(tools.values()), chance, 0.6)
    return found
