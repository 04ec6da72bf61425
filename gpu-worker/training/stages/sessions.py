"""The stage that trains the reader of sessions, which is shown how the mixer scores each tool."""
import torch

from ..sessions.own_decisions import family_decisions, session_decisions
from ..sessions.session_reader import SessionReader
from ..sessions.session_readings import read_decisions
from ..sessions.set_decisions import set_decisions
from ..sessions.train_sessions import STEPS, train_reader
from .run import say
from .trained import trained


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
        readings = read_decisions(decisions, embeddings, action_map.effects, mix)
        embeddings.save()
        say(f"sessions: {len(decisions)} decisions")
        return train_reader(readings, embeddings.table, options.seed, run.steps(STEPS), say=say)

    return trained(options.work / "reader.pt", lambda: SessionReader(embeddings.table.shape[1]), train)
