"""Packet indexer: block export, the Spark data source, the pipeline to Delta tables, and the report.

    blocks      the block model, block lines, and the exporter that writes them
    events      packets, transfers, calls and client facts in the events of a block
    chains      which blocks are of one chain, and which chains are at the ends of a packet's path
    recordings  parses `/block`, `/block_results` and transactions as three generations of nodes print them
    bronze      reads block lines, recordings and packet tables; the batches of a stream
    results     the result tables in SQL, and queries over them
    report      the HTML report: one self-contained page
    pipeline    takes blocks to Delta tables, on either engine
    local       the engine in this process: DuckDB and delta-rs
    spark       the engine on Spark, and the PySpark data source `ibc`
    job         a run from inputs to report
    live        the report and metrics over HTTP, kept up to date

The folders stand in the order of imports, which import-linter checks, the lowest first.
The indexer reads chains from the outside: exports and recordings of nodes. It does not import the plugin.
"""

from pyibc._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__, {"": "indexer", "PacketEvents": "arrow", "read": "arrow"}
)
