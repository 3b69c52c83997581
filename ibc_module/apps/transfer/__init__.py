"""ICS-20: token transfer (ics20-1)."""
