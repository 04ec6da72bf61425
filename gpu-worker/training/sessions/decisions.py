"""A decision of a conversation with tools: the events so far, the caller's tools, and what is right there: tools, or an ending."""
from dataclasses import dataclass

SYSTEM, USER, ASSISTANT, CALL, RESULT, PLANNED = range(6)
# Endings: the work is done; something only the user knows is missing; no tool is needed or none fits.
DONE, ASK, NO_TOOL = range(3)
# Weight of a decision in the loss, by its source; sources that are not named have weight 1.
WEIGHTS = {
    "own-plan": 0.5, "families": 0.5, "apollo": 0.35, "traject": 0.4, "seal": 0.7, "kg": 0.2, "sgd-talk": 0.6, "star": 0.5, "taskmaster": 0.5,
    "lists": 0.6, "joined": 0.6,
}  # fmt: skip

# Share of the lists whose tools have a name but no description.
UNDESCRIBED = 0.12


@dataclass
class Decision:
    source: str
    # (kind, text): a call's or a planned call's text is the tool's name.
    events: list
    tools: list
    # Rows of the right tools; empty with an ending.
    right: list
    ending: int = -1

    @property
    def weight(self):
        return WEIGHTS.get(self.source, 1.0)


def shown(tools, right_names, chance, least=0.35):
    """The tools in another order, with some of the wrong ones left out, at times without descriptions."""
    share = chance.uniform(least, 1.3)
    kept = [tool for tool in tools if tool["name"] in right_names or chance.random() < share]
    chance.shuffle(kept)
    return [{**tool, "description": ""} for tool in kept] if chance.random() < UNDESCRIBED else kept


def rows_of(tools, names):
    return [row for row, tool in enumerate(tools) if tool["name"] in names]
