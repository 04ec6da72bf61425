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
SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")
# Of more sentences the first and the last ones are read, where people say what they want.
MOST_SENTENCES = 8


def name_words(name):
    """`math.getHCF_v2` -> `math get hcf v2`."""
    spaced = ACRONYM.sub(r"\1 \2", CAMEL.sub(r"\1 \2", name))
    return NOT_WORD.sub(" ", spaced).strip().lower()


def tool_text(name, description=""):
    words, description = name_words(name), " ".join(description.split())[:DESCRIPTION_CHARACTERS]
    return f"{words}: {description}" if description else words


def sentences(goal):
    """Sentences of two words or more; none where the goal is one."""
    found = [part for part in map(str.strip, SENTENCE_END.split(goal)) if len(part.split()) > 1]
    if len(found) < 2:
        return []
    half = MOST_SENTENCES // 2
    return found if len(found) <= MOST_SENTENCES else found[:half] + found[-half:]
