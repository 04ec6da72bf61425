"""Writes what the Python rules say of made-up texts, for the server's tests: test/gpu-worker/planning/twin-cases.json.

`python3 -m training.tests.twin_cases` from gpu-worker/ (numpy and PyTorch), again whenever goal_parts.py, lexical.py,
tool_numbers.py or session_readings.py change. The vectors are made up too, by a rule that the server's test repeats.
"""
import json

import numpy as np

from training.machine.places import ACTIONS, REPOSITORY
from training.texts.goal_parts import goal_parts

PATH = REPOSITORY / "test" / "gpu-worker" / "planning" / "twin-cases.json"
WIDTH = 8

GOALS = [
    "", "   ", "Book a flight", "Find salt and pepper", "Pay the bill and tell Bob", "Find a hotel and book it", "Find a cheap hotel and then book the best room",
    "Chop the onions, fry them in butter and serve", "Log in to the site, then update my name", "Say hi. Then, after that, go home early!",
    "Find Anna's number. After that, send her a text!", "one line here\ntwo words\n\nand three more words", "Buy milk; buy some bread: pay with my card",
    "First open the page - read every line of it - close the page", "R&D needs it & so does the other team", "finally, print the long report and finally bind it",
    "Version 2.5 of it. Is it fine now?", "Order a taxi to the airport but only if the train is late so I can relax", "AND THEN close the old ticket",
    "Wait... what is this? I do not know! Tell me everything about it.", "Ask him — then call the office — about the red folder",
    "Do the first thing, do the second thing, do the third thing, do the fourth thing, do the fifth thing, do the sixth thing, do the seventh thing, do the eighth thing, do the ninth thing, do the tenth thing",
    "Rename the file report, final version and send it to Eve, Bob and me", "Thanks", "Book it, Danno", "Send 1,000 euros to Tom and 2,000 to Ann",
    "a, b, c, d, e, f", "Draft a reply and save it, don't send. Don't worry, it's short", "Compare the prices of the two phones and, if the first is cheaper, order the first one",
    "Close the red ticket without sending a mail", "Save it without sending", "Rename it all without asking me", "WITHOUT\u00a0Opening it, move the file",
    "Rename it in all files and commit. No push.", "Book two seats, no insurance, no idea which row", "Link the first two. post nothing", "Archive the mail instead of deleting it",
    "Is the garage still open? if so close it", "Close everything but the last window", "Keep everything but return the old lamp", "Heat nothing but the bath to 22", "See who can drive; if nobody, offer two days", "Order the soup. No\u00a0onions! And no reply",
    "Write to the landlord about the heating afterwards pay the rent then file the receipt", " , , and and then ",
    "Pay the bill and message Bob", "Order ten bulbs, then text dad.", "List names and phone numbers", "Feed the cat and call Call",
    "long words " * 300 + ". And this is past the end of what is read.",
]  # fmt: skip

SHOP = [
    {"name": "search_products", "description": "Search the shop's products by words"},
    {"name": "addToCart", "description": "Put a product into the cart"},
    {"name": "checkout", "description": ""},
    {"name": "send_email", "description": "Send an e-mail to somebody"},
    {"name": "delete_order", "description": "Delete an order for good"},
]
CODE = [
    {"name": "Read", "description": "Reads a file"},
    {"name": "Edit", "description": "Edits a file by replacing a text"},
    {"name": "Bash", "description": "Runs a command in a shell"},
    {"name": "mcp__git__commit_changes", "description": "Commits what was staged"},
]
SYSTEM, USER, ASSISTANT, CALL, RESULT, PLANNED = range(6)
LONG = [(USER, "Look through all my old orders, one by one"), *((kind, text) for at in range(30) for kind, text in ((CALL, SHOP[at % 2]["name"]), (RESULT, f"order {at}: fine")))]

