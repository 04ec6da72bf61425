"""Rows -> episodes for the heads: rows of the embedding table for goal, states and next states, ids of the actions."""
from dataclasses import dataclass

import numpy as np

from ..actions.mapping import NameReader, last_part
from ..data.beginnings import REPLIES, beginning
from ..data.catalog import catalog_goals
from ..data.choose_rows import CHATS, NAMED_THINGS, NEUTRAL_STATE, PAGES, choose_usable, texts_of, usable_rows
from ..texts.templates import GOAL_TOKENS, STATE_TOKENS, TOOL_TOKENS, name_words

# Sources whose next states are utterances.
DIALOGUES = {"sgd-train", "star"}
# Most episodes taken of each set: large sets would dominate the others and take too long to embed.
CAPS = {
    "sgd_train": 5000, "alfred_train": 7000, "star": 1500, "miniwob_demos": 4000, "traject_bench": 1500, "n8n_workflows": 600,
    "taskmaster4_coffee": 700, "agentbench_kg": 500, "fireact": 700, "webshop_goals": 200, "sealtools_dev": 700, "metatool_single": 1500,
    "clinc150_train": 4000, "banking77_train": 1500, "snips_train": 800, "home_assistant_intents_en": 1019, "tldr_commands": 800,
    "tool_catalog": 5000, "glosses": 1806,
}  # fmt: skip


@dataclass
class Episode:
    source: str
    goal: int
    states: np.ndarray  # [steps + 1]; the last is the state after the last action
    actions: np.ndarray  # [steps] ids among the 903
    names: np.ndarray  # [steps] rows of the actions' own names
    has_next: np.ndarray  # [steps] whether the row tells the state after the step
    nexts: np.ndarray  # [steps] rows of those states; of the neutral state where it does not


def choose(sets, seed):
    """[(stem, row)] under the caps, held-out rows left out."""
    chosen, reader = [], NameReader()
    goals = [{"source": "tool-catalog", "goal": description, "actions": [name]} for description, name in catalog_goals(sets)]
    for stem, rows in sorted({**sets, "tool_catalog": goals}.items()):
        cap = CAPS.get(stem, 0)
        usable = usable_rows(rows)
        if stem in NAMED_THINGS:
            usable = [row for row in usable if reader.read(row["actions"][0])[1] is not None]
        choose_usable(stem, usable, seed)
        chosen += [(stem, row) for row in usable[:cap]]
    return chosen


def build_episodes(rows, embeddings, action_map, chance=None):
    """Episodes of [(stem, row)]: embeds every text and maps every action name. With `chance`, some begin as chats."""
    asked = [row["goal"] for _, row in rows]
    told = [step["next"] for _, row in rows if row.get("source") in DIALOGUES for step in row["steps"] if step.get("next")] or REPLIES

    def blank_of(row):
        if chance and row.get("source") not in PAGES and chance.random() < CHATS:
            return beginning(chance, asked, told)
        return NEUTRAL_STATE

    read = [(stem, *texts_of(row, blank_of(row))) for stem, row in rows]
    goals = embeddings.add([goal for _, goal, *_ in read], GOAL_TOKENS)
    flat_states = embeddings.add([text for _, _, states, _, _ in read for text in states], STATE_TOKENS, "end")
    flat_nexts = embeddings.add([text or NEUTRAL_STATE for *_, nexts in read for text in nexts], STATE_TOKENS, "end")
    ids = action_map.ids(sorted({name for *_, names, _ in read for name in names}))
    spoken = {name: name_words(last_part(name)) or "unknown" for name in ids}
    name_rows = dict(zip(spoken, embeddings.add(list(spoken.values()), TOOL_TOKENS)))
    episodes, state_at, next_at = [], 0, 0
    for (stem, _, states, names, nexts), goal in zip(read, goals):
        episodes.append(
            Episode(
                stem,
                int(goal),
                flat_states[state_at : state_at + len(states)],
                np.array([ids[name] for name in names]),
                np.array([name_rows[name] for name in names]),
                np.array([text != "" for text in nexts]),
                flat_nexts[next_at : next_at + len(nexts)],
            )
        )
        state_at += len(states)
        next_at += len(nexts)
    return episodes
