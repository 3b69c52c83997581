"""Keepers of light clients and of planned upgrades."""
