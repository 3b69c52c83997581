"""Relaying of queues (000 3.7, 001 3.5, 004 3.6): chains say themselves what is waiting, no event is read."""
