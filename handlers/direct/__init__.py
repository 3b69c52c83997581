"""ICS-4 as a module calls it (ICS-25): today's handlers behind the functions of the first text."""
