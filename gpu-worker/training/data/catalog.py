"""The catalogue of tools among the data sets: a name and a description each, and what they are as goals."""
from ..texts.templates import name_words, tool_text


def catalog_of(sets):
    """{(source, name): tool text} of the catalogue."""
    return {(row["source"], row["name"]): tool_text(row["name"], row["description"]) for row in sets.get("tool_catalog", [])}


def catalog_goals(sets):
    """(description, words of the name): a tool's description is used as a goal that the tool serves."""
    used_names = {name for row in sets.get("traject_bench", []) for name in row["actions"]}
    catalog = catalog_of(sets)
    for (source, name), text in catalog.items():
        words = name_words(name.split(":")[-1].split(" - ")[-1] if source == "apizoo" else name.split(".")[-1] if source == "apple-shortcuts" else name)
        description = text.split(": ", 1)[-1]
        if source == "traject" and name not in used_names:
            continue  # mostly names of parameters
        if len(words) > 2 and len(description) > 12 and ": " in text:
            yield description, words
