"""Checks the texts of our own (`authored/`): names that exist, enough wordings, nothing twice, conversations in a possible order.

`python3 -m training.data.check_authored` prints the mistakes, counts, and a few families as they are filled in.
"""
import itertools
import json
import random

from ..machine.places import ACTIONS
from .authored import ENDS, SLOT, fill, read_families, read_requests, read_sessions, read_wishes

LEAST_WORDINGS, LEAST_STEPS, MOST_STEPS = 5, 2, 9


def mistakes_of_family(family, actions):
    place = f"families/{family.area}: {family.name}"
    if len(set(family.goals)) < LEAST_WORDINGS:
        yield f"{place}: {len(set(family.goals))} wordings"
    if not family.plans:
        yield f"{place}: no plan"
    for plan in family.plans:
        if not LEAST_STEPS <= len(plan) <= MOST_STEPS:
            yield f"{place}: {len(plan)} steps"
        for name in itertools.chain(*plan):
            if name not in actions:
                yield f"{place}: no action {name}"
    for text in [*family.goals, *(text for _, text in family.states)]:
        for slot in SLOT.findall(text):
            if slot not in family.slots:
                yield f"{place}: no slot {slot}"


def mistakes_of_wishes(wishes, actions):
    texts = set()
    for text, names in wishes:
        if text.lower() in texts:
            yield f"wishes: {text!r} stands twice"
        texts.add(text.lower())
        for name in names:
            if name not in actions:
                yield f"wishes: no action {name}"


def mistakes_of_requests(requests, actions):
    goals = set()
    for parts in requests:
        goal = " ".join(text for text, _ in parts)
        if goal.lower() in goals:
            yield f"requests: {goal!r} stands twice"
        goals.add(goal.lower())
        if not any(names for _, names in parts):
            yield f"requests: {goal!r} asks for nothing"
        for name in [name for _, names in parts for name in names]:
            if name not in actions:
                yield f"requests: no action {name}"


def mistakes_of_session(session, toolsets):
    place = f"sessions/{session.file}: {session.name}"
    if session.toolset not in toolsets:
        yield f"{place}: no toolset {session.toolset}"
        return
    names = {tool["name"] for tool in toolsets[session.toolset]}
    open_calls, kind = 0, ""
    for event in session.events:
        previous, kind = kind, event[0]
        if kind == "call":
            for name in (event[1], *event[3]):
                if name not in names:
                    yield f"{place}: no tool {name}"
            if previous not in ("user", "call", "result"):
                yield f"{place}: a call after {previous or 'nothing'}"
            open_calls += 1
        elif kind == "result":
            open_calls -= 1
            if open_calls < 0:
                yield f"{place}: a result without its call"
        elif open_calls:
            yield f"{place}: {kind} before {open_calls} results"
        elif kind == "user" and previous not in ("", *ENDS):
            yield f"{place}: user after {previous}"
    if kind not in ENDS:
        yield f"{place}: ends with {kind}"


def main():
    actions = {action["name"] for action in json.loads(ACTIONS.read_text())}
    families, wishes, requests, (toolsets, sessions) = read_families(), read_wishes(), read_requests(), read_sessions()
    mistakes = [text for family in families for text in mistakes_of_family(family, actions)]
    mistakes += [*mistakes_of_wishes(wishes, actions), *mistakes_of_requests(requests, actions)]
    mistakes += [text for session in sessions for text in mistakes_of_session(session, toolsets)]
    names = [(family.area, family.name) for family in families]
    mistakes += [f"families/{area}: {name} stands twice" for area, name in sorted({one for one in names if names.count(one) > 1})]
    for text in mistakes:
        print(text)
    decisions = sum(event[0] in ENDS for session in sessions for event in session.events)
    calls = sum(event[0] == "call" for session in sessions for event in session.events)
    areas = len({family.area for family in families})
    print(f"{len(families)} families in {areas} areas, {len(wishes)} wishes, {len(requests)} requests", end=", ")
    print(f"{len(toolsets)} toolsets, {len(sessions)} sessions, {calls} calls, {decisions} ends, {len(mistakes)} mistakes")
    chance = random.Random(1)
    for family in chance.sample(families, min(3, len(families))):
        print(fill(chance.choice(family.goals), family.slots, chance), "->", " > ".join(step[0] for step in family.plans[0]))


if __name__ == "__main__":
    main()
