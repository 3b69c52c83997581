"""Pipeline from block files to Delta tables: one program for batches and streams.

    bronze  the data source `ibc`: blocks as they are in files (`pyibc/indexer/bronze`)
    silver  `blocks`, `packet_events`, `chain_facts`: appended, each block once
    gold    `packets`: one row per packet, kept by MERGE; `routes` and `chains`, the dimensions

The tables are written by Delta Lake for Spark (delta-spark), and nothing else keeps state: a run is the
stream with an end, and a stream goes on where the last run ended.
"""
