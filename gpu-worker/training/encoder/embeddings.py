"""Embeds each distinct text once with a finished encoder and stores the vectors on disk; can be resumed.

The heads learn from the vectors of the int8 graph that is served: by Python's onnxruntime where it is installed, else by the
project's own in Node (encode-ids.ts), else from PyTorch.
"""
import hashlib
import pathlib
import subprocess
import tempfile
import time

import numpy as np
import torch

from ..machine.node import find_node
from ..machine.places import TRAINING
from ..machine.whole_file import write_whole
from .encoder import encode_ids

CHUNK = 32768
ROWS_PER_RUN = 64


def vectors_of(table, rows):
    """Unit vectors of rows of a table, as tensors."""
    found = torch.from_numpy(table[rows].astype(np.float32))
    return found / found.pow(2).sum(-1, keepdim=True).sqrt()


def torch_encode(encoder):
    """id lists -> unit vectors [n, w] by PyTorch."""

    def encode(id_lists):
        with torch.no_grad():
            return encode_ids(encoder, id_lists, 4096).numpy()

    return encode


def onnx_encode(path, threads):
    """The same by the exported graph; None without onnxruntime. Texts of equal length share a run."""
    try:
        import onnxruntime
    except ImportError:
        return None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def encode(id_lists):
        by_length, vectors = {}, [None] * len(id_lists)
        for place, ids in enumerate(id_lists):
            by_length.setdefault(len(ids), []).append(place)
        for places in by_length.values():
            for at in range(0, len(places), ROWS_PER_RUN):
                part = places[at : at + ROWS_PER_RUN]
                ids = np.array([id_lists[place] for place in part], np.int64)
                (found,) = session.run(["embedding"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})
                for place, vector in zip(part, found):
                    vectors[place] = vector
        return np.stack(vectors)

    return encode


def node_encode(path, threads):
    """The same by Node and the server's own runtime; None without a Node that runs it."""
    node = find_node()
    if node is None:
        return None

    def encode(id_lists):
        with tempfile.TemporaryDirectory() as folder:
            ids, vectors = pathlib.Path(folder) / "ids", pathlib.Path(folder) / "vectors"
            np.concatenate([np.array([len(one), *one], np.int32) for one in id_lists]).tofile(ids)
            subprocess.run([node, str(TRAINING / "encode-ids.ts"), str(path), str(ids), str(vectors), str(threads)], check=True)
            return np.fromfile(vectors, np.float32).reshape(len(id_lists), -1)

    return encode


def served_encode(path, threads):
    """By the exported graph, in whichever runtime is there; None without any."""
    return onnx_encode(path, threads) or node_encode(path, threads)


class Embeddings:
    """text -> row of a float16 table; `add` encodes missing texts. `name` must change with the weights."""

    def __init__(self, encode, width, tokenizer, folder, name, say=print):
        self.encode, self.tokenizer, self.say = encode, tokenizer, say
        self.path = folder / f"embeddings-{name}.npz"
        self.place, self.table = {}, np.zeros((0, width), np.float16)
        if self.path.exists():
            saved = np.load(self.path, allow_pickle=False)
            self.table = saved["table"]
            self.place = {key: row for row, key in enumerate(saved["keys"].tolist())}

    @staticmethod
    def _key(text, window, keep):
        return hashlib.blake2b(f"{window}{keep}\n{text}".encode(), digest_size=10).hexdigest()

    def add(self, texts, window, keep="start"):
        """Rows of the texts; encodes those not in the table yet."""
        keys = [self._key(text, window, keep) for text in texts]
        missing = {key: text for key, text in zip(keys, texts) if key not in self.place}
        todo, started = list(missing.items()), time.time()
        # Sorted by length in characters, so that a chunk has texts of similar length; the remaining time is overestimated at
        # first.
        todo.sort(key=lambda entry: -len(entry[1]))
        for begin in range(0, len(todo), CHUNK):
            chunk = todo[begin : begin + CHUNK]
            ids = [self.tokenizer.encode(text, window, keep) for _, text in chunk]
            vectors = self.encode(ids).astype(np.float16)
            first = len(self.table)
            self.table = np.concatenate([self.table, vectors])
            self.place.update({key: first + row for row, (key, _) in enumerate(chunk)})
            if len(todo) > CHUNK:
                self.save()
                done = begin + len(chunk)
                self.say(f"embeddings: {done}/{len(todo)} texts  {done / (time.time() - started):.0f} texts/s")
        return np.array([self.place[key] for key in keys], np.int64)

    def save(self):
        keys = [key for key, _ in sorted(self.place.items(), key=lambda entry: entry[1])]
        write_whole(self.path, lambda path: np.savez(path, table=self.table, keys=np.array(keys)))

    def vectors(self, texts, window, keep="start"):
        """Unit float32 vectors of the texts."""
        rows = self.add(texts, window, keep)
        found = self.table[rows].astype(np.float32)
        return found / np.linalg.norm(found, axis=1, keepdims=True)
