"""Simulation of networks of chains, relayers and exporters under faults, each determined by a seed."""
