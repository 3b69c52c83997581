"""Entry point: python -m conformance.fuzz [--only TEXT] [--step N] [--swept N]."""

from conformance.fuzz.command import command

command()
