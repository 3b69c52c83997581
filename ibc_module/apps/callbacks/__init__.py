"""Callbacks (ADR-8): contracts that are called when packets go by, over channels and over IBC v2."""
