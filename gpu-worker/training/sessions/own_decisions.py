"""Decisions of our own sessions and goal families: which tool is next, or why none is."""
import random

from ..data.authored import fill
from ..data.beginnings import instruction
from .decisions import ASK, ASSISTANT, CALL, DONE, NO_TOOL, PLANNED, RESULT, SYSTEM, USER, Decision, rows_of, shown

# Key of a turn's last line in authored/sessions -> the ending that it shows.
ENDINGS = {"answer": DONE, "ask": ASK, "decline": NO_TOOL}


def decisions_of_session(session, tools, chance, open_loop):
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
            found.append(Decision("own", list(events), offered, rows_of(offered, names)))
            pending += calls
            # Each call is followed by its result, as in the history that the server writes.
            results = [event for event in session.events[at : at + len(calls)] if event[0] == "result"]
            for call, result in zip(calls, results):
                events += [(CALL, call[1]), (RESULT, result[1])]
            at += len(results)
            continue
        if kind in ENDINGS:
            offered = shown(tools, used, chance)
            found.append(Decision("own", list(events), offered, [], ENDINGS[kind]))
            if open_loop and pending and turn_begins is not None:
                planned = []
                for call in [*pending, None]:
                    offered = shown(tools, used, chance)
                    before = [*events[:turn_begins], *((PLANNED, name) for name in planned)]
                    right = rows_of(offered, {call[1]}) if call else []
                    found.append(Decision("own-plan", before, offered, right, -1 if call else DONE))
                    if call:
                        planned.append(call[1])
            events.append((ASSISTANT, rest[0]))
            pending = []
        at += 1
    return found


def session_decisions(seed, toolsets, sessions, copies=3):
    """Decisions of our own sessions, several times with other tools left out; the first time also without results."""
    chance, found = random.Random(f"{seed}sessions"), []
    for copy in range(copies):
        for session in sessions:
            found += decisions_of_session(session, toolsets[session.toolset], chance, open_loop=copy == 0)
    # Some system prompts are removed, and made-up ones added where there is none: a prompt says little of what comes next.
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
                found.append(Decision("families", events, tools, right, -1 if name else DONE))
                planned += [tools[row]["name"] for row in right]
    return found
