"""Interfaces to the host chain: contexts over its stores, gas, events, blocks."""
