"""Packets of channels (ICS-4): commitments, acknowledgements, events."""
