"""Interchain accounts (ICS-27): a controller, and a host."""
