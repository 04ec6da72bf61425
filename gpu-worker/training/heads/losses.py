"""What the heads' training minimises: losses of the policy, the dynamics, the sequences' totals and single texts."""
import numpy as np
import torch
from torch.nn import functional as F

from ..actions.ids import END
from ..encoder.embeddings import vectors_of
from .rollouts import KINDS, goals_of, memories, pad_sequences, roll, wrong

SMOOTHING = 0.02
NEXT_SCALE = 14.0
# Weights of the losses; those that are not named have weight 1.
WEIGHTS = {
    "tool": 0.3, "next": 0.8, "second": 0.15, "reached": 0.3, "commit": 0.1, "commits": 0.1, "idles": 0.1,
    "magnitude": 0.02, "spread": 0.3, "residual": 0.002,
}  # fmt: skip
# Weights within a loss. `value`: of the examples that are paired with another goal. `total`: of right or wrong, beside the order.
# `next`: of the distance (Huber, times the width) and of the magnitude, beside InfoNCE.
OTHER_GOAL, RIGHT_OR_WRONG, NEXT_DISTANCE, NEXT_MAGNITUDE = 0.3, 2, 0.4, 0.01
# Far more texts than a batch holds: the covariance of few rows would be mostly noise.
SPREAD_ROWS = 1024
# A step that commits is to change at least this much, an idle one at most that.
LEAST_COMMIT, MOST_IDLE = 11.5, 2.5
# The total change that divides right sequences from wrong ones, and the width of the transition (a logistic curve).
TOTAL_GOAL, TOTAL_WIDTH = 20.0, 3.0
# Rows of a batch that are rolled out, in every second step. With 20, a source of few episodes was hardly ever rolled out, and how well its
# totals told right from wrong depended on the seed.
ROLLED_ROWS, ROLL_EVERY = 64, 2
# Share of the rows whose actions enter by their names' vectors: tools are unseen actions that have only a text.
NAMED = 0.3
# MiniWoB is measured on unseen task types, so every batch of it is rolled out.
ALWAYS_ROLLED = "miniwob_demos"


def policy_losses(heads, batch, z, goal, h):
    """(losses, contexts [b, t + 1, context width])."""
    count, steps = batch.mask.shape
    context = heads.context(z, goal[:, None].expand_as(z), h)
    query = heads.query_of(context, z)
    labels = torch.full((count, steps + 1), -100)
    labels[:, :-1][batch.mask] = batch.actions[batch.mask]
    rows = torch.arange(count)
    labels[rows, batch.lengths] = END
    logits = heads.logits(query)
    policy = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100, label_smoothing=SMOOTHING)
    # The same query must also find an action by its name, so that it can score any tool's text.
    names, asked, ids = batch.names[batch.mask], query[:, :-1][batch.mask], batch.actions[batch.mask]
    pick = torch.randperm(len(names))[:192]
    names, asked, ids = names[pick], asked[pick], ids[pick]
    same = (ids[:, None] == ids[None]) & ~torch.eye(len(ids), dtype=torch.bool)
    tool = F.cross_entropy((asked @ names.T).masked_fill(same, -1e4), torch.arange(len(ids)))
    reached = torch.zeros(count, steps + 1)
    reached[rows, batch.lengths] = 1
    seen = torch.cat([batch.mask, torch.zeros(count, 1, dtype=torch.bool)], 1)
    seen[rows, batch.lengths] = True
    # The end of an episode, paired with another row's goal, is an example of a goal that is not reached.
    value = F.binary_cross_entropy_with_logits(heads.value(context)[seen], reached[seen])
    other = torch.roll(goal, 1, 0)
    last = heads.context(z[rows, batch.lengths], other, h[rows, batch.lengths])
    value = value + OTHER_GOAL * F.binary_cross_entropy_with_logits(heads.value(last), torch.zeros(count))
    return {"policy": policy, "tool": tool, "value": value}, context


def dynamics_losses(heads, batch, z, goal, h, context, acts):
    """Next-state InfoNCE and Huber over one step and, from the predicted state, over a second."""
    seen = batch.has_next & batch.mask
    if int(seen.sum()) < 8:
        return {}
    rows, places = seen.nonzero(as_tuple=True)
    pick = torch.randperm(len(rows))[:256]
    rows, places = rows[pick], places[pick]
    target = batch.nexts[rows, places]
    keys = torch.from_numpy(batch.next_rows)[rows, places]
    same = (keys[:, None] == keys[None]) & ~torch.eye(len(keys), dtype=torch.bool)
    # The targets are trained too, so that the planning half drops what can be neither predicted nor distinguished. The spread
    # loss and the other rows of the batch prevent a collapse.
    target_latent = heads.direction(target)
    magnitude = heads.raw_magnitude(target).detach()

    def loss_of(direction, r):
        nce = F.cross_entropy((direction @ target_latent.T * NEXT_SCALE).masked_fill(same, -1e4), torch.arange(len(keys)))
        distance = F.smooth_l1_loss(direction, target_latent.detach()) * heads.width
        return nce + NEXT_DISTANCE * distance + NEXT_MAGNITUDE * (r[:, 0] - magnitude).abs().mean()

    direction, r = heads.propose(z[rows, places], context[rows, places], acts[rows, places])
    losses = {"next": loss_of(direction, r)}
    second = places > 0
    if int(second.sum()) > 8:
        back_rows, back = rows[second], places[second] - 1
        aim = goal[back_rows]
        start, memory = z[back_rows, back], h[back_rows, back]
        direction, r = heads.propose(start, context[back_rows, back], acts[back_rows, back])
        middle, memory = direction * r, heads.remember(acts[back_rows, back], memory)
        direction, _ = heads.propose(middle, heads.context(middle, aim, memory), acts[rows, places][second])
        nce = F.cross_entropy(
            (direction @ target_latent.T * NEXT_SCALE).masked_fill(same[second], -1e4), torch.arange(len(keys))[second]
        )
        losses["second"] = nce
    return losses


