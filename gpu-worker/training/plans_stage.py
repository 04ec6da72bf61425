"""Third stage: trains the plan decoder, the readers of wishes and the reader of sessions on the same text vectors."""
import numpy as np
import torch

from .episodes import NEUTRAL_STATE
from .plan_decoder import PlanDecoder
from .plan_library import write_library
from .plan_rows import LIBRARY_CAPS, composed_rows, data_rows, family_rows, request_rows
from .run import say
from .session_reader import SessionReader
from .session_readings import Readings
from .session_rows import family_decisions, session_decisions
from .set_decisions import set_decisions
from .texts import STATE_TOKENS
from .train_plans import EPOCHS, plan_items, train_plans
from .train_sessions import STEPS as READER_STEPS
from .train_sessions import train_reader
from .train_wishes import READERS, own_wishes, train_wishes, wish_items
from .train_wishes import STEPS as WISH_STEPS
from .whole_file import write_whole
from .wish_reader import WishReader


def trained(path, make, train):
    """The module stored at `path`; if it is not there it is trained and stored."""
    if path.exists():
        module = make()
        module.load_state_dict(torch.load(path))
        return module.eval()
    module = train()
    write_whole(path, lambda path: torch.save(module.state_dict(), path))
    return module.eval()


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
            lambda: train_wishes(items, embeddings.table, glosses, options.seed + at, run.steps(WISH_STEPS), say=say),
        )
        for at in range(READERS)
    ]


def sessions_stage(run, embeddings, action_map, mixer):
    run.stage("sessions")
    options = run.options

    def mix(listed):
        with torch.no_grad():
            scale, _, words, name, threshold = mixer(torch.tensor([[*listed, 0.0, 0.0, 0.0]], dtype=torch.float32))[0].tolist()
        return scale, words, name, threshold

    def train():
        decisions = set_decisions(run.train, options.seed) + family_decisions(options.seed, action_map.actions, run.families)
        decisions += session_decisions(options.seed, *run.sessions)
        readings = Readings(decisions, embeddings, action_map.effects, mix)
        embeddings.save()
        say(f"sessions: {len(decisions)} decisions")
        return train_reader(readings.all, embeddings.table, options.seed, run.steps(READER_STEPS), say=say)

    return trained(options.work / "reader.pt", lambda: SessionReader(embeddings.table.shape[1]), train)
