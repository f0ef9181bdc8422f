#!/usr/bin/env python3
"""Writes what torchvision knows of a ResNet, for resnet_test.cc.

    pip install torch torchvision
    make_torchvision_reference.py ../../testdata

torchvision_<net>.tsv: every parameter and buffer, its type and its shape.
torchvision_<net>_features.tsv: the pooled features in evaluation mode of the
pictures and weights that Fill() gives, one line per picture.
"""

import pathlib
import sys

import numpy as np
import torch
import torchvision

SIZE = 64
NUM_PICTURES = 2
NUM_FEATURES = 32  # As many are kept of each picture.


def fill(shape, seed):
    """Numbers in [-0.5, 0.5) that any language can make: Knuth's hash of seed and index."""
    index = np.arange(int(np.prod(shape)), dtype=np.uint64)
    key = (np.uint64(seed) * np.uint64(1 << 20) + index) & np.uint64(0xFFFFFFFF)
    key = (key * np.uint64(2654435761)) & np.uint64(0xFFFFFFFF)
    key = ((key ^ (key >> np.uint64(15))) * np.uint64(2246822519)) & np.uint64(0xFFFFFFFF)
    values = key.astype(np.float64) / 2**32 - 0.5
    return torch.from_numpy(values.astype(np.float32).reshape(shape))


def set_weights(net):
    """A tensor's seed is its place in the order of names; the scales keep the features moderate."""
    for seed, (name, tensor) in enumerate(sorted(net.state_dict().items())):
        if name.startswith("fc.") or name.endswith("num_batches_tracked"):
            continue
        values = fill(tuple(tensor.shape), seed)
        if tensor.dim() == 4:
            fan_in = tensor.shape[1] * tensor.shape[2] * tensor.shape[3]
            values = values * np.float32((12.0 / fan_in) ** 0.5)
        elif name.endswith("running_var") or name.endswith("weight"):
            values = values + 1
        tensor.copy_(values)


def main():
    folder = pathlib.Path(sys.argv[1])
    for name in ("resnet18", "resnet50"):
        net = getattr(torchvision.models, name)(weights=None).eval()
        with open(folder / f"torchvision_{name}.tsv", "w") as out:
            for key, tensor in net.state_dict().items():
                dtype = {torch.float32: "F32", torch.int64: "I64"}[tensor.dtype]
                shape = ",".join(map(str, tensor.shape))
                out.write(f"{key}\t{dtype}\t[{shape}]\n")
        with torch.no_grad():
            set_weights(net)
            net.fc = torch.nn.Identity()
            net = net.double()
            features = net(fill((NUM_PICTURES, 3, SIZE, SIZE), 1000).double())
        with open(folder / f"torchvision_{name}_features.tsv", "w") as out:
            for row in features[:, :NUM_FEATURES].tolist():
                out.write("\t".join(f"{value:.9g}" for value in row) + "\n")


if __name__ == "__main__":
    main()
