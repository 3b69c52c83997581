"""A multistore's versions on LMDB.

Every block is one transaction: its writes, root hashes, app hash and metadata in `log`. Every so often a
checkpoint writes the nodes created since the last one, in slices within the blocks' transactions. Memory
is rebuilt from the last checkpoint and the log after it; nodes are loaded on access.

    log      version -> block (blocks.py)
    nodes    serial -> a leaf, or an inner node with what is known of both children (nodes.py)
    points   version -> roots of a finished checkpoint, and the first unused serial (checkpoint.py)
    orphans  (checkpoint, number) -> serials of nodes that were replaced up to that checkpoint (orphans.py)
    meta     what the database is

All numbers are big-endian. ADR 0004 gives the reasons.
"""
