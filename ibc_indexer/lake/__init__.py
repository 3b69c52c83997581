"""The result tables: Delta Lake, one version of all of them together, changed by what is new alone.

state    which files the tables have and what they were made of: `tables.json`, the commit of a run
before   what may stay of the last run, and how much there is to do
bands    which packets a change touches, in bands of a way's sequences
changes  what differs from the last run
parts    which files are made anew, and which bands go into one
delta    a table's files committed by delta-rs; what is superseded removed
publish  rows that an engine wrote become files of the tables
"""
