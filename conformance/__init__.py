"""Judges, not shipped: runners of foreign vectors, recorded and random walks, the model, foreign programs."""
