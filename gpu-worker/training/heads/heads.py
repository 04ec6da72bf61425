"""The world model's heads over frozen text vectors: latent, act, next and value, in one module of small parts.

z = r * u: direction u in R^(2w), half of it the text's own vector, half a learned planning part; r in 8-22.
History is a recurrent vector h over the actions taken; h = 0 at the start.
For a text unlike any in training (an unseen tool or page), learned gates pass the vectors of goal and state on unchanged.
"""
import math

import torch
from torch import nn
from torch.nn import functional as F

LEAST, MOST = 8.0, 22.0
GATE_MOST = 1.6
DROPOUT = 0.1
HIDDEN = {"small": 384, "base": 512, "large": 768, "xl": 896, "huge": 1024}


def mlp(inputs, hidden, outputs):
    return nn.Sequential(nn.Linear(inputs, hidden), nn.GELU(), nn.Linear(hidden, outputs))


def steady_sigmoid(x):
    """sigmoid of [.., 1], computed sixteen wide: elements left over after a vector instruction's width are rounded
    differently, so a row's last bits would depend on its place in the batch."""
    return torch.sigmoid(x.expand(*x.shape[:-1], 16))[..., :1]


def unit(x):
    return x / (x.pow(2).sum(-1, keepdim=True) + 1e-9).sqrt()


class Heads(nn.Module):
    def __init__(self, glosses, hidden=512):
        """glosses [actions, w]: unit vectors of the actions' glosses."""
        super().__init__()
        width, side, act = glosses.shape[1], hidden // 2, hidden // 4
        self.width, self.history, self.hidden = width, side, hidden
        # Width of `context`, which `act` computes and `next` takes.
        self.context_width = hidden + 2 * width
        self.planning = mlp(width, hidden, width)
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
        self.query, self.query_pulls = nn.Linear(hidden, width), nn.Linear(hidden, 2)
        self.value_of = mlp(hidden, 128, 1)
        self.move, self.move_pulls = mlp(hidden + act + 1, hidden, 2 * width + 1), nn.Linear(hidden + act + 1, 2)
        self.gate = mlp(hidden + act + 2, 192, 1)
        self.dropout = nn.Dropout(DROPOUT)
        for pulls, start in ((self.query_pulls, 4.0), (self.move_pulls, 0.5)):
            nn.init.zeros_(pulls.weight)
            nn.init.constant_(pulls.bias, start)
        # Factor on the logits: at zero entropy, and how much more at that of a uniform guess. Fitted after training.
        self.register_buffer("sharpness", torch.tensor([1.0, 0.0]))

    # encode
    def raw_magnitude(self, vector):
        return LEAST + (MOST - LEAST) * steady_sigmoid(self.magnitude(vector)).squeeze(-1)

    def calibrated(self, raw):
        """Piecewise linear through fitted knots, so that each magnitude band holds its share."""
        low, high = self.magnitude_from[:-1], self.magnitude_from[1:]
        share = ((raw[..., None] - low) / (high - low)).clamp(0, 1)
        # Written as a matrix product, which sums in the same order for every row; a sum over five does not.
        steps = (self.magnitude_to[1:] - self.magnitude_to[:-1])[:, None]
        return self.magnitude_to[0] + (share @ steps).squeeze(-1)

    def planned(self, vector):
        """The planning half before it is scaled to length 1."""
        return self.planning(vector * math.sqrt(self.width))

    def direction(self, vector):
        return torch.cat([vector, unit(self.planned(vector))], -1) * math.sqrt(0.5)

    def latent(self, vector):
        """Unit text vectors [.., w] -> z [.., 2w]."""
        return self.direction(vector) * self.calibrated(self.raw_magnitude(vector))[..., None]

    def actions(self):
        """Vectors of all actions: what `act` scores against and `next` takes."""
        return self.glosses + self.residual

    # act
    def context(self, z, goal, h):
        """What all of `act` is computed from [.., context_width]: features of state, goal and memory, then the goal's direction."""
        r, r_goal = z.pow(2).sum(-1, keepdim=True).sqrt(), goal.pow(2).sum(-1, keepdim=True).sqrt()
        u, u_goal = z / r, goal / r_goal
        state, aim = self.state_in(u * 16), self.goal_in(u_goal * 16)
        cosine = (u * u_goal).sum(-1, keepdim=True)
        joined = F.gelu(self.join(torch.cat([F.gelu(state), F.gelu(aim), state * aim * 0.25, h, r / 15, r_goal / 15, cosine], -1)))
        joined = self.dropout(joined)
        return torch.cat([joined + self.deepen(joined), u_goal], -1)

    def features(self, context):
        return context[..., : self.hidden]

    def query_of(self, context, z):
        """The query for the next action, in the space of names and glosses: a learned part plus the texts of goal and state."""
        features = self.features(context)
        goal_pull, state_pull = self.query_pulls(features).chunk(2, -1)
        goal = context[..., self.hidden : self.hidden + self.width]
        state = z[..., : self.width] / z.pow(2).sum(-1, keepdim=True).sqrt()
        said = (goal_pull * goal + state_pull * state) * math.sqrt(2)
        return (self.query(features) + said) * self.scale.exp() / 12

    def logits(self, query, table=None):
        return query @ (self.actions() if table is None else table).T + self.bias

    def calibrate(self, logits):
        """Logits whose softmax is calibrated; the factor depends on the entropy, since confident and unsure policies err
        differently."""
        # Written as a matrix product, which sums in the same order for every row; a sum over 903 does not.
        count = self.glosses.shape[0]
        doubt = (logits.softmax(-1) * logits.log_softmax(-1)) @ torch.full((count, 1), -1 / math.log(count))
        return logits * (self.sharpness[0] + self.sharpness[1] * doubt)

    def value(self, context):
        """Logit of "the goal is reached"."""
        return self.value_of(self.features(context)).squeeze(-1)

    # next
    def likelihood(self, query, action, normaliser):
        """ln p of an action, given by its vector, among the 903; clipped to the range that a gate can use."""
        return ((query * action).sum(-1, keepdim=True) - normaliser).clamp(-10, 0)

    def propose(self, z, context, action):
        """Where the action leads if the gate is fully open: (direction, magnitude)."""
        a = self.action_in(action)
        r = z.pow(2).sum(-1, keepdim=True).sqrt()
        place = torch.cat([self.features(context), F.gelu(a), r / 15], -1)
        out = self.move(place)
        stay, toward = self.move_pulls(place).chunk(2, -1)
        direction = unit(stay * z / r + toward * context[..., self.hidden :] + out[..., :-1])
        return direction, LEAST + (MOST - LEAST) * steady_sigmoid(out[..., -1:])

    def opening(self, context, action, likelihood, proposal_change):
        """The gate, 0 to GATE_MOST: how much of the way to the proposal the state moves."""
        a = self.action_in(action)
        features = torch.cat([self.features(context), F.gelu(a), likelihood / 5, proposal_change / 20], -1)
        return GATE_MOST * steady_sigmoid(self.gate(features))

    def act(self, z, goal, h, table=None):
        """-> context, query, calibrated logits over the 903, normaliser (ln of the sum of the raw logits'
        exponentials), value logit."""
        context = self.context(z, goal, h)
        query = self.query_of(context, z)
        logits = self.logits(query, table)
        return context, query, self.calibrate(logits), logits.logsumexp(-1, keepdim=True), self.value(context)

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