# (events, tools)
DECISIONS = [
    ([(USER, "Find a red lamp and add it to the cart")], SHOP),
    ([(SYSTEM, "You help shoppers."), (USER, "Find a red lamp, add it to the cart and email Anna about it")], SHOP),
    ([(USER, "Find a red lamp and buy it"), (CALL, "search_products"), (RESULT, "Found: Lamp A, Lamp B")], SHOP),
    ([(USER, "Find a red lamp and buy it"), (CALL, "search_products"), (RESULT, "Error 503: service unavailable")], SHOP),
    ([(USER, "Find a red lamp"), (CALL, "search_products"), (RESULT, "[]")], SHOP),
    ([(USER, "Find a red lamp"), (CALL, "search_products"), (RESULT, '{"lamp": "A", "price": 530, "errors": []}')], SHOP),
    ([(USER, "Find a red lamp"), (CALL, "search_products"), (RESULT, '{"status": 409, "detail": "try again"}')], SHOP),
    ([(USER, "Find a red lamp"), (CALL, "search_products"), (RESULT, "no results"), (CALL, "search_products"), (RESULT, "3 hits")], SHOP),
    ([(USER, "Find a lamp"), (CALL, "search_products"), (RESULT, "2 lamps"), (ASSISTANT, "There are two lamps. Which one do you want?"), (USER, "The second one, put it into my cart")], SHOP),
    ([(SYSTEM, "Be brief."), (USER, "hello there"), (ASSISTANT, "Hi! How can I help?"), (USER, "Delete my last order please"), (ASSISTANT, "Are you sure about deleting it?"), (USER, "yes")], SHOP),
    ([(USER, "Find a lamp and add it to the cart and check out"), (PLANNED, "search_products"), (PLANNED, "addToCart")], SHOP),
    ([(USER, "Find a lamp"), (CALL, "search_products"), (RESULT, "A lamp"), (PLANNED, "addToCart")], SHOP),
    ([(USER, "Find a lamp"), (CALL, "old_search_tool"), (RESULT, "the tool is gone: not found")], SHOP),
    ([(USER, "Search four times"), *[(CALL, "search_products"), (RESULT, "ok")] * 5], SHOP),
    ([(USER, "Do it twice"), (CALL, "checkout"), (RESULT, "failed: card declined"), (CALL, "checkout"), (RESULT, "Paid.")], SHOP),
    ([(USER, "Fix the failing test in the parser"), (CALL, "Bash"), (RESULT, "1 failed: parser.test.ts"), (CALL, "Read"), (RESULT, "def parse(text): ..."), (CALL, "Edit"), (RESULT, "Edited.")], CODE),
    ([(SYSTEM, "You are a coding agent. " * 80), (USER, "Commit what is there"), (CALL, "Bash"), (RESULT, "nothing to commit: []")], CODE),
    ([(USER, "zebra")], CODE),
    ([(USER, " ")], CODE),
    ([(SYSTEM, "Only a system prompt.")], CODE),
    ([(USER, "Read the file. Edit the file. Run the tests. Commit the changes. Tell me about it.")], CODE),
    ([(USER, "a first question about lamps"), (ASSISTANT, "An answer about lamps. " * 30), (USER, "a second question about carts"), (ASSISTANT, "Another answer."), (USER, "Send an e-mail about both")], SHOP),
    ([(USER, "Fix the parser"), (CALL, "Read"), (RESULT, "import { fail } from './error'\nthrow new Error('not found')"), (CALL, "Bash"), (RESULT, "fatal: not a git repository")], CODE),
    ([(USER, "Fix the parser"), (CALL, "Bash"), (RESULT, "a1b2c3d fix: error in parser"), (CALL, "Read"), (RESULT, '[{"title": "Error on login page"}]')], CODE),
    ([(USER, "Run the tests"), (CALL, "Bash"), (RESULT, "\u2713 throws an error\n1 passed"), (CALL, "Bash"), (RESULT, "500 rows")], CODE),
    ([(USER, "Lock up"), (CALL, "Bash"), (RESULT, "All doors are locked"), (CALL, "Bash"), (RESULT, '{"failed": [{"id": 3, "reason": "not found"}]}')], CODE),
    (LONG, SHOP),
    ([(SYSTEM, "You help shoppers."), *LONG, (PLANNED, "send_email")], SHOP),
    ([(USER, "one tool only")], SHOP[:1]),
    ([(USER, "What is in the cart?"), (CALL, "checkout"), (RESULT, "x" * 700 + " error")], SHOP),
    ([(USER, "Is it free?"), (CALL, "search_products"), (RESULT, "0"), (ASSISTANT, "Nothing."), (USER, "Then order the blue one, confirm the order, and write to Bob that it comes late")], SHOP),
]  # fmt: skip


def vector_of(text):
    """A unit vector made of the text's characters."""
    total = 7
    for character in text:
        total = (total * 31 + ord(character)) % 2147483647
    values = np.array([(total // (place * 7 + 1)) % 1000 / 500 - 1 for place in range(WIDTH)])
    return values / np.linalg.norm(values)


def mix(listed):
    """Made-up weights of a list: (scale, words, name, threshold)."""
    return 3 + listed[0], 0.5 + listed[5], 0.4, 0.2 + listed[2] / 10


class MadeUp:
    """Embeddings whose texts are found by their row numbers."""

    def __init__(self):
        self.texts, self.table = [], np.zeros((0, WIDTH))

    def add(self, texts, window, keep="start"):
        begin = len(self.texts)
        self.texts += texts
        self.table = np.array([vector_of(text) for text in self.texts])
        return list(range(begin, len(self.texts)))


def told_goals():
    return [{"goal": goal, "parts": goal_parts(goal)} for goal in GOALS]


def told_decisions():
    from training.sessions.decisions import Decision
    from training.sessions.session_readings import read_decisions

    effects = {}
    for action in json.loads(ACTIONS.read_text()):
        effects.setdefault(action["verb"], action["effect"])
    effects[None] = None
    embeddings = MadeUp()
    readings = read_decisions([Decision("made up", list(events), tools, []) for events, tools in DECISIONS], embeddings, effects, mix)
    found = []
    for (events, tools), one in zip(DECISIONS, readings):
        rows = [
            {"kind": kind, "text": embeddings.texts[row], "numbers": list(map(float, numbers))}
            for kind, row, numbers in zip(one.kinds, one.event_rows, one.event_numbers)
        ]
        numbers = [[round(float(number), 5) for number in row] for row in one.numbers]
        found.append({"events": [list(event) for event in events], "tools": tools, "rows": rows, "numbers": numbers})
    return found


def main():
    PATH.write_text(json.dumps({"goals": told_goals(), "decisions": told_decisions()}, indent=1) + "\n")


if __name__ == "__main__":
    main()
