"""Whole networks of chains, relayers and exporters under faults, each drawn from one number."""
