"""Reads the goal families, wishes, requests and agent sessions that were made up for training (`authored/`).

A family is one kind of goal in many wordings with its plan over the 903 actions; a wish is one part of a goal with the
action it asks for; a request is a whole goal in such parts; a session is a conversation with tools. The formats are in
`authored/README.md`; check_authored.py checks what was read.
"""
import re
from dataclasses import dataclass, field

from ..machine.places import AUTHORED

SLOT = re.compile(r"\{([a-z_0-9]+)\}")
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


def read_families(folder=AUTHORED / "families"):
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


def read_wishes(folder=AUTHORED / "wishes"):
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


def read_requests(folder=AUTHORED / "requests"):
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


def read_sessions(folder=AUTHORED / "sessions"):
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
