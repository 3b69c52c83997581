"""ICS-20's message."""
