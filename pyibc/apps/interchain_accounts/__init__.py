"""Interchain accounts (ICS-27): controller and host."""
