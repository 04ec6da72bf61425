"""The parts of a goal: spans of its text that may each ask for something. The server has the same rule (planning/message/goal-text.ts).

Cutting too often costs an encoder run and no more, since a model attends to the parts it needs; so the rule is plain text.
"""
import re

SENTENCE = r"(?<=[.!?;\n])\s+|\n+"
SEQUEL = r"\s*,?\s*\b(?:and then|then|after that|afterwards|finally)\b,?\s*"
# Verbs that say after "without" how an action is done: "without asking me", "without changing its behaviour".
WAYS = "ask|be|hav|us|need|know|go|mak|do|los|break|chang|touch|modify|alter|affect|edit|rewrit|leav|wait|say|see|look"
# Begins an action that is not to be done: "close it without sending a mail".
WITHOUT = rf"without\s+(?!(?:{WAYS})ing\b)[^\W\d_]+ing\b"
# Begins an action that is not wanted, after the one that is: "archive it instead of deleting it".
INSTEAD_OF = r"(?:instead\s+of|rather\s+than)\s+(?!(?:any|every|some|no)thing\b)[^\W\d_]+ing\b"
# Begins another part, unless it excepts a thing: "all but the hall light", "nothing but the news".
BUT = (
    r"(?:(?<!\beverything )(?<!\banything )(?<!\ball )(?<!\bnothing )(?<!\bnobody )"
    r"|(?!but\s+(?:the|an?|my|your|our|his|her|their|this|that|these|those|one|two)\b))but"
)
JOINT = (
    r"\s*[,;:]\s+(?:and\s+|but\s+|or\s+)?"
    rf"|\s+(?:and|{BUT}|(?<!\bif )so)\s+"
    r"|\s+[-\u2013\u2014]+\s+|\s*&\s*"
    rf"|\s+(?={WITHOUT})|\s+(?={INSTEAD_OF})"
)
CUT = re.compile(f"{SENTENCE}|{SEQUEL}|{JOINT}", re.IGNORECASE)
WORD = re.compile(r"\S+")
# Begins a thing that is not wanted: "no push". Not a statement ("no reply", "no idea").
EXCLUDED_THING = (
    r"no\s+(?!(?:more|less|longer|later|earlier|one|need|idea|problem|worr(?:y|ies)|rush|hurry|matter|thanks?|doubt|way|answer|reply"
    r"|response|news|luck|success|joke|kidding|wait|change)\b)"
)
# A short part that is read by itself: "book it", "tell Bob", "don't send", "no push.", "call nobody", "without sending". "Don't worry" is none.
WISH = re.compile(
    r"\S+\s+(?:it|them|this|that|these|those|him|her|me|us|both|everybody|everything)\b"
    r"|(?:tell|notify|inform|warn|ping)\s+[^\W\d_]+[.!]?$"
    r"|don['\u2019]?t\s+(?!worry|panic|mind|forget|hesitate|know|care)[^\W\d_]"
    rf"|{EXCLUDED_THING}[^\W\d_]+[.!]?$"
    r"|(?!(?:if|otherwise|or)\b)[^\W\d_]+\s+(?:nothing|nobody)\b"
    rf"|{WITHOUT}",
    re.IGNORECASE,
)
# "Message Bob", "text Dad", "call mum": names and kin tell them from things ("phone numbers", "call lists").
CONTACT = re.compile(r"(?:[Tt]ext|[Ee]-?mail|[Mm]essage|[Cc]all|[Pp]hone|[Rr]ing)\s+([^\W\d_]+)[.!]?$")
KIN = {"mum", "mom", "dad", "gran", "granny", "grandma", "grandpa"}
# Longer runs of spaces are shortened first: CUT tries every split of a run, seconds for two thousand. To the encoder a run is one space.
LONG_SPACE = re.compile(r"\s{33,}")
LEAST_WORDS, MOST_PARTS, MOST_CHARACTERS = 3, 8, 2000


def names_contact(text):
    said = CONTACT.match(text)
    return said is not None and (said[1] in KIN or (said[1][0].isupper() and said[1][1:].islower()))


def goal_parts(goal):
    """The parts in order; empty for a goal of one part. If there are more than eight, the first and the last four."""
    goal = LONG_SPACE.sub(lambda run: "\n" if "\n" in run.group() else " ", goal[:MOST_CHARACTERS])
    spans, begin = [], 0
    for cut in CUT.finditer(goal):
        if cut.end() > cut.start():
            spans.append((begin, cut.start()))
            begin = cut.end()
    spans.append((begin, len(goal)))
    # Any other part of one or two words means nothing alone, and stays with the part before it ("salt and pepper").
    parts = []
    for begin, end in spans:
        if not goal[begin:end].strip():
            continue
        text = goal[begin:end].strip()
        is_alone = len(WORD.findall(text)) >= LEAST_WORDS or WISH.match(text) or names_contact(text)
        if parts and not is_alone:
            parts[-1] = (parts[-1][0], end)
        else:
            parts.append((begin, end))
    found = [goal[begin:end].strip() for begin, end in parts]
    if len(found) < 2:
        return []
    half = MOST_PARTS // 2
    return found if len(found) <= MOST_PARTS else found[:half] + found[-half:]
