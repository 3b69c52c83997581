"""A chain of random blocks that depends on versions alone, and a program that runs it.

Run as a program: `chain.py FOLDER`; writes each acknowledged version to standard output, until killed.
"""

import os
import random
import sys

from iavl import MultiStore
from iavl.disk.database.settings import DiskOptions, no_probe

NAMES = ["bank", "ibc"]


def writes_of(version):
    rng = random.Random(version)
    return {
        name: [
            (b"%03d" % rng.randrange(120), None if rng.random() < 0.3 else b"%d" % version)
            for _ in range(rng.randrange(30))
        ]
        for name in NAMES
    }


def metadata_of(version):
    return b"block %d" % version


def open_store(path, probe=no_probe):
    options = DiskOptions(
        map_size=1 << 26,
        sync=False,
        checkpoint_blocks=3,
        slice_nodes=150,
        nodes_per_write=1,
        memory_versions=2,
        checkpoint_on_close=False,
        probe=probe,
    )
    return MultiStore(path, NAMES, keep_versions=4, cache_nodes=30, disk=options)


def run(store, blocks, acknowledge):
    for _ in range(blocks):
        version = store.next_version
        store.apply(writes_of(version))
        store.commit(metadata_of(version))
        acknowledge(version)


if __name__ == "__main__":
    run(open_store(sys.argv[1]), 1 << 30, lambda version: os.write(1, b"%d\n" % version))
