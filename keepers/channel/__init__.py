"""Keeper of channels."""
