"""Modules that a stage has trained, kept in WORK."""
import torch

from ..machine.whole_file import write_whole


def trained(path, make, train):
    """The module stored at `path`; if it is not there it is trained and stored."""
    if path.exists():
        module = make()
        module.load_state_dict(torch.load(path))
        return module.eval()
    module = train()
    write_whole(path, lambda path: torch.save(module.state_dict(), path))
    return module.eval()
