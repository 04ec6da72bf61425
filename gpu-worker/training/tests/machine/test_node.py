"""The Node that training calls is one that loads TypeScript. Needs nothing but Python."""
import os
import pathlib
import tempfile
import unittest
from unittest import mock

from training.machine import node


class FindNode(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name)

    def found(self, says):
        machine = self.place / "node"
        machine.write_text(f"#!/bin/sh\necho {says}\n")
        machine.chmod(0o755)
        with mock.patch.object(node, "OWN", self.place / "missing"), mock.patch.dict(os.environ, PATH=str(self.place)):
            return node.find_node() == str(machine)

    def test_takes_the_machines_where_it_loads_typescript(self):
        self.assertTrue(self.found("strip"))

    def test_takes_none_that_does_not_load_typescript(self):
        for said in ("undefined", "false"):
            self.assertFalse(self.found(said))


if __name__ == "__main__":
    unittest.main()
