"""The world model's heads over frozen text vectors: latent, act, next and value, in one module of small parts.

z = r * u: direction u in R^(2w), half of it the text's own vector, half a learned planning part; r in 8-22.
History is a recurrent vector h over the actions taken; h = 0 at the start.
"""
import math

import torch
from torch import nn
from torch.nn import functional as F

LEAST, MOST = 8.0, 22.0
GATE_MOST = 1.6
HIDDEN = {"small": 384, "base": 512, "large": 768, "xl": 896, "huge": 1024}


def mlp(inputs, hidden, outputs):
    return nn.Sequential(nn.Linear(inputs, hidden), nn.GELU(), nn.Linear(hidden, outputs))


def unit(x):
    return x / (x.pow(2).sum(-1, keepdim=True) + 1e-9).sqrt()


class Heads(nn.Module):
    def __init__(self, glosses, hidden=512):
        """glosses [actions, w]: unit vectors of the actions' glosses."""
        super().__init__()
        width, side, act = glosses.shape[1], hidden // 2, hidden // 4
        self.width, self.history = width, side
        self.planning = mlp(width, hidden, width)
        # What all texts have in common says nothing: the planning half leaves it out (a running mean of training texts).
        self.register_buffer("common", torch.zeros(width))
        self.magnitude = mlp(width, 64, 1)
        self.register_buffer("magnitude_from", torch.linspace(LEAST, MOST, 6))
        self.register_buffer("magnitude_to", torch.linspace(LEAST, MOST, 6))
        self.register_buffer("glosses", glosses)
        self.residual = nn.Parameter(torch.zeros_like(glosses))
        self.bias = nn.Parameter(torch.zeros(len(glosses)))
        self.scale = nn.Parameter(torch.tensor(math.log(12.0)))
        self.state_in, self.goal_in = nn.Linear(2 * width, side), nn.Linear(2 * width, side)
        self.action_in = nn.Linear(width, act)
        self.memory_action, self.memory_past = nn.Linear(act, 3 * side), nn.Linear(side, 3 * side)
        self.join = nn.Linear(4 * side + 3, hidden)
        self.deepen = mlp(hidden, hidden, hidden)
        self.query = nn.Linear(hidden, width)
        self.value_of = mlp(hidden, 128, 1)
        self.move = mlp(hidden + act + 1, hidden, 2 * width + 1)
        self.gate = mlp(hidden + act + 2, 192, 1)
        self.policy_temperature, self.value_temperature = 1.0, 1.0

    # encode
    def raw_magnitude(self, vector):
        return LEAST + (MOST - LEAST) * torch.sigmoid(self.magnitude(vector)).squeeze(-1)

    def calibrated(self, raw):
        """Piecewise linear through fitted knots, so that the magnitudes' bands hold their shares."""
        low, high = self.magnitude_from[:-1], self.magnitude_from[1:]
        share = ((raw[..., None] - low) / (high - low)).clamp(0, 1)
        return self.magnitude_to[0] + (share * (self.magnitude_to[1:] - self.magnitude_to[:-1])).sum(-1)

    def direction(self, vector):
        return torch.cat([vector, unit(self.planning(vector) - self.common)], -1) * math.sqrt(0.5)

    @torch.no_grad()
    def follow_common(self, vectors, share=0.05):
        self.common.lerp_(self.planning(vectors).mean(0), share)

    def latent(self, vector):
        """Unit text vectors [.., w] -> z [.., 2w]."""
        return self.direction(vector) * self.calibrated(self.raw_magnitude(vector))[..., None]

    def actions(self):
        """Vectors of all actions: what `act` scores against and `next` takes."""
        return self.glosses + self.residual

    # act
    def context(self, z, goal, h):
        r, r_goal = z.pow(2).sum(-1, keepdim=True).sqrt(), goal.pow(2).sum(-1, keepdim=True).sqrt()
        u, u_goal = z / r, goal / r_goal
        state, aim = self.state_in(u * 16), self.goal_in(u_goal * 16)
        cosine = (u * u_goal).sum(-1, keepdim=True)
        joined = F.gelu(self.join(torch.cat([F.gelu(state), F.gelu(aim), state * aim * 0.25, h, r / 15, r_goal / 15, cosine], -1)))
        return joined + self.deepen(joined)

    def query_of(self, context):
        return self.query(context) * self.scale.exp() / 12

    def logits(self, query, table=None):
        return query @ (self.actions() if table is None else table).T + self.bias

    def value(self, context):
        """Logit of "the goal is reached"."""
        return self.value_of(context).squeeze(-1)

    # next
    def likelihood(self, query, action, normaliser):
        """ln p of an action given by its vector, against the 903; clipped to what a gate can use."""
        return ((query * action).sum(-1, keepdim=True) - normaliser).clamp(-10, 0)

    def propose(self, z, context, action):
        """Where the action would lead if the gate were open: (direction, magnitude)."""
        a = self.action_in(action)
        r = z.pow(2).sum(-1, keepdim=True).sqrt()
        out = self.move(torch.cat([context, F.gelu(a), r / 15], -1))
        return unit(z / r + out[..., :-1]), LEAST + (MOST - LEAST) * torch.sigmoid(out[..., -1:])

    def opening(self, context, action, likelihood, proposal_change):
        a = self.action_in(action)
        features = torch.cat([context, F.gelu(a), likelihood / 5, proposal_change / 20], -1)
        return GATE_MOST * torch.sigmoid(self.gate(features))

    def act(self, z, goal, h):
        """-> context, query, logits over the 903, normaliser (ln of the sum of their exponentials), value logit."""
        context = self.context(z, goal, h)
        query = self.query_of(context)
        logits = self.logits(query)
        return context, query, logits, logits.logsumexp(-1, keepdim=True), self.value(context)

    def next(self, z, h, context, query, normaliser, action, detach=False):
        """-> z', h', change ‖z' − z‖, proposal: where the open gate would lead."""
        direction, magnitude = self.propose(z, context, action)
        proposal = direction * magnitude
        likelihood = self.likelihood(query, action, normaliser)
        if detach:
            proposal, likelihood = proposal.detach(), likelihood.detach()
        way = proposal - z
        length = (way.pow(2).sum(-1, keepdim=True) + 1e-9).sqrt()
        gate = self.opening(context, action, likelihood, length)
        return z + gate * way, self.remember(action, h), (gate * length).squeeze(-1), proposal

    def step(self, z, goal, h, action, detach=False):
        context, query, _, normaliser, _ = self.act(z, goal, h)
        return self.next(z, h, context, query, normaliser, action, detach)

    def remember(self, action, h):
        """A gated recurrent unit over the actions taken."""
        keep_x, reset_x, new_x = self.memory_action(F.gelu(self.action_in(action))).chunk(3, -1)
        keep_h, reset_h, new_h = self.memory_past(h).chunk(3, -1)
        keep = torch.sigmoid(keep_x + keep_h)
        new = torch.tanh(new_x + torch.sigmoid(reset_x + reset_h) * new_h)
        return new + keep * (h - new)
