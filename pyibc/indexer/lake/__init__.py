"""Result tables in Delta Lake: committed together and updated incrementally.

Packets of a route (a path and a sending chain, `way` in the SQL) are rewritten in buckets of consecutive
sequences (`band` in the SQL). A file group (`part` in the SQL) is a set of buckets with common files.

state    the files of the tables and their origin: `tables.json`, whose replacement commits a run
before   reusable results of the last run, and an estimate of the remaining work
bands    sets of sequence buckets by route
changes  sequence buckets that differ from the last run
parts    assignment of sequence buckets to file groups, and the groups to rewrite
chunks   assignment of segments to groups that are copied together
gathering  selection of small groups to merge
delta    commits of a table's files with delta-rs, and removal of superseded files
publish  staged files of a run
making   the steps of a run, from plan to commit
tables   columns and keys of the tables
"""
