"""ICS-20: fungible token transfer."""
