"""Processes of a network's chains: locks, ports, start and stop, status."""
