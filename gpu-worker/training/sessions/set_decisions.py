"""Decisions of conversations with tools from the data sets: recorded dialogues, known sequences of calls, made-up lists of tools."""
import random
import re

from ..tools.made_up_lists import train_lists
from .decisions import ASK, ASSISTANT, CALL, DONE, NO_TOOL, PLANNED, RESULT, SYSTEM, USER, Decision, rows_of, shown

# Most rows that are taken of a data set, and the number of goals that are joined of several.
ROWS = {"apollo_tau": 1300, "traject_bench": 700, "agentbench_kg": 100, "sgd_train": 800, "star": 300, "taskmaster4_coffee": 200}
JOINED = 1500
# The tools of AgentBench's knowledge graph.
GRAPH_TOOLS = [
    {"name": name, "description": ""}
    for name in ("get_relations", "get_neighbors", "intersection", "count", "get_attributes", "argmax", "argmin")
]
JOINTS = (". ", ", and ", ", then ", ". Then ", "; ", " and also ", ". After that, ")


def sequence_decisions(source, goal, names, tools, chance, results=None, state=""):
    """Decisions along a known sequence of calls, by a planner (no results) or by an agent (results, where they were recorded)."""
    known = {tool["name"] for tool in tools}
    names = [name for name in names if name in known][:12]
    if not names:
        return []
    kind = CALL if results else PLANNED
    found, events = [], [*([(SYSTEM, state)] if state else []), (USER, goal)]
    for at, name in enumerate([*names, None]):
        offered = shown(tools, set(names), chance)
        found.append(Decision(source, list(events), offered, rows_of(offered, {name}) if name else [], -1 if name else DONE))
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
        found.append(Decision("sgd-talk", list(events), shown(row["tools"], names, chance), [], ending))
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
        found.append(Decision(source, list(events), offered, rows_of(offered, {call}) if call else [], ending))
        events += [(CALL, call), (RESULT, step.get("next") or "OK")] if call else [(ASSISTANT, step.get("next") or "OK")]
    return found


def joined_decisions(lists, chance):
    """Several goals, each of one tool, in one message: they are to be served in their order."""
    found = []
    single = [(goal, tools, right) for goal, tools, right in lists if len(right) == 1 and len(tools) <= 40]
    for _ in range(JOINED):
        parts = chance.sample(single, chance.choice((2, 2, 3, 3, 4)))
        goal, tools, names = "", {}, []
        for part, offered, right in parts:
            joint = chance.choice(JOINTS)
            part = part.strip().rstrip(".")
            goal = part if not goal else goal + joint + (part[:1].lower() + part[1:] if not joint.endswith(". ") else part)
            chosen = offered[right[0]]
            names.append(chosen["name"])
            for tool in [chosen, *chance.sample(offered, min(len(offered), 6))]:
                tools.setdefault(tool["name"], tool)
        if len(set(names)) == len(names):
            found += sequence_decisions("joined", goal, names, list(tools.values()), chance)
    return found


def set_decisions(sets, seed):
    """Decisions of the data sets, under caps."""
    chance, found = random.Random(f"{seed}tool sets"), []

    def some(stem):
        rows = sets.get(stem, [])
        return chance.sample(rows, min(ROWS[stem], len(rows)))

    for row in some("apollo_tau"):
        found += sequence_decisions("apollo", row["goal"], row["actions"], row["tools"], chance)
    for row in some("traject_bench"):
        results = [step.get("next") or "" for step in row["steps"]]
        seen = results if chance.random() < 0.5 and len(results) == len(row["actions"]) else None
        found += sequence_decisions("traject", row["goal"], row["actions"], row["tools"], chance, seen)
    for row in sets.get("sealtools_dev", []):
        found += sequence_decisions("seal", row["goal"], row["actions"], row["tools"], chance)
    for row in some("agentbench_kg"):
        found += sequence_decisions("kg", row["goal"], row["actions"], GRAPH_TOOLS, chance, state=row["state"])
    for row in some("sgd_train"):
        if row.get("steps"):
            found += dialogue_decisions(row, chance)
    for stem, source, pattern in (("star", "star", "^query"), ("taskmaster4_coffee", "taskmaster", ".")):
        rows = [row for row in some(stem) if row.get("steps")]
        names = sorted({step["action"] for row in rows for step in row["steps"] if re.match(pattern, step["action"])})
        for row in rows:
            found += talk_decisions(source, row, names, chance)
    lists = train_lists(sets, seed)
    for goal, tools, right in lists:
        found.append(Decision("lists", [(USER, goal)], tools, right, -1 if right else NO_TOOL))
    return found + joined_decisions(lists, chance)
