"""Reads the training and development rows (JSON Lines, gzipped or not), attaches their tool pools, and says which are held out.

Row format: {source, id, goal, state, actions[], tools?[{name,description}], tool_pool?, steps?[{state, action, next}], ...}.
Nothing here knows a source by its path: a data folder is always an argument.
"""
import gzip
import hashlib
import json
import pathlib


def open_text(path):
    return gzip.open(path, "rt", encoding="utf8") if path.suffix == ".gz" else open(path, encoding="utf8")


def stem_of(path):
    return path.name.split(".jsonl")[0]


def read_rows(path):
    with open_text(path) as lines:
        return [json.loads(line) for line in lines if line.strip()]


def read_pool(folder, name):
    for suffix in ("_tools.json.gz", "_tools.json"):
        path = pathlib.Path(folder) / f"{name}{suffix}"
        if path.exists():
            with open_text(path) as file:
                return json.load(file)
    raise FileNotFoundError(f"tool pool {name} not found beside its rows in {folder}")


def sets_in(folder):
    """{file stem: rows}; rows with a pool get its tools."""
    folder, found = pathlib.Path(folder), {}
    for path in sorted([*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz")]):
        rows, pools = read_rows(path), {}
        for row in rows:
            if "tool_pool" in row:
                name = row["tool_pool"]
                if name not in pools:
                    pools[name] = read_pool(folder, name)
                row["tools"] = pools[name]
        found[stem_of(path)] = rows
    return found


def share(text):
    """A stable number in [0, 1) for a text: splits do not move when rows are added."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") / 2**48


# Share of a source's task types that are left out of all training, to be measured on.
HELD_OUT_SHARE = {"miniwob-demos": 0.25}


def is_held_out(row):
    """Whether the row's whole task type is left out of training."""
    task = row.get("task")
    return task is not None and share("task:" + task) < HELD_OUT_SHARE.get(row["source"], 0)
