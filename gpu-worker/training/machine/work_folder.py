"""The folder that keeps a run's progress, and the settings that it was begun with."""
import json
import pathlib

NAMES = ("data", "authored", "package", "actions", "size", "seed", "steps_share", "threads")


def claim(work, options):
    """Keeps the settings with what is learned under them: WORK that was begun with others would hand on weights of another run."""
    named = {name: getattr(options, name) for name in NAMES}
    settings = {name: str(value.resolve()) if isinstance(value, pathlib.Path) else value for name, value in named.items()}
    path = work / "settings.json"
    if not path.exists():
        if any(work.iterdir()):
            raise SystemExit(f"{work} holds files and no settings.json: nothing says which run they are of")
        path.write_text(json.dumps(settings))
    elif json.loads(path.read_text()) != settings:
        raise SystemExit(f"{work} was begun with other settings: {path.read_text()}")
