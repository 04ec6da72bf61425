"""WORK belongs to one run. Needs nothing but Python."""
import argparse
import pathlib
import tempfile
import unittest

from training.machine.work_folder import claim

SETTINGS = {
    "data": pathlib.Path("data"), "authored": pathlib.Path("authored"), "package": pathlib.Path("package"), "actions": pathlib.Path("actions.json"),
    "size": "base", "seed": 7, "steps_share": 1.0, "threads": 2,
}  # fmt: skip


def options(**changed):
    return argparse.Namespace(**{**SETTINGS, **changed})


class WorkFolder(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name)

    def test_goes_on_under_the_settings_that_it_was_begun_with_wherever_it_is_asked_from(self):
        claim(self.place, options())
        (self.place / "encoder.npz").touch()
        claim(self.place, options(data=pathlib.Path("data").resolve()))

    def test_is_refused_to_a_run_with_any_other_setting(self):
        claim(self.place, options())
        for name, value in SETTINGS.items():
            other = value / "other" if isinstance(value, pathlib.Path) else value * 2
            with self.subTest(name), self.assertRaisesRegex(SystemExit, "other settings"):
                claim(self.place, options(**{name: other}))

    def test_is_refused_where_files_lie_that_no_settings_tell_of(self):
        (self.place / "encoder.npz").touch()
        with self.assertRaisesRegex(SystemExit, "no settings.json"):
            claim(self.place, options())


if __name__ == "__main__":
    unittest.main()
