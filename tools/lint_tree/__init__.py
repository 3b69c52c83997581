"""Rules about the source tree: one program, one parse of each file, one list of rules."""
