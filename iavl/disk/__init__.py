"""A multistore's versions on LMDB.

Each block is one transaction: its writes, root hashes, app hash and metadata go to `log`. From time to time a
checkpoint writes the nodes created since the last checkpoint, in slices within the blocks' transactions.
Opening restores the last checkpoint and replays the log after it; nodes are loaded on access.

    log      version -> block (blocks.py)
    nodes    serial -> a leaf, or an inner node with the metadata of both children (nodes.py)
    points   version -> roots of a finished checkpoint, and the first unused serial (checkpoint.py)
    orphans  (checkpoint, number) -> serials of nodes that were replaced up to that checkpoint (orphans.py)
    meta     settings of the database, and its last block

All numbers are big-endian. ADR 0004 gives the rationale.
"""
