"""Keeper of the capabilities that direct calls show."""
