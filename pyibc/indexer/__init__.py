"""Packet indexer: block export, the Spark data source, the result tables and the report.

    export      writes committed blocks to a folder, one checksummed line per block
    lines       encodes and decodes block lines
    segments    decodes each block line once into Parquet; finds torn, duplicate and conflicting lines
    recordings  parses `/block`, `/block_results` and transactions as three generations of nodes print them
    packets     extracts packet events from the events of a block
    source      the PySpark data source `ibc`
    pairing     finds the counterparty chain of every channel
    lifecycle   one row per packet: a single aggregation on a 64-bit key
    lake        the result tables: committed together, updated incrementally
    answers     stuck packets, latency percentiles, volume, relayer shares, counts
    report      the HTML report: one self-contained page
    job         an indexing run from inputs to report

The indexer reads chains from the outside: exports and recordings of nodes. It does not import the plugin.
"""

from pyibc._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {"": "indexer"})
