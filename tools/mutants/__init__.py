"""Mutation testing of guards and coverage rows: `python -m tools.mutants`."""
