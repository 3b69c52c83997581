"""Keeper of client pairs."""
