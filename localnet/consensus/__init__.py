"""Single-process consensus: real validator sets, headers and commits, without a network."""
