"""ICS-4 as a module calls it (ICS-25): the standard handlers behind the functions of the first text."""
