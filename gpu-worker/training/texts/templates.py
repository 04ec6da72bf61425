"""How a tool and a name are written for the encoder, and how many tokens of each kind of text are read.

The TypeScript server writes the same texts (world-model/text-templates.ts); a change here needs a new checkpoint.
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
    """`math.getHCF_v2` -> `math get hcf v2`; empty for a name without Latin letters and digits."""
    spaced = ACRONYM.sub(r"\1 \2", CAMEL.sub(r"\1 \2", name))
    return NOT_WORD.sub(" ", spaced).strip().lower()


def tool_text(name, description=""):
    words, description = name_words(name), " ".join(description.split())[:DESCRIPTION_CHARACTERS]
    return f"{words}: {description}" if description else words


def text_of_tool(tool):
    """The text of a tool as a caller sends it: its description may be missing."""
    return tool_text(tool["name"], tool.get("description") or "")
