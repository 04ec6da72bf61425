"""The stage that trains the readers of wishes on the encoder's vectors."""
import numpy as np
import torch

from ..wishes.train_wishes import READERS, STEPS, own_wishes, train_wishes, wish_items
from ..wishes.wish_reader import WishReader
from .run import say
from .trained import trained


def wishes_stage(run, embeddings, action_map):
    run.stage("wishes")
    options = run.options
    glosses = action_map.vectors.astype(np.float32)
    items = wish_items(own_wishes(run.wishes, run.requests), embeddings, action_map)
    embeddings.save()
    return [
        trained(
            options.work / f"wish-reader-{at}.pt",
            lambda: WishReader(torch.from_numpy(glosses)),
            lambda: train_wishes(items, embeddings.table, glosses, options.seed + at, run.steps(STEPS), say=say),
        )
        for at in range(READERS)
    ]
