"""IBC for chains written in Python."""
