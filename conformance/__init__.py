"""Conformance tools, not distributed: vector runners, recorded and random walks, a reference model, peers."""
