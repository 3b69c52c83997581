"""Packet indexer: block export, the Spark data source, the pipeline to Delta tables, and the report.

    export      writes committed blocks to a folder, one checksummed line per block
    lines       encodes and decodes block lines
    recordings  parses `/block`, `/block_results` and transactions as three generations of nodes print them
    bronze      reads block lines, recordings and packet tables; the batches of a stream
    source      the PySpark data source `ibc`
    packets     extracts packet events from the events of a block
    pipeline    takes blocks to Delta tables, on Spark or in this process
    answers     stuck packets, latency percentiles, volume, relayer shares, counts
    report      the HTML report: one self-contained page
    job         a run from inputs to report
    live        the report and metrics over HTTP, kept up to date

The indexer reads chains from the outside: exports and recordings of nodes. It does not import the plugin.
"""

from pyibc._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {"": "indexer"})
