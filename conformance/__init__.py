"""Conformance tools, not distributed: vector runners, recorded and random walks, peers."""
