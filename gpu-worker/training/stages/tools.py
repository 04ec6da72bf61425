"""The stage that trains the mixer of tool scores, and measures it on the dev sets."""
import json

from ..evaluation.measures import auroc
from ..tools.made_up_lists import train_lists
from ..tools.measure_tools import measure_tools, rows_to_lists, simple_top1, tool_choices
from ..tools.train_mixer import train_mixer
from .run import say


def tools_stage(run, heads, embeddings):
    run.stage("tool choice")
    lists = [(goal, "", tools, right) for goal, tools, right in train_lists(run.train, run.options.seed)]
    mixer = train_mixer(tool_choices(lists, embeddings, heads), run.options.seed, say=say).eval()
    embeddings.save()
    figures, margins = {}, {}
    for stem, rows in run.dev.items():
        if any("tools" in row for row in rows):
            choices = tool_choices(rows_to_lists(rows), embeddings, heads)
            figures[stem], margins[stem] = measure_tools(choices, mixer)
            if any(choice.right for choice in choices):
                figures[stem]["cosine_top1"] = simple_top1(choices, lambda c: c.features[:, 0])
                figures[stem]["bm25_top1"] = simple_top1(choices, lambda c: c.features[:, 2])
                figures[stem]["query_top1"] = simple_top1(choices, lambda c: c.features[:, 1])
    if {"bfcl_multiple", "bfcl_irrelevance"} <= set(margins):
        figures["irrelevance_auroc"] = auroc(margins["bfcl_multiple"], margins["bfcl_irrelevance"])
    say(json.dumps(figures, indent=1))
    run.figures["tools"] = figures
    return mixer
