"""Consensus of one chain in one process: real validator sets, headers and commits, no network."""
