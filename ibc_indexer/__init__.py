"""Says where every packet is: export, Spark's data source, the report.

    export      writes committed blocks to a folder, one checksummed line a block
    lines       that line, encoded and decoded
    scan        reads folders of such lines: what is whole, torn, doubled, in conflict
    recordings  `/block`, `/block_results`, transactions as nodes of three generations print them
    packets     packet events out of a block's events
    source      the PySpark data source `ibc`
    pairing     which chain is at the other end of a channel
    lifecycle   one row a packet: a single aggregation on a 64-bit key
    lake        the result tables: committed together, changed by what is new alone
    answers     stuck packets, latency percentiles, volume, relayer shares, counts
    report      the page of plots
    job         all of it in order

It reads a chain as any outsider does and imports nothing of the plugin.
"""

import ibc_core  # noqa: F401 - its guard runs first

__distribution__ = "pyibc-indexer"
