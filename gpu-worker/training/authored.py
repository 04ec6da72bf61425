"""Reads the goal families, wishes, requests and agent sessions that were made up for training (`authored/`), and checks them.

A family is one kind of goal in many wordings with its plan over the 903 actions; a wish is one part of a goal with the
action it asks for; a request is a whole goal in such parts; a session is a conversation with tools. The formats are in
`authored/README.md`. `python3 -m training.authored` prints counts and mistakes.
"""
import itertools
import json
import pathlib
import random
import re
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).parent
FOLDER = HERE / "authored"
ACTIONS = HERE.parent / "checkpoints" / "base" / "actions.json"
SLOT = re.compile(r"\{([a-z_0-9]+)\}")
LEAST_WORDINGS, LEAST_STEPS, MOST_STEPS = 5, 2, 9
ENDS = ("answer", "ask", "decline")


@dataclass
class Family:
    area: str
    name: str
    goals: list = field(default_factory=list)
    states: list = field(default_factory=list)  # (steps already done, text)
    plans: list = field(default_factory=list)  # each a list of steps, each a list of equally right names
    slots: dict = field(default_factory=dict)


@dataclass
class Session:
    file: str
    name: str
    toolset: str = ""
    system: str = ""
    # ("user", text) | ("call", tool, arguments, others) | ("result", text, failed) | ("answer" | "ask" | "decline", text)
    events: list = field(default_factory=list)


def lines_of(path):
    for number, line in enumerate(path.read_text(encoding="utf8").splitlines(), 1):
        line = line.rstrip()
        if line and not line.startswith("#"):
            if ": " not in line and not line.endswith(":"):
                raise ValueError(f"{path.name}:{number}: no `key: text`: {line[:60]}")
            key, _, text = line.partition(":")
            yield number, key.strip(), text.strip()


def read_families(folder=FOLDER / "families"):
    """All families, in the order of files and lines."""
    found = []
    for path in sorted(folder.glob("*.txt")):
        slots, family = {}, None
        for number, key, text in lines_of(path):
            if key.startswith("slot "):
                slots[key[5:].strip()] = [part.strip() for part in text.split("|") if part.strip()]
            elif key == "family":
                family = Family(path.stem, text, slots=slots)
                found.append(family)
            elif key == "goal":
                family.goals.append(text)
            elif key == "state" or key.startswith("state@"):
                family.states.append((int(key[6:] or 0) if "@" in key else 0, text))
            elif key == "plan":
                family.plans.append([[name.strip() for name in step.split("|")] for step in text.split(">")])
            else:
                raise ValueError(f"{path.name}:{number}: unknown key {key}")
    return found


def read_wishes(folder=FOLDER / "wishes"):
    """[(text, names of equally right actions, the usual one first; none if the text asks for nothing)], in the order of files
    and lines."""
    found = []
    for path in sorted(folder.glob("*.txt")):
        names = []
        for number, key, text in lines_of(path):
            if key == "action":
                names = [name.strip() for name in text.split("|")]
            elif key == "wish" and names:
                found.append((text, names))
            elif key == "tell":
                found.append((text, []))
            else:
                raise ValueError(f"{path.name}:{number}: unknown key {key}, or a wish without its action")
    return found


def read_requests(folder=FOLDER / "requests"):
    """Requests as lists of their parts, each like a wish: (text, names); in the order of files and lines."""
    found = []
    for path in sorted(folder.glob("*.txt")):
        parts = None
        for number, key, text in lines_of(path):
            pieces = [piece.strip() for piece in text.split(" / ")]
            if key == "request" and parts is None:
                parts = pieces
            elif key == "acts" and parts is not None and len(pieces) == len(parts):
                found.append([(part, [] if names == "-" else names.split("|")) for part, names in zip(parts, pieces)])
                parts = None
            else:
                raise ValueError(f"{path.name}:{number}: {key} out of place, or other numbers of parts and acts")
    return found


def read_sessions(folder=FOLDER / "sessions"):
    """(toolsets {name: [{name, description, parameters}]}, sessions)."""
    toolsets, sessions = {}, []
    for path in sorted(folder.glob("*.txt")):
        session, tools = None, None
        for number, key, text in lines_of(path):
            where = f"{path.name}:{number}"
            if key == "toolset" and (session is None or session.toolset):
                tools, session = [], None
                if text in toolsets:
                    raise ValueError(f"{where}: toolset {text} stands twice")
                toolsets[text] = tools
            elif key == "toolset":
                session.toolset = text
            elif key == "tool":
                parts = [part.strip() for part in text.split("|")]
                name, description, parameters = (parts + ["", ""])[:3]
                tools.append({"name": name, "description": description, "parameters": [one.strip() for one in parameters.split(",") if one.strip()]})
            elif key == "session":
                session = Session(path.stem, text)
                sessions.append(session)
            elif key == "system":
                session.system = f"{session.system}\n{text}".strip()
            elif key == "call":
                name, _, arguments = text.partition("|")
                session.events.append(("call", name.strip(), arguments.strip(), []))
            elif key == "also":
                session.events[-1][3].append(text)
            elif key in ("result", "fail"):
                session.events.append(("result", text, key == "fail"))
            elif key == "user" or key in ENDS:
                session.events.append((key, text))
            else:
                raise ValueError(f"{where}: unknown key {key}")
    return toolsets, sessions


def fill(text, slots, chance):
    """The text with each {slot} replaced by one of its values."""
    return SLOT.sub(lambda found: chance.choice(slots[found[1]]), text)


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
