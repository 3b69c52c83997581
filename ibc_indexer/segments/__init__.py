"""Sealed ranges: block lines and packet tables as columnar files that an engine reads natively.

    numbers   names, paths and amounts as numbers; a table of packet events with them
    manifest  what a sealed range holds, in one checksummed file that the driver reads
    writer    rows of packet events into Parquet, block by block
    lines     a file of block lines into a segment
    tables    a packet table into a segment
    overlaps  heights that several files hold: the first counts
    sealing   what is sealed already, what has to be, and by how many processes
    worker    one such process

Sealing decodes each line once. What an aggregation groups, joins and compares is a number from then on.
"""
