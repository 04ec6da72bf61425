"""Files that are written whole or not at all, so that a run that was killed while it wrote finds what it had before."""
import os

# Steps of a training after which its state is written, so that it can go on from there.
STORE_EVERY = 100


def write_whole(path, write):
    """`write` is called with a path in the same folder and with the same suffix; then the file gets its name."""
    unfinished = path.with_name(f"unfinished-{path.name}")
    write(unfinished)
    os.replace(unfinished, path)
