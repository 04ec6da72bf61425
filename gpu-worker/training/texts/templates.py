"""The text templates, the one place that says how a tool, a goal and a state are written for the encoder.

The TypeScript server writes the same texts; a change here is a change of the checkpoint.
"""
import re

GOAL_TOKENS = 96
STATE_TOKENS = 96
TOOL_TOKENS = 64
DESCRIPTION_CHARACTERS = 400

CAMEL = re.compile(r"([a-z0-9])([A-Z])")
ACRONYM = re.compile(r"([A-Z]+)([A-Z][a-z])")
NOT_WORD = re.compile(r"[^A-Za-z0-9]+")


def name_words(name):
    """`math.getHCF_v2` -> `math get hcf v2`."""
    spaced = ACRONYM.sub(r"\1 \2", CAMEL.sub(r"\1 \2", name))
    return NOT_WORD.sub(" ", spaced).strip().lower()


def tool_text(name, description=""):
    words, description = name_words(name), " ".join(description.split())[:DESCRIPTION_CHARACTERS]
    return f"{words}: {description}" if description else words


def text_of_tool(tool):
    """The same of a caller's tool, whose description may be missing."""
    return tool_text(tool["name"], tool.get("description") or "")