def displacement_losses(heads, batch, z, goal, frequent, effects, chance):
    """Losses of rollouts. Totals of right sequences are pushed above TOTAL_GOAL and of wrong ones below; steps that commit are to change
    much, idle ones almost nothing."""
    rows = chance.sample(range(len(batch.sources)), min(ROLLED_ROWS, len(batch.sources)))
    sequences = [batch.actions[row, : batch.lengths[row]].tolist() for row in range(len(batch.sources))]
    by_source = {}
    for row, source in enumerate(batch.sources):
        by_source.setdefault(source, []).append(sequences[row])
    rolled, owner, right = [], [], []
    for row in rows:
        rolled.append(sequences[row])
        owner.append(row)
        right.append(1.0)
        source = batch.sources[row]
        for kind in KINDS:
            made = wrong(kind, sequences[row], by_source[source], frequent[source], chance)
            if made:
                rolled.append(made)
                owner.append(row)
                right.append(0.0)
    owner, right = torch.tensor(owner), torch.tensor(right)
    ids, mask = pad_sequences(rolled)
    changes, values, _ = roll(heads, z[owner, 0], goal[owner], ids, mask)
    total = changes.sum(1)
    weight = torch.where(right == 1, (1 - right).sum() / right.sum().clamp(min=1) / 1.5, torch.ones_like(right))
    bce = F.binary_cross_entropy_with_logits((total - TOTAL_GOAL) / TOTAL_WIDTH, right, weight=weight)
    # Each wrong version is compared with its own right one, as in the evaluation.
    first = {int(row): place for place, row in reversed(list(enumerate(owner.tolist())))}
    anchor = torch.tensor([first[int(row)] for row in owner])
    rank = F.softplus((total - total[anchor]) / TOTAL_WIDTH + 1)[right == 0].mean() if bool((right == 0).any()) else 0.0
    last = mask.sum(1) - 1
    reached = F.binary_cross_entropy_with_logits(values[torch.arange(len(last)), last], right)
    commit, idle = effects
    seen = mask & torch.isin(ids, commit)
    losses = {"total": RIGHT_OR_WRONG * bce + rank, "reached": reached}
    if bool(seen.any()):
        losses["commit"] = F.relu(LEAST_COMMIT - changes[seen]).mean()
    # One made-up step of each kind from a random place of the batch.
    count = len(z)
    for name, group, low in (("commits", commit, True), ("idles", idle, False)):
        picked = heads.actions()[group[torch.randint(len(group), (count,))]]
        place = (torch.rand(count) * (batch.lengths + 1)).long()
        _, _, change, _ = heads.step(z[torch.arange(count), place].detach(), goal.detach(), torch.zeros(count, heads.history), picked, True)
        losses[name] = (F.relu(LEAST_COMMIT - change) if low else F.relu(change - MOST_IDLE)).mean()
    return losses


def isotropy(z):
    """Guard against collapse: every dimension keeps mean 0 and deviation 1, and no two are correlated (after VICReg's
    variance and covariance). For vectors before they are scaled to length 1: after that, their gradient vanishes as they grow."""
    mean = z.mean(0)
    z = z - mean
    covariance = z.T @ z / (len(z) - 1)
    variance = covariance.diag()
    spread = ((variance + 1e-4).sqrt() - 1).pow(2).mean()
    return mean.pow(2).mean() + spread + (covariance.pow(2).sum() - variance.pow(2).sum()) / z.shape[1]


def is_rolled(batch, step):
    return step % ROLL_EVERY == 0 or batch.sources.count(ALWAYS_ROLLED) > len(batch.sources) // 2


def step_losses(heads, batch, step, rolled_with, chance, use_goal, use_dynamics):
    """Losses of one batch. `rolled_with`: (frequent actions of each source, ids of COMMIT and IDLE), or None early in the training."""
    goal = goals_of(heads, batch.goal, None if use_goal else "no_goal")
    z = heads.latent(batch.states)
    acts = heads.actions()[batch.actions]
    named = (torch.rand(len(acts), 1, 1) < NAMED).float()
    acts = acts * (1 - named) + batch.names * named
    trail = memories(heads, acts)
    losses, context = policy_losses(heads, batch, z, goal, trail)
    if use_dynamics:
        losses |= dynamics_losses(heads, batch, z, goal, trail, context, acts)
        if rolled_with and is_rolled(batch, step):
            losses |= displacement_losses(heads, batch, z, goal, *rolled_with, chance)
    return losses


def text_losses(heads, table, magnitude_targets, step):
    """Losses of single texts, which belong to no batch."""
    rows, wanted = magnitude_targets
    picked = np.random.RandomState(step).randint(0, len(rows), SPREAD_ROWS)
    vectors = vectors_of(table, rows[picked])
    return {
        "magnitude": F.smooth_l1_loss(heads.raw_magnitude(vectors), torch.from_numpy(wanted[picked])),
        "spread": isotropy(heads.planned(vectors)),
        "residual": heads.residual.pow(2).sum(1).mean(),
    }
