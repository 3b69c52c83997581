"""Verification of a home that no process uses."""
