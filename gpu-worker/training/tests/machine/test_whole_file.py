"""Files that are written whole or not at all."""
import pathlib
import tempfile
import unittest

from training.machine.whole_file import write_whole


class WholeFiles(unittest.TestCase):
    def test_a_file_whose_writing_was_cut_off_is_the_earlier_one(self):
        path = pathlib.Path(tempfile.mkdtemp()) / "state.pt"
        write_whole(path, lambda path: path.write_text("whole"))

        def cut_off(path):
            path.write_text("ha")
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            write_whole(path, cut_off)
        self.assertEqual(path.read_text(), "whole")


if __name__ == "__main__":
    unittest.main()
