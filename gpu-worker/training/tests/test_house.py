"""The order of the packages: each imports only lower ones and its own modules, and no file or function is too long."""
import ast
import re
import unittest

from training.machine.places import TRAINING

FLOORS = (
    {"machine", "texts"}, {"data", "actions", "export"}, {"encoder"}, {"heads"}, {"evaluation"}, {"tools"}, {"plans", "wishes", "sessions"},
    {"stages", "fits"}, {"train"},
)  # fmt: skip
FLOOR = {package: floor for floor, packages in enumerate(FLOORS) for package in packages}
# Two tables of words, without logic.
TABLES = {"vocabulary_actions", "vocabulary_words"}
MOST_LINES, MOST_LINES_OF_A_FUNCTION = 250, 60
FILES = [path for path in sorted(TRAINING.rglob("*.py")) if "tests" not in path.parts and path.name != "__init__.py"]


def package_of(path):
    return path.relative_to(TRAINING).parts[0].removesuffix(".py")


def imported(path):
    """Packages of this house that a file imports from, its own left out."""
    up = r"\.\." if path.parent != TRAINING else r"\."
    return set(re.findall(rf"^\s*from {up}(\w+)", path.read_text(), re.MULTILINE))


class House(unittest.TestCase):
    def test_packages_import_only_lower_ones(self):
        for path in FILES:
            for package in imported(path):
                self.assertLess(FLOOR[package], FLOOR[package_of(path)], f"{path.relative_to(TRAINING)} imports {package}")

    def test_files_and_functions_are_read_at_one_look(self):
        for path in FILES:
            text = path.read_text()
            if path.stem not in TABLES:
                self.assertLessEqual(len(text.splitlines()), MOST_LINES, path)
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.FunctionDef):
                    self.assertLessEqual(node.end_lineno - node.lineno + 1, MOST_LINES_OF_A_FUNCTION, f"{path.relative_to(TRAINING)}: {node.name}")


if __name__ == "__main__":
    unittest.main()
