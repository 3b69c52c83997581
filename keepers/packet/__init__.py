"""Keeper of packets on channels."""
