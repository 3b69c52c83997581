"""Segments: block lines and packet tables converted to Parquet files, which engines read natively.

    numbers   replaces names, paths and amounts of packet events by numbers
    manifest  the checksummed manifest of a segment, which the driver reads
    writer    writes rows to the Parquet files of a segment
    lines     converts a file of block lines to a segment
    tables    converts a packet table to a segment
    overlaps  resolves heights that are in several files
    merging   merges small segments
    shelf     the segments of earlier runs, and the input bytes without a segment
    sealing   seals the inputs of a run, that is, converts new and changed inputs to segments
    worker    processes that seal

Each line is decoded once, when it is sealed. Afterwards, aggregations group, join and compare only numbers.
"""
