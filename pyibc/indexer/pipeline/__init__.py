"""Pipeline from block files to Delta tables: one program for batches and streams.

    bronze  the data source `ibc`: blocks as they are in files (`pyibc/indexer/bronze`)
    silver  `blocks`, `packet_events`, `observations`: appended, each block once
    gold    `packets`: one row per packet, kept by MERGE; `routes` and `chains`, the dimensions

The tables are Delta tables, which delta-spark writes on Spark and delta-rs in this process. A stream keeps
its checkpoint and the log of its source beside them: a run is the stream with an end, and a stream goes on
where the last run ended, on either engine.
"""
