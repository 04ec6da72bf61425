"""Word features of a goal against a list of tools: BM25 over the list itself, share of a tool's name, list features.

The server has the same rules (world-model/tool-ranking.ts). Every idf is of the list, not of a corpus.
"""
import math
import re

from ..texts.templates import name_words

# BM25's k1 and b. DAMPING is added to the best score, by which all are divided: in a list that hardly shares a word all shares are low.
K1, B, DAMPING = 1.2, 0.75, 2.0
WORD = re.compile(r"[a-z0-9]+")
STOP = set(
    "a an the of to in on for and or is are be i me my we our you your it its this that with from by as at do does can could would please "
    "want need what how which will have has".split()
)
LIST_FEATURES = 10


def stem(word):
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 5 and word.endswith("ing"):
        return word[:-3]
    if len(word) > 4 and word.endswith("ed"):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def words(text):
    """Stems of the text's words, in order, without stop words."""
    return [stem(word) for word in WORD.findall(text.lower()) if word not in STOP]


def read_tool(name, description):
    """(stems of the name, stems of the whole text)."""
    named = words(name_words(name))
    return named, named + words(description)


def tool_features(goal, tools):
    """([BM25 share of each tool], [share of its name's words, by idf, that the goal has], numbers of the list) for tools as read by
    `read_tool`. Numbers: ln size, goal's words, best BM25, its lead, best name share, share of the goal's words in the list, mean length."""
    # In their order, not as sets: a sum's last bits depend on its order, and a set's order changes from process to process.
    asked = dict.fromkeys(words(goal))
    count = len(tools)
    frequency = {}
    for _, text in tools:
        for word in set(text):
            frequency[word] = frequency.get(word, 0) + 1
    idf = {word: math.log(1 + (count - found + 0.5) / (found + 0.5)) for word, found in frequency.items()}
    mean_length = sum(len(text) for _, text in tools) / count or 1
    scores, named_shares = [], []
    for named, text in tools:
        score = 0.0
        held = set(text)
        for word in (word for word in asked if word in held):
            times = text.count(word)
            score += idf[word] * times * (K1 + 1) / (times + K1 * (1 - B + B * len(text) / mean_length))
        scores.append(score)
        parts = dict.fromkeys(named)
        total = sum(idf[word] for word in parts)
        named_shares.append(sum(idf[word] for word in parts if word in asked) / total if total else 0.0)
    best = max(scores)
    ranked = sorted(scores, reverse=True)
    known = sum(word in frequency for word in asked) / max(1, len(asked))
    lead = (best - (ranked[1] if count > 1 else 0.0)) / (best + DAMPING)
    listed = [math.log(count), min(3.0, len(asked) / 20), min(3.0, best / 10), lead, max(named_shares), known, min(3.0, mean_length / 20)]
    return [score / (best + DAMPING) for score in scores], named_shares, listed
