"""Two parts of a run at once, each with half of the threads.

A training of small layers leaves a second thread without work for much of a step, and all Python between the steps runs on one. The
second part is a process of its own, since Python's lock lets one thread of a process run at a time.
"""
import contextlib
import copy
import multiprocessing
import multiprocessing.connection
import os
import threading

import torch


def _end_with_parent():
    """Ends this process with its parent, which may be killed: WORK must not be written by two runs."""
    multiprocessing.connection.wait([multiprocessing.parent_process().sentinel])
    os._exit(1)


def _work(part, options, *arguments):
    threading.Thread(target=_end_with_parent, daemon=True).start()
    part(options, *arguments)


@contextlib.contextmanager
def beside(part, options, *arguments):
    """Runs `part(options, *arguments)` in a second process while the body runs in this one. If `part` fails, the run ends after the
    body, whose progress is kept; if the body fails, `part` is ended."""
    halved = copy.copy(options)
    halved.threads = max(1, options.threads // 2)
    other = multiprocessing.get_context("spawn").Process(target=_work, args=(part, halved, *arguments), daemon=True)
    other.start()
    torch.set_num_threads(halved.threads)
    options.threads = halved.threads
    yield
    other.join()
    if other.exitcode:
        raise SystemExit(f"{part.__name__} ended with {other.exitcode}")
