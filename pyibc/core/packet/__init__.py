"""Packets of channels (ICS-4): messages, commitments, acknowledgements, events."""
