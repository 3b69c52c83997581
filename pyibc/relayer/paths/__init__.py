"""Paths between two chains: discovery, creation, and checks against a policy."""
