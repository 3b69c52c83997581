"""Packets of IBC v2: messages, commitments, acknowledgements, events."""
