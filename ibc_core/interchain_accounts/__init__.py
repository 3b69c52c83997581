"""Interchain accounts (ICS-27): what others may know of them."""
