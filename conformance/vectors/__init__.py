"""Runners of conformance vectors, one per family."""
