"""Relayer daemon: any number of chains and paths in one process, from one file (docs/adr/0023)."""
