"""A multistore's versions on LMDB.

Every block is one transaction: its writes, root hashes, app hash and metadata in `log`. Every so often a
checkpoint writes the nodes born since the last one, in slices that ride on the blocks' transactions.
What is in memory is rebuilt from the last checkpoint and the log behind it; nodes load when touched.

    log      version -> block (blocks.py)
    nodes    serial -> a leaf, or an inner node with what is known of both children (nodes.py)
    points   version -> roots of a finished checkpoint, and the first unused serial (checkpoint.py)
    orphans  (checkpoint, number) -> serials of nodes that were replaced up to that checkpoint (orphans.py)
    meta     what the database is

All numbers are big-endian. ADR 0004 says why it is so.
"""
