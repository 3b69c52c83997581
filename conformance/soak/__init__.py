"""Soak test of the relayer daemon: real chains and workers in one process, in simulated time."""
