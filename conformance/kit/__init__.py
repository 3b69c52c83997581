"""Chains, messages and refusals by hand, for the tests of this repository."""
