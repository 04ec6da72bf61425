"""The encoder's weights: their file (safetensors), and the two numbers of its BERT that their shapes do not tell. Needs numpy alone."""
import json
import struct

import numpy as np

HEAD_WIDTH = 32
LAYER_NORM_EPSILON = 1e-12
KINDS = {"F16": np.float16, "F32": np.float32}


def read_safetensors(path):
    """name -> float32 array; tensors of other kinds (the positions' numbers) are left out."""
    raw = path.read_bytes()
    (header_size,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + header_size])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] not in KINDS:
            continue
        begin, end = (8 + header_size + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(raw[begin:end], KINDS[entry["dtype"]]).reshape(entry["shape"]).astype(np.float32)
    return tensors


def write_safetensors(path, tensors):
    """Writes weights, numpy's or PyTorch's, as fp16 in the layout of the package that training begins with."""
    header, offset, blobs = {}, 0, []
    for name, tensor in tensors.items():
        blob = np.asarray(tensor).astype(np.float16).tobytes()
        header[name] = {"dtype": "F16", "shape": list(tensor.shape), "data_offsets": [offset, offset + len(blob)]}
        offset += len(blob)
        blobs.append(blob)
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<Q", len(head)) + head + b"".join(blobs))
