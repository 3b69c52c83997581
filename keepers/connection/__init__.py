"""Keeper of connections."""
