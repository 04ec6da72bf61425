"""The stage that trains the plan decoder on the encoder's vectors, and writes the library of plans."""
import numpy as np
import torch

from ..data.choose_rows import NEUTRAL_STATE
from ..plans.composed_rows import composed_rows
from ..plans.plan_decoder import PlanDecoder
from ..plans.plan_library import write_library
from ..plans.plan_rows import LIBRARY_CAPS, data_rows, family_rows, request_rows
from ..plans.train_plans import EPOCHS, plan_items, train_plans
from ..texts.templates import STATE_TOKENS
from .run import say
from .trained import trained


def plans_stage(run, embeddings, action_map):
    run.stage("plans")
    options = run.options
    glosses = action_map.vectors.astype(np.float32)
    families = family_rows(options.seed, run.families)
    composed = composed_rows(run.train, options.seed, run.families, run.wishes)
    rows = data_rows(run.train, options.seed) + families + request_rows(options.seed, run.requests) + composed
    neutral = int(embeddings.add([NEUTRAL_STATE], STATE_TOKENS, "end")[0])
    items = plan_items(rows, embeddings, action_map)
    remembered = plan_items(data_rows(run.train, options.seed, LIBRARY_CAPS) + families, embeddings, action_map)
    embeddings.save()
    episodes = write_library(remembered, embeddings.table, options.seed, options.out)
    say(f"plans: {len(items)} rows, {len(episodes)} episodes in the library")
    return trained(
        options.work / "decoder.pt",
        lambda: PlanDecoder(torch.from_numpy(glosses)),
        lambda: train_plans(items, embeddings.table, glosses, neutral, options.seed, EPOCHS * options.steps_share, say=say),
    )
