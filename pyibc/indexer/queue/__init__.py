"""Decoder of events of the queue protocol."""
