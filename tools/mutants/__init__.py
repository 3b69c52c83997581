"""Guards and rows that are taken away one at a time: `python -m tools.mutants`."""
