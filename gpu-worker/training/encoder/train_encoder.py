"""Fine-tunes the encoder by InfoNCE on goal -> tool pairs (can be resumed), and averages the result with the original weights."""
import math
import time

import torch
from torch.nn import functional as F

from ..machine.whole_file import STORE_EVERY, write_whole
from .encoder import Encoder, encode_ids, read_weights
from .pairs import Batches

# Factor on cosines to make them logits (1 / temperature).
SCALE = 25.0
LEARNING_RATE = 8e-5
WARM_UP_STEPS = 40
# Weight of the direction tool -> goal beside goal -> tool: it keeps the space symmetric.
BACKWARD = 0.3
GOAL_TOKENS, TOOL_TOKENS = 48, 40  # shorter than when serving: training time goes with length


def info_nce(queries, candidates, target, excluded, scale):
    """Cross-entropy of each query's target among all candidates; `excluded` [q, c] marks candidates that do not count."""
    logits = (queries @ candidates.T * scale).masked_fill(excluded, -1e4)
    return F.cross_entropy(logits, target)


def batch_loss(encoder, tokenizer, batch, hard):
    """(loss, number of texts encoded) of pairs among each other's positives and the hard negatives `hard`."""
    queries = [tokenizer.encode(pair.query, GOAL_TOKENS) for pair in batch]
    candidates = list(dict.fromkeys([pair.positive for pair in batch] + hard))
    place = {text: index for index, text in enumerate(candidates)}
    target = torch.tensor([place[pair.positive] for pair in batch])
    excluded = torch.zeros(len(batch), len(candidates), dtype=torch.bool)
    same_query = {}
    for pair in batch:
        same_query.setdefault(pair.query, set()).update(pair.also_right | {pair.positive})
    for row, pair in enumerate(batch):
        for text in same_query[pair.query]:
            if text != pair.positive and text in place:
                excluded[row, place[text]] = True
    ids = queries + [tokenizer.encode(text, TOOL_TOKENS) for text in candidates]
    vectors = encode_ids(encoder, ids)
    loss = info_nce(vectors[: len(batch)], vectors[len(batch) :], target, excluded, SCALE)
    # Tool -> goal: each distinct tool once, with its first goal as the target; its other goals do not count.
    first = {int(t): row for row, t in reversed(list(enumerate(target)))}
    rows = torch.tensor(sorted(first.values()))
    backward_excluded = (target[rows][:, None] == target[None, :]) & (torch.arange(len(batch))[None, :] != rows[:, None])
    backward_excluded |= excluded[:, target[rows]].T
    backward = info_nce(vectors[len(batch) :][target[rows]], vectors[: len(batch)], rows, backward_excluded, SCALE)
    return loss + BACKWARD * backward, len(ids)


def train_encoder(source, tokenizer, pairs, out, steps, seed, say=print):
    """Runs or resumes `steps` steps and returns the last weights."""
    torch.manual_seed(seed)
    encoder = Encoder(read_weights(source))
    trained = [p for p in encoder.parameters() if p.requires_grad]
    decayed, others = [p for p in trained if p.dim() > 1], [p for p in trained if p.dim() == 1]
    optimiser = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}], lr=LEARNING_RATE)
    batches = Batches(pairs, seed)
    state_path, begin = out / "encoder-state.pt", 0
    if state_path.exists():
        saved = torch.load(state_path, weights_only=False)
        encoder.load_state_dict(saved["encoder"])
        optimiser.load_state_dict(saved["optimiser"])
        begin = saved["step"]
        # The batches of the earlier steps are drawn again, since what is drawn next depends on every shuffle before.
        for _ in range(begin):
            batches.next()
        say(f"encoder: resumed at step {begin}")
    started, texts, mean = time.time(), 0, 0.0

    def save(step):
        state = {"encoder": encoder.state_dict(), "optimiser": optimiser.state_dict(), "step": step}
        write_whole(state_path, lambda path: torch.save(state, path))

    for step in range(begin, steps):
        progress = step / steps
        rate = LEARNING_RATE * min(1.0, (step + 1) / WARM_UP_STEPS) * (0.5 + 0.5 * math.cos(math.pi * progress))
        for group in optimiser.param_groups:
            group["lr"] = rate
        loss, count = batch_loss(encoder, tokenizer, *batches.next())
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()
        texts += count
        mean = loss.item() if step == begin else 0.97 * mean + 0.03 * loss.item()
        if step % 20 == 19:
            say(f"encoder: step {step + 1}/{steps}  {100 * progress:.0f} %  loss {mean:.3f}  {texts / (time.time() - started):.0f} texts/s")
        if (step + 1) % STORE_EVERY == 0:
            save(step + 1)
    save(steps)
    return encoder.tensors()


def average(original, tuned, share):
    """share of the tuned weights, the rest of the original ones."""
    return {name: original[name] * (1 - share) + tuned[name] * share if name in tuned else value for name, value in original.items()}
