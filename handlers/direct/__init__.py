"""ICS-4 as called by modules (ICS-25): the functions of its first version, over the standard handlers."""
